// The message region: dismiss, leave after a while (only where nothing is to be done), and say what went wrong when a
// request did not come back as expected. A failed request is never shown as an empty answer.
//   [data-dismiss] closes its .message     .message[data-dismiss-after="8"] leaves after so many seconds
const toasts = document.getElementById("toasts");
const template = document.getElementById("message-template");

export function say(text, { kind = "error", link = "", linkText = "" } = {}) {
  if (!toasts || !template) return;
  for (const old of toasts.querySelectorAll(".message")) if (old.dataset.text === text) old.remove();
  const message = template.content.firstElementChild.cloneNode(true);
  message.classList.add(`message-${kind}`);
  message.dataset.text = text;
  const place = message.querySelector(".message-text");
  place.textContent = text;
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link;
    anchor.target = "_blank";
    anchor.textContent = linkText;
    place.append(" ", anchor);
  }
  toasts.append(message);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-dismiss]");
  if (button) button.closest(".message, [data-dismissable]")?.remove();
});

function startTimers() {
  for (const message of document.querySelectorAll(".message[data-dismiss-after]")) {
    const seconds = Number(message.dataset.dismissAfter);
    delete message.dataset.dismissAfter;
    if (!(seconds > 0) || message.querySelector("a, button:not([data-dismiss]), form")) continue;
    const leave = () => {
      if (message.matches(":hover, :focus-within")) setTimeout(leave, 2000);
      else message.remove();
    };
    setTimeout(leave, seconds * 1000);
  }
}
startTimers();
document.addEventListener("htmx:afterSettle", startTimers);

const loginPath = document.body.dataset.loginUrl || "";
const isLoginPage = (xhr) => {
  if (!loginPath || !xhr?.responseURL) return false;
  return new URL(xhr.responseURL).pathname === loginPath && location.pathname !== loginPath;
};

document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isLoginPage(event.detail.xhr)) return;
  event.detail.shouldSwap = false;
  say("You are signed out, so this was not saved. Sign in, come back to this tab and do it again.", {
    link: `${loginPath}?next=${encodeURIComponent(location.pathname + location.search)}`,
    linkText: "Sign in (new tab)",
  });
});

document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  const text =
    {
      400: "The server could not read that request. Reload the page and try again; nothing was changed.",
      403: "You may not do that here, or the page was open too long. Reload the page; nothing was changed.",
      404: "That is no longer there. Someone may have removed it; reload the page.",
      413: "That is too large for the server. Nothing was changed.",
      429: "Too many requests in a short time. Wait a minute and try again; nothing was changed.",
    }[status] ||
    "The server had a fault and could not answer. Nothing you see was changed. Try again; if it stays, tell your administrator.";
  say(text);
});

for (const name of ["htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, () => {
    say("LitLedger cannot be reached. Check the connection and try again; what was not confirmed is not saved.");
  });
}
