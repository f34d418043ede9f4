// Native dialogs and small menus.
//   <button data-dialog-open="#export">    <button data-dialog-close>    <dialog class="dialog">
//   <dialog data-dialog-auto> arriving in an htmx swap (for example into #dialog) opens at once and is removed when closed.
//   <details class="menu"> closes on Escape, on a click elsewhere and when focus leaves.
document.addEventListener("click", (event) => {
  const opener = event.target.closest?.("[data-dialog-open]");
  if (opener) {
    const dialog = document.querySelector(opener.dataset.dialogOpen);
    if (dialog && !dialog.open) {
      event.preventDefault();
      opener.closest("[popover]")?.hidePopover?.();
      dialog.showModal();
    }
    return;
  }
  const closer = event.target.closest?.("[data-dialog-close]");
  if (closer) {
    event.preventDefault();
    closer.closest("dialog")?.close();
    return;
  }
  if (event.target instanceof HTMLDialogElement && event.target.matches(".dialog")) {
    const box = event.target.getBoundingClientRect();
    const inside =
      event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    if (!inside && !("dialogKeep" in event.target.dataset)) event.target.close();
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("htmx:afterSettle", (event) => {
  const holder = event.target instanceof Element ? event.target : document;
  const arrived = holder.matches?.("dialog[data-dialog-auto]") ? [holder] : holder.querySelectorAll("dialog[data-dialog-auto]");
  for (const dialog of arrived) {
    if (dialog.open) continue;
    dialog.showModal();
    dialog.addEventListener("close", () => dialog.remove(), { once: true });
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = event.target.closest?.("details.menu[open]");
  if (menu) {
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});

document.addEventListener("focusout", (event) => {
  const menu = event.target.closest?.("details.menu[open]");
  if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) menu.open = false;
});
