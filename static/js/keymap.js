// Keys of this reader on this device: [data-act="include"] takes the reader's key in place of its data-key. The form
// [data-keymap] (page "How we screen") changes them; presets fill several at once.
const NAME = "litledger.keymap";

function read() {
  try {
    return JSON.parse(localStorage.getItem(NAME) || "{}");
  } catch {
    return {};
  }
}

function write(map) {
  try {
    if (Object.keys(map).length) localStorage.setItem(NAME, JSON.stringify(map));
    else localStorage.removeItem(NAME);
    return true;
  } catch {
    return false;
  }
}

export function applyKeys(root) {
  const map = read();
  const taken = new Set(Object.values(map));
  for (const element of root.querySelectorAll("[data-act]")) {
    element.dataset.keyDefault ??= element.dataset.key;
    const own = map[element.dataset.act];
    // A key that was given to something else is no longer this one's.
    const left = element.dataset.keyDefault.split(/\s+/).filter((key) => !taken.has(key));
    const arrows = left.filter((key) => key.startsWith("Arrow"));
    element.dataset.key = own ? [own, ...arrows].join(" ") : left.join(" ");
    const hint = element.querySelector("kbd");
    const shown = element.dataset.key.split(" ").find((key) => !key.startsWith("Arrow")) || "";
    if (hint) hint.textContent = shown.toUpperCase();
    if (hint) hint.hidden = !shown;
  }
}

const form = document.querySelector("[data-keymap]");
const said = form?.querySelector("[data-keymap-said]");

function fill() {
  const map = read();
  for (const field of form.querySelectorAll("[data-keymap-act]")) field.value = map[field.dataset.keymapAct] || "";
}

function save(map, text) {
  const keys = Object.values(map);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice) said.textContent = `Not saved: ${twice.toUpperCase()} stands twice. Give each act its own key.`;
  else said.textContent = write(map) ? text : "Not saved: this browser keeps nothing for this page.";
  if (!twice) applyKeys(document);
}

if (form) {
  fill();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const map = {};
    for (const field of form.querySelectorAll("[data-keymap-act]")) {
      const key = field.value.trim().toLowerCase();
      if (key && !/^[0-9?]$/.test(key)) map[field.dataset.keymapAct] = key;
      else if (key) said.textContent = "Numbers are the reasons, and ? lists the keys: choose another.";
    }
    if (event.target.matches("[data-keymap-act]") && !/^[0-9?]$/.test(event.target.value)) save(map, "Saved on this device.");
  });
  form.addEventListener("click", (event) => {
    const preset = event.target.closest("[data-keymap-preset]");
    if (!preset) return;
    const map = Object.fromEntries(preset.dataset.keymapPreset.split(" ").filter(Boolean).map((part) => part.split("=")));
    save(map, Object.keys(map).length ? `Keys of ${preset.textContent.trim()}, saved on this device.` : "The project's keys again.");
    fill();
  });
}

applyKeys(document);
document.dispatchEvent(new CustomEvent("litledger:keys"));
document.addEventListener("htmx:afterSettle", () => applyKeys(document));
