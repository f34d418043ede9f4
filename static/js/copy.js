// Copy to the clipboard: <button data-copy-from="#id"> copies the element's value or text, data-copy-text="…" a text.
// The button says "Copied"; where the browser refuses (no https), the text is selected for Ctrl+C instead.
function textOf(button) {
  if (button.dataset.copyText !== undefined) return { text: button.dataset.copyText, source: null };
  const source = document.querySelector(button.dataset.copyFrom);
  if (!source) return { text: "", source: null };
  return { text: "value" in source ? source.value : source.innerText.trim(), source };
}

function select(source) {
  if (!source) return;
  if (source.select) {
    source.focus();
    source.select();
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

function confirm(button, text) {
  const label = button.querySelector("[data-copy-label]") || button;
  if (label.dataset.before === undefined) label.dataset.before = label.textContent;
  label.textContent = text;
  const region = document.getElementById("announce");
  if (region) region.textContent = text;
  setTimeout(() => {
    if (label.dataset.before === undefined) return;
    label.textContent = label.dataset.before;
    delete label.dataset.before;
  }, 2000);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy-from], [data-copy-text]");
  if (!button) return;
  event.preventDefault();
  const { text, source } = textOf(button);
  if (!text) {
    confirm(button, "Nothing to copy");
    return;
  }
  try {
    await navigator.clipboard.writeText(text);
    confirm(button, "Copied");
  } catch {
    select(source);
    confirm(button, source ? "Press Ctrl+C" : "Not allowed here");
  }
});
