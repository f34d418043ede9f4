// A file dropped anywhere on the form goes into its file field.
for (const form of document.querySelectorAll("[data-drop]")) {
  const field = form.querySelector('input[type="file"]');
  const holdsFile = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
  form.addEventListener("dragover", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    form.classList.add("is-over");
  });
  form.addEventListener("dragleave", (event) => {
    if (!form.contains(event.relatedTarget)) form.classList.remove("is-over");
  });
  form.addEventListener("drop", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    form.classList.remove("is-over");
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    field.files = one.files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.focus();
  });
}
