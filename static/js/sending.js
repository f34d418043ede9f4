// What is on its way to the server.
//   form, [hx-post]: sent once, however often it is clicked, until the answer is here.
//   Its token is the newest sign-in's.
//   [data-decision] on the form or button of a decision; [data-unsent] shows "Saving", "Saved" or "Not saved".
//   Leaving the page while a decision is not confirmed asks first.
import { csrfToken } from "./token.js";

const waiting = new Set();
const failed = new Map();

const isDecision = (element) => Boolean(element?.closest?.("[data-decision]"));

function show() {
  const state = failed.size ? "failed" : waiting.size ? "sending" : "saved";
  const text = failed.size
    ? `${failed.size} ${failed.size === 1 ? "decision" : "decisions"} not saved`
    : waiting.size ? `Saving ${waiting.size > 1 ? waiting.size : ""}`.trim() : "Saved";
  for (const place of document.querySelectorAll("[data-unsent]")) {
    place.dataset.state = state;
    place.hidden = false;
    const label = place.querySelector("[data-unsent-text]") || place;
    if (label.textContent !== text) label.textContent = text;
    for (const retry of place.querySelectorAll("[data-unsent-retry]")) retry.hidden = !failed.size;
  }
}

function mark(element, busy) {
  const buttons = element.matches?.("form") ? element.querySelectorAll('button:not([type="button"])') : [element];
  for (const button of buttons) {
    if (busy) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
  }
}

// Plain forms: the second submit of the same page is dropped.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.matches('[hx-post], [hx-get], [data-hx-post], [method="dialog"], [method="get"], [data-download]')) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  // Another script may still take this submit over: only what really leaves the page counts as sent.
  setTimeout(() => {
    if (event.defaultPrevented) return;
    form.dataset.sent = "true";
    (event.submitter || form).setAttribute("aria-busy", "true");
  }, 0);
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  for (const button of document.querySelectorAll('[aria-busy="true"]')) button.removeAttribute("aria-busy");
});

// htmx would queue the second click and send it after the first; htmx:confirm comes before its queue.
document.addEventListener("htmx:confirm", (event) => {
  if (event.detail.verb !== "get" && waiting.has(event.detail.elt)) event.preventDefault();
});

// Signed in anew in another tab: what was typed here goes out with that sign-in's token.
document.addEventListener("htmx:configRequest", (event) => {
  const { verb, headers, parameters } = event.detail;
  const token = csrfToken();
  if (verb === "get" || !token) return;
  headers["X-CSRFToken"] = token;
  delete parameters.csrfmiddlewaretoken;
});

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt, requestConfig } = event.detail;
  if (!requestConfig || requestConfig.verb === "get") return;
  waiting.add(elt);
  mark(elt, true);
  if (isDecision(elt)) {
    failed.delete(elt);
    show();
  }
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { elt, xhr, requestConfig } = event.detail;
  if (!requestConfig || requestConfig.verb === "get" || !waiting.has(elt)) return;
  waiting.delete(elt);
  mark(elt, false);
  if (!isDecision(elt)) return;
  const login = document.body.dataset.loginUrl || "";
  const signedOut = login && xhr.responseURL && new URL(xhr.responseURL).pathname === login;
  if (xhr.status === 0 || xhr.status >= 500 || xhr.status === 403 || xhr.status === 429 || signedOut) {
    failed.set(elt, requestConfig.triggeringEvent?.submitter || null);
  }
  show();
});
document.addEventListener("htmx:afterSettle", () => {
  for (const element of failed.keys()) if (!element.isConnected) failed.delete(element);
  if (document.querySelector("[data-unsent]") && (failed.size || waiting.size)) show();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-unsent-retry]")) return;
  for (const [element, submitter] of [...failed]) {
    if (element.matches("form")) element.requestSubmit(submitter && submitter.isConnected ? submitter : undefined);
    else element.click();
  }
});

addEventListener("beforeunload", (event) => {
  const open = [...waiting].some(isDecision) || failed.size > 0;
  if (open) event.preventDefault();
});
