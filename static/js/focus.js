// Focus after an htmx swap: the element with data-focus-after-swap in the new content takes it (WCAG 2.4.3).
// Polled parts carry no such attribute and never take the focus away.
document.addEventListener("htmx:afterSettle", (event) => {
  const arrived = event.target instanceof Element ? event.target : document.body;
  const goal = arrived.matches("[data-focus-after-swap]") ? arrived : arrived.querySelector("[data-focus-after-swap]");
  if (!goal) return;
  if (goal.tabIndex < 0 && !goal.hasAttribute("tabindex")) goal.tabIndex = -1;
  goal.focus({ preventScroll: true });
  const top = goal.getBoundingClientRect().top;
  if (top < 0 || top > innerHeight * 0.6) goal.scrollIntoView({ block: "start" });
});

// An error summary takes the focus when a page arrives with one.
document.querySelector("[data-focus-on-load]")?.focus();
