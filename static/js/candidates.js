// The candidate list: keeps the marked row through a decision, says what was saved, copies rows as text.
import { say } from "./messages.js";

const form = () => document.querySelector("[data-candidates]");

function announce(text) {
  const place = document.getElementById("announce");
  if (place && text) place.textContent = text;
}

// A decided row is replaced by the server's: it stays the marked one, and its sentence is read out.
let marked = "";
document.addEventListener("htmx:beforeSwap", (event) => {
  const row = event.detail.target?.closest?.("[data-row]");
  if (row) marked = row.contains(document.activeElement) || row.hasAttribute("aria-current") ? row.id : "";
});
// At the swap, not when it settles: a key pressed in between has moved on, and must not be answered on this row.
document.addEventListener("htmx:afterSwap", () => {
  const row = marked && document.getElementById(marked);
  marked = "";
  if (!row) return;
  row.setAttribute("aria-current", "true");
  row.focus({ preventScroll: true });
  announce(row.querySelector(".row-said")?.textContent);
});

// Space chooses the marked row, as it would a ticked box.
document.addEventListener("keydown", (event) => {
  if (event.key !== " " || !event.target.matches?.("[data-row]")) return;
  event.preventDefault();
  event.target.querySelector("[data-bulk-item]")?.click();
});

// "All that match" makes sense only while rows are chosen; unticking a row takes it back.
document.addEventListener("change", (event) => {
  const all = form()?.querySelector("[data-all-matching]");
  if (!all) return;
  if (event.target.matches("[data-bulk-item], [data-bulk-all]") && !event.target.checked) all.checked = false;
});

function copyAddress(format) {
  const address = new URL(form().dataset.copyUrl, location.href);
  address.searchParams.set("format", format);
  const everything = form().querySelector("[data-all-matching]")?.checked;
  if (!everything) {
    for (const box of form().querySelectorAll("[data-bulk-item]:checked")) address.searchParams.append("ids", box.value);
  }
  return address;
}

function label(button, text) {
  const place = button.querySelector("[data-copy-label]");
  if (place.dataset.before === undefined) place.dataset.before = place.textContent;
  place.textContent = text;
  announce(text);
  setTimeout(() => { place.textContent = place.dataset.before; }, 2500);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy-list]");
  if (!button) return;
  button.setAttribute("aria-busy", "true");
  let text = "";
  try {
    const response = await fetch(copyAddress(button.dataset.copyList));
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    text = await response.text();
  } catch {
    say("The text could not be fetched. Check the connection, sign in again if needed, and try once more.");
    return;
  } finally {
    button.removeAttribute("aria-busy");
  }
  try {
    await navigator.clipboard.writeText(text);
    label(button, "Copied");
  } catch {
    const dialog = document.getElementById("copy-by-hand");
    dialog.querySelector("textarea").value = text;
    dialog.showModal();
    dialog.querySelector("textarea").select();
  }
});
