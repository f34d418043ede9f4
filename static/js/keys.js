// Single-key shortcuts, read from the page: data-key="v" on a link, button or field.
//   data-key="j ArrowRight"   several keys            data-key-label="Next record"   text in the key list
//   data-key="o Enter"        Enter counts only while a row itself has the focus
//   data-key-repeat           may be held down        [data-rows] > [data-row]       J and K move between rows;
//                                                     keys inside a row act on the current row only
// Inactive in text fields, with modifier keys, behind an open dialog, and when the reader switched them off (WCAG 2.1.4).
const TEXT_FIELD =
  'textarea, select, [contenteditable=""], [contenteditable="true"], ' +
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="reset"], [type="file"])';

const keysOn = () => document.documentElement.dataset.keys !== "off";
const keysOf = (element) => element.dataset.key.split(/\s+/).filter(Boolean);
const isVisible = (element) =>
  element.checkVisibility ? element.checkVisibility({ visibilityProperty: true }) : element.offsetParent !== null;

function scope() {
  const dialogs = document.querySelectorAll("dialog[open]");
  return dialogs.length ? dialogs[dialogs.length - 1] : document;
}

function currentRow() {
  return document.activeElement?.closest("[data-row]") || scope().querySelector("[data-row][aria-current]");
}

function elementFor(key) {
  const row = currentRow();
  const usable = [...scope().querySelectorAll("[data-key]")].filter((element) => {
    const itsRow = element.closest("[data-row]");
    return keysOf(element).includes(key) && (!itsRow || itsRow === row) && isVisible(element);
  });
  return usable.find((element) => element.closest("[data-row]")) || usable[0];
}

function moveRow(step) {
  const rows = [...scope().querySelectorAll("[data-rows] [data-row]")].filter(isVisible);
  if (!rows.length) return false;
  const at = rows.indexOf(currentRow());
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
  for (const row of rows) row.removeAttribute("aria-current");
  next.setAttribute("aria-current", "true");
  if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const printable = event.key.length === 1;
  if (printable && !keysOn()) return;
  if (event.target.matches?.(TEXT_FIELD)) return;
  if (event.shiftKey && /^[a-z]$/i.test(event.key)) return;
  const key = printable ? event.key.toLowerCase() : event.key;
  const onRow = key === "Enter" && event.target.matches?.("[data-row]");
  if (!printable && !/^Arrow/.test(key) && !onRow) return;
  const element = elementFor(key);
  if (element) {
    if (event.repeat && !("keyRepeat" in element.dataset)) return;
    event.preventDefault();
    if (element.matches(TEXT_FIELD)) element.focus();
    else if (!element.disabled && element.getAttribute("aria-disabled") !== "true") element.click();
    return;
  }
  if ((key === "j" || key === "k") && moveRow(key === "j" ? 1 : -1)) event.preventDefault();
});

const NAMES = { ArrowRight: "→", ArrowLeft: "←", ArrowUp: "↑", ArrowDown: "↓" };

function labelOf(element) {
  if (element.dataset.keyLabel) return element.dataset.keyLabel;
  if (element.getAttribute("aria-label")) return element.getAttribute("aria-label");
  if (element.labels?.length) return element.labels[0].textContent.trim();
  const copy = element.cloneNode(true);
  for (const hint of copy.querySelectorAll("kbd, svg")) hint.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

// The list in the help dialog is made from the page that is open, so it cannot be out of date.
function fillList(list) {
  const seen = new Map();
  for (const element of document.querySelectorAll("[data-key]")) {
    if (element.closest("dialog:not([open])")) continue;
    for (const key of keysOf(element)) if (!seen.has(key)) seen.set(key, labelOf(element));
  }
  if (document.querySelector("[data-rows] [data-row]")) {
    if (!seen.has("j")) seen.set("j", "Next row");
    if (!seen.has("k")) seen.set("k", "Previous row");
  }
  const byLabel = new Map();
  for (const [key, label] of seen) byLabel.set(label, [...(byLabel.get(label) || []), key]);
  list.replaceChildren();
  for (const [label, keys] of byLabel) {
    const entry = document.createElement("div");
    const term = document.createElement("dt");
    for (const key of keys) {
      const hint = document.createElement("kbd");
      hint.textContent = NAMES[key] || key.toUpperCase();
      term.append(hint);
    }
    const text = document.createElement("dd");
    text.textContent = label;
    entry.append(term, text);
    list.append(entry);
  }
}

function announce() {
  for (const element of document.querySelectorAll("[data-key]")) {
    if (keysOn()) element.setAttribute("aria-keyshortcuts", element.dataset.key);
    else element.removeAttribute("aria-keyshortcuts");
  }
  for (const list of document.querySelectorAll("[data-key-list]")) fillList(list);
}

announce();
document.addEventListener("litledger:keys", announce);
document.addEventListener("htmx:afterSettle", announce);
