// Screening: decides without leaving the page, keeps the next records ready, and never calls a decision saved before
// the server says so. Without this script the page works by plain forms and links.
import { highlight } from "./highlight.js";
import { applyKeys } from "./keymap.js";
import { say } from "./messages.js";
import { Outbox, post } from "./outbox.js";

const AHEAD = 3;
const unsent = document.getElementById("unsent-decisions");
const path = location.pathname;
const trailName = `litledger.trail.${path}`;
const suffix = document.title.slice(document.title.indexOf(" · "));
let ahead = { behind: "", regions: [] };
let asking = null;

const region = () => document.getElementById("screen");
const record = () => region().dataset.record;
const shorten = (text) => (text.length > 70 ? `${text.slice(0, 69).trimEnd()}…` : text);
const heading = (root) => root.querySelector("#record-title")?.textContent.trim() || "";

function parse(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return holder.content;
}

function announce(text) {
  const place = document.getElementById("announce");
  if (!place || !text) return;
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 50);
}

async function fetchPart(address) {
  try {
    const response = await fetch(address, { headers: { "HX-Request": "true", "HX-Current-URL": location.href } });
    if (response.ok && !response.redirected) return parse(await response.text());
    if (response.status === 401) sayLogin();
    else say("That record could not be fetched. Reload the page; what was not confirmed is listed above.");
  } catch {
    say("LitLedger cannot be reached. Check the connection; what was not confirmed is kept and sent again.");
  }
  return null;
}

function sayLogin() {
  const login = document.body.dataset.loginUrl;
  say("You are signed out. Sign in, then come back to this tab: what is not saved yet is sent again.", {
    link: `${login}?next=${encodeURIComponent(location.pathname + location.search)}`,
    linkText: "Sign in (new tab)",
  });
}

// The way through the queue, for K and J: ids of the records that were shown, and where in it we are.
const trail = {
  read() {
    try {
      return JSON.parse(sessionStorage.getItem(trailName)) || { ids: [], at: -1 };
    } catch {
      return { ids: [], at: -1 };
    }
  },
  write(state) {
    try {
      sessionStorage.setItem(trailName, JSON.stringify({ ids: state.ids.slice(-300), at: Math.max(-1, state.at - Math.max(0, state.ids.length - 300)) }));
    } catch {
      // Blocked storage: K asks the server for the record before this one.
    }
  },
  visit(id) {
    if (!id) return;
    const state = this.read();
    if (state.ids[state.at] === id) return;
    const known = state.ids.lastIndexOf(id);
    if (known >= 0) state.at = known;
    else {
      state.ids.push(id);
      state.at = state.ids.length - 1;
    }
    this.write(state);
  },
  step(by) {
    const state = this.read();
    return state.ids[state.at + by] || "";
  },
};

function addressOf(id) {
  const address = new URL(region().dataset.address, location.href);
  address.searchParams.set("record", id);
  return address;
}

// Parts that a prepared record carries as they were when it was prepared: taken from the page instead.
function carryOver(fresh) {
  for (const part of fresh.querySelectorAll("[data-screen-keep]")) {
    const known = region().querySelector(`[data-screen-keep="${part.dataset.screenKeep}"]`);
    if (known) part.replaceWith(known.cloneNode(true));
  }
}

// The number beside this page in the side navigation.
function countLeft(fresh) {
  const place = document.querySelector(".nav-item[aria-current] .nav-count");
  if (place && fresh.dataset.left) place.textContent = fresh.dataset.left;
}

function show(fresh, { push = true, focus = true, prepared = false } = {}) {
  if (prepared) carryOver(fresh);
  highlight(fresh);
  applyKeys(fresh);
  region().replaceWith(fresh);
  if (!prepared) countLeft(fresh);
  window.htmx?.process(fresh);
  document.dispatchEvent(new CustomEvent("litledger:keys"));
  if (push) history.pushState(null, "", fresh.dataset.address);
  const title = heading(fresh);
  document.title = `Screening${title ? `: ${shorten(title)}` : ""}${suffix}`;
  trail.visit(fresh.dataset.record);
  if (focus) {
    scrollTo(0, 0);
    fresh.querySelector("#record-title")?.focus({ preventScroll: true });
  }
  showState(outbox);
  prepare();
}

async function prepare() {
  const here = record();
  if (!here || !region().dataset.ahead) return;
  if (ahead.behind !== here) {
    const place = ahead.regions.findIndex((part) => part.dataset.record === here);
    ahead = { behind: here, regions: place >= 0 ? ahead.regions.slice(place + 1) : [] };
  }
  if (ahead.regions.length >= AHEAD - 1 || asking === here) return;
  asking = here;
  try {
    const response = await fetch(`${region().dataset.ahead}&count=${AHEAD}`, { headers: { "HX-Request": "true" } });
    if (response.ok && !response.redirected && ahead.behind === here) {
      ahead.regions = [...parse(await response.text()).querySelectorAll("#screen")];
    }
  } catch {
    // Offline: what is not ready is asked for when it is wanted, and then says so.
  } finally {
    asking = null;
  }
}

async function move(link) {
  const by = link.dataset.screenMove === "next" ? 1 : -1;
  const known = trail.step(by);
  const ready = by > 0 && ahead.behind === record() ? ahead.regions[0] : null;
  if (ready && (!known || known === ready.dataset.record)) {
    show(ready.cloneNode(true), { prepared: true });
    return;
  }
  if (known) {
    const part = await fetchPart(addressOf(known));
    if (part) show(part.querySelector("#screen"));
    return;
  }
  const part = await fetchPart(`${link.href}&count=1`);
  if (!part) return;
  const fresh = part.querySelector("#screen");
  if (fresh) show(fresh);
  else announceEnd(by);
}

function announceEnd(by) {
  const text = by > 0 ? "This is the last record of the queue." : "This is the first record of the queue.";
  announce(text);
  setState(text, "idle");
}

function setState(text, state) {
  const place = region().querySelector("[data-screen-state]");
  if (!place) return;
  place.dataset.state = state;
  place.querySelector("[data-screen-state-text]").textContent = text;
}

// What an answer of the server means for a decision.
function settle(item, { status, html }) {
  const fresh = html && status !== 401 ? parse(html).querySelector("#screen") : null;
  const current = record() === item.record;
  if (status >= 200 && status < 300 && fresh?.dataset.saved === item.id) {
    announce(fresh.dataset.said);
    if (current) show(fresh);
    else {
      countLeft(fresh);
      for (const part of fresh.querySelectorAll("[data-screen-keep]")) {
        region().querySelector(`[data-screen-keep="${part.dataset.screenKeep}"]`)?.replaceWith(part);
      }
    }
    return "saved";
  }
  if ((status === 409 || status === 422) && fresh) {
    const why = fresh.querySelector(".screen-notice")?.textContent.trim() || "Not saved.";
    if (current) show(fresh, { push: false });
    else say(`${item.what}: ${why}`, { link: fresh.dataset.address, linkText: "Look at it again (new tab)" });
    announce(why);
    return "refused";
  }
  if (status === 401) {
    sayLogin();
    return "person";
  }
  if (status === 0 || status === 429 || status >= 500) return "later";
  say(
    `The server did not take ${item.what} (${status}). Your role may have changed, the project may be deleted, or you ` +
      "signed in anew: reload the page and send it again. It is kept until it is saved or you discard it.",
  );
  return "person";
}

function showState(box) {
  const items = box.items;
  unsent.hidden = !items.length || Boolean(box.sending && !box.failures && items.length === 1);
  unsent.querySelector("[data-unsent-title]").textContent =
    items.length === 1 ? "1 decision is not saved yet" : `${items.length} decisions are not saved yet`;
  const list = unsent.querySelector("[data-unsent-list]");
  list.replaceChildren(...items.map((item) => {
    const entry = document.getElementById("screen-unsent-item").content.firstElementChild.cloneNode(true);
    entry.querySelector("[data-what]").textContent = item.what;
    entry.querySelector("[data-unsent-drop]").dataset.unsentDrop = item.id;
    return entry;
  }));
  const mine = items.find((item) => item.record === record());
  for (const button of region().querySelectorAll("[data-screen-decision] button")) {
    const chosen = mine?.fields.decision === button.value && !mine.fields.criterion_id;
    if (mine) button.setAttribute("aria-pressed", String(chosen));
    if (chosen && box.sending === mine.id) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
  }
  if (mine) setState(box.sending === mine.id ? "Saving" : "Not saved yet", box.sending === mine.id ? "sending" : "failed");
}

const outbox = new Outbox({
  name: `litledger.unsent.${unsent.dataset.person}.${path}`,
  settle,
  changed: showState,
});

function decide(form, button) {
  if (!button) return;
  if (outbox.items.some((item) => item.record === record())) {
    outbox.flush();
    return;
  }
  const fields = Object.fromEntries(new FormData(form));
  fields[button.name] = button.value; // "decision", or "criterion_id": an exclusion with its reason
  if (needsReason(fields)) return;
  outbox.add({
    id: fields.request_id,
    record: record(),
    action: form.getAttribute("action"),
    fields,
    what: `${button.dataset.word} “${shorten(heading(region()))}”`,
  });
}

// At full text an exclusion needs a reason: the list of reasons takes the focus in place of a refusal by the server.
function needsReason(fields) {
  if (region().dataset.stage !== "fulltext" || fields.decision !== "exclude") return false;
  const first = region().querySelector(".criteria button");
  if (!first) return false;
  const text = "Choose the reason: its number key excludes the record.";
  setState(text, "idle");
  announce(text);
  first.focus();
  return true;
}

async function undo(form) {
  if (outbox.items.length) {
    say("A decision is not saved yet. Send or discard it first; then undo works again.");
    return;
  }
  const button = form.querySelector("button");
  if (button.getAttribute("aria-busy")) return;
  button.setAttribute("aria-busy", "true");
  const answer = await post(form.getAttribute("action"), Object.fromEntries(new FormData(form)));
  button.removeAttribute("aria-busy");
  const fresh = answer.status && answer.status !== 401 ? parse(answer.html).querySelector("#screen") : null;
  if (fresh) {
    show(fresh);
    announce(fresh.dataset.said || fresh.querySelector(".screen-notice")?.textContent.trim());
  } else if (answer.status === 401) sayLogin();
  else say("Nothing was taken back: LitLedger could not be reached or refused. Try again.");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-screen-decision]")) {
    event.preventDefault();
    decide(form, event.submitter);
  } else if (form.matches("[data-screen-undo]")) {
    event.preventDefault();
    undo(form);
  }
}, true);

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const link = event.target.closest?.("[data-screen-move]");
  if (link) {
    event.preventDefault();
    move(link);
    return;
  }
  const drop = event.target.closest?.("[data-unsent-drop]");
  if (drop) {
    outbox.drop(drop.dataset.unsentDrop);
    fetchPart(location.href).then((part) => part && show(part.querySelector("#screen"), { push: false }));
  }
  if (event.target.closest?.("[data-unsent-send]")) outbox.flush();
});

addEventListener("popstate", async () => {
  const part = await fetchPart(location.href);
  if (part) show(part.querySelector("#screen"), { push: false });
});

// The keys are told once, on the first visit with this browser.
const firstVisit = document.querySelector("[data-first-visit]");
try {
  firstVisit.hidden = Boolean(localStorage.getItem("litledger.screen-keys-told"));
  firstVisit.addEventListener("click", (event) => {
    if (!event.target.closest("[data-dismiss]")) return;
    localStorage.setItem("litledger.screen-keys-told", "yes");
    document.getElementById("record-title")?.focus();
  }, true);
} catch {
  // Blocked storage: the keys stand on the buttons and behind "?".
}

history.replaceState(null, "", region().dataset.address);
trail.visit(record());
showState(outbox);
outbox.flush();
prepare();
