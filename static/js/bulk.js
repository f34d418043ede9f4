// Choosing many rows: <form data-bulk> with checkboxes [data-bulk-item], one [data-bulk-all], a bar [data-bulk-bar] that
// shows while something is chosen, and [data-bulk-count] for the number. Shift+click (or Shift+Space) takes the range.
let last = null;
let shift = false;

function update(bulk) {
  const items = [...bulk.querySelectorAll("[data-bulk-item]")];
  const chosen = items.filter((item) => item.checked).length;
  for (const place of bulk.querySelectorAll("[data-bulk-count]")) place.textContent = String(chosen);
  for (const bar of bulk.querySelectorAll("[data-bulk-bar]")) bar.hidden = chosen === 0;
  for (const all of bulk.querySelectorAll("[data-bulk-all]")) {
    all.checked = chosen > 0 && chosen === items.length;
    all.indeterminate = chosen > 0 && chosen < items.length;
  }
}

for (const name of ["click", "keydown", "keyup"]) {
  document.addEventListener(name, (event) => { shift = event.shiftKey; }, true);
}

document.addEventListener("change", (event) => {
  const box = event.target;
  const bulk = box.closest?.("[data-bulk]");
  if (!bulk) return;
  if (box.matches("[data-bulk-all]")) {
    for (const item of bulk.querySelectorAll("[data-bulk-item]")) item.checked = box.checked;
  } else if (box.matches("[data-bulk-item]")) {
    const items = [...bulk.querySelectorAll("[data-bulk-item]")];
    const from = items.indexOf(last);
    const to = items.indexOf(box);
    if (shift && from >= 0) {
      for (const item of items.slice(Math.min(from, to), Math.max(from, to) + 1)) item.checked = box.checked;
    }
    last = box;
  }
  update(bulk);
});

document.addEventListener("click", (event) => {
  const clear = event.target.closest?.("[data-bulk-clear]");
  if (!clear) return;
  const bulk = clear.closest("[data-bulk]");
  for (const item of bulk.querySelectorAll("[data-bulk-item]")) item.checked = false;
  update(bulk);
  bulk.querySelector("[data-bulk-all], [data-bulk-item]")?.focus();
});

function updateAll() {
  for (const bulk of document.querySelectorAll("[data-bulk]")) update(bulk);
}
updateAll();
document.addEventListener("htmx:afterSettle", updateAll);
addEventListener("pageshow", updateAll);
