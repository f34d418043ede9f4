// The numbers beside the side navigation: soon after something was saved here, and every while for what others do.
// The focus stays where it is, and nothing is read out: they are no message.
const EVERY = 20000;
const SOON = 400;
const side = document.getElementById("side");
let soon = 0;
let asking = false;

async function refresh() {
  if (!side || document.hidden || !navigator.onLine || asking) return;
  asking = true;
  try {
    const response = await fetch(side.dataset.numbers);
    if (response.ok && !response.redirected) take(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    // Not reached: the numbers stay as they were, and the next round asks again.
  } finally {
    asking = false;
  }
}

function take(fresh) {
  const here = new Map([...side.querySelectorAll(".nav-item")].map((link) => [link.getAttribute("href"), link]));
  for (const link of fresh.querySelectorAll(".nav-item")) {
    const count = link.querySelector(".nav-count");
    const known = here.get(link.getAttribute("href"));
    const shown = known?.querySelector(".nav-count");
    if (shown && count) {
      if (shown.textContent !== count.textContent) shown.textContent = count.textContent;
    } else if (shown) shown.remove();
    else if (known && count) known.append(count);
  }
}

function refreshSoon() {
  clearTimeout(soon);
  soon = setTimeout(refresh, SOON);
}

document.addEventListener("litledger:saved", refreshSoon);
document.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, successful } = event.detail;
  if (successful && requestConfig && requestConfig.verb !== "get") refreshSoon();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refreshSoon();
});
setInterval(refresh, EVERY);
