// Theme, single-key shortcuts, highlights: choices of this reader on this device.
//   <button data-theme-set="light|dark|system">   <input type="checkbox" data-keys-switch>
//   <button data-toggle-class="highlights-off" data-toggle-target="#record" aria-pressed="true">
const root = document.documentElement;

function remember(name, value) {
  try {
    if (value) localStorage.setItem(name, value);
    else localStorage.removeItem(name);
  } catch {
    // Blocked storage: the choice holds for this page only.
  }
}

function show() {
  const theme = root.dataset.theme || "system";
  for (const button of document.querySelectorAll("[data-theme-set]")) {
    button.setAttribute("aria-pressed", String(button.dataset.themeSet === theme));
  }
  for (const box of document.querySelectorAll("[data-keys-switch]")) box.checked = root.dataset.keys !== "off";
}

document.addEventListener("click", (event) => {
  const theme = event.target.closest?.("[data-theme-set]");
  if (theme) {
    const choice = theme.dataset.themeSet;
    if (choice === "system") delete root.dataset.theme;
    else root.dataset.theme = choice;
    remember("litledger.theme", choice === "system" ? "" : choice);
    show();
    return;
  }
  const toggle = event.target.closest?.("[data-toggle-class]");
  if (toggle) {
    const target = document.querySelector(toggle.dataset.toggleTarget) || document.body;
    const on = target.classList.toggle(toggle.dataset.toggleClass);
    toggle.setAttribute("aria-pressed", String(!on));
    remember(`litledger.class.${toggle.dataset.toggleClass}`, on ? "on" : "");
  }
});

document.addEventListener("change", (event) => {
  if (!event.target.matches?.("[data-keys-switch]")) return;
  if (event.target.checked) delete root.dataset.keys;
  else root.dataset.keys = "off";
  remember("litledger.keys", event.target.checked ? "" : "off");
  document.dispatchEvent(new CustomEvent("litledger:keys"));
});

function restoreToggles() {
  for (const toggle of document.querySelectorAll("[data-toggle-class]")) {
    let on = false;
    try {
      on = localStorage.getItem(`litledger.class.${toggle.dataset.toggleClass}`) === "on";
    } catch {
      on = false;
    }
    const target = document.querySelector(toggle.dataset.toggleTarget) || document.body;
    target.classList.toggle(toggle.dataset.toggleClass, on);
    toggle.setAttribute("aria-pressed", String(!on));
  }
}

show();
restoreToggles();
document.addEventListener("htmx:afterSettle", () => {
  show();
  restoreToggles();
});
