// A finished export starts its download once, when the page that waited for it is told so.
document.addEventListener("htmx:afterSettle", () => {
  const link = document.querySelector("[data-download-now]");
  if (!link) return;
  delete link.dataset.downloadNow;
  link.click();
});
