// Decisions on their way to the server. Each is written down on this device before it is sent and crossed out only
// when the server's answer names it as saved, so that a lost connection, a closed tab or a lost session loses nothing.
// The server applies a decision once, however often it is sent (its request_id).
import { csrfToken } from "./token.js";

const RETRY_SECONDS = [2, 5, 15, 30, 60];
const TIMEOUT = 20000;

// POST as htmx would. Resolves with {status, html}; status 0 = the server could not be reached.
export async function post(action, fields) {
  // What was written down may be older than the sign-in: its token would win over the header's.
  const body = new URLSearchParams(fields);
  body.delete("csrfmiddlewaretoken");
  try {
    const response = await fetch(action, {
      method: "POST",
      body,
      headers: { "HX-Request": "true", "HX-Current-URL": location.href, "X-CSRFToken": csrfToken() },
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return { status: response.redirected ? 401 : response.status, html: await response.text() };
  } catch {
    return { status: 0, html: "" };
  }
}

export class Outbox {
  // `name` keeps apart what belongs to different people and projects. `settle(item, answer)` says what an answer means:
  // "saved" or "refused" (cross it out), "later" (keep it and try again), "person" (keep it, a person must act).
  constructor({ name, settle, changed }) {
    this.name = name;
    this.settle = settle;
    this.changed = changed;
    this.memory = [];
    this.sending = null;
    this.failures = 0;
    this.timer = 0;
    addEventListener("online", () => this.flush());
    addEventListener("storage", (event) => event.key === this.name && this.changed(this));
    addEventListener("beforeunload", (event) => this.items.length && event.preventDefault());
  }

  get items() {
    try {
      return JSON.parse(localStorage.getItem(this.name) || "[]");
    } catch {
      return this.memory;
    }
  }

  write(items) {
    this.memory = items;
    try {
      if (items.length) localStorage.setItem(this.name, JSON.stringify(items));
      else localStorage.removeItem(this.name);
    } catch {
      // Blocked storage: kept in this tab only, and leaving it asks first.
    }
    this.changed(this);
  }

  add(item) {
    this.write([...this.items, item]);
    return this.flush();
  }

  drop(id) {
    this.write(this.items.filter((item) => item.id !== id));
  }

  async flush() {
    if (this.sending) return;
    clearTimeout(this.timer);
    let verdict = "saved";
    for (let item = this.items[0]; item; item = this.items[0]) {
      this.sending = item.id;
      this.changed(this);
      const answer = await post(item.action, item.fields);
      verdict = this.settle(item, answer);
      this.sending = null;
      if (verdict === "saved") document.dispatchEvent(new CustomEvent("litledger:saved"));
      if (verdict === "saved" || verdict === "refused") {
        this.failures = 0;
        this.drop(item.id);
        continue;
      }
      break;
    }
    this.sending = null;
    this.changed(this);
    if (verdict === "later" && this.items.length) {
      const wait = RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)];
      this.failures += 1;
      this.timer = setTimeout(() => this.flush(), wait * 1000);
    }
  }
}
