// Marks words in titles and abstracts: [data-marks] holds [{css, words}], what is read lies in its .record. Each class
// has its own line beside its colour (record.css). "dexa*" marks every ending; other words are marked whole.
const PLACES = ".record-title, .abstract p";

function pattern(word) {
  const parts = word.trim().split(/\s+/).filter(Boolean).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, "[\\p{L}\\p{N}]*"));
  return parts.join("[\\s\\-‐‑]+");
}

function rules(element) {
  try {
    return JSON.parse(element.dataset.marks || "[]").map(({ css, words }) => {
      const all = words.map(pattern).filter((text) => text.replace(/\[.*?\]\*?|\*/g, "").length > 1);
      all.sort((one, other) => other.length - one.length);
      return all.length ? { css, test: new RegExp(`(?<![\\p{L}\\p{N}])(?:${all.join("|")})(?![\\p{L}\\p{N}])`, "giu") } : null;
    }).filter(Boolean);
  } catch {
    return [];
  }
}

// The first rule that fits at a place wins; marks never overlap.
function places(text, all) {
  const taken = [];
  for (const { css, test } of all) {
    for (const found of text.matchAll(test)) {
      const [from, to] = [found.index, found.index + found[0].length];
      if (to > from && !taken.some((one) => from < one.to && to > one.from)) taken.push({ from, to, css });
    }
  }
  return taken.sort((one, other) => one.from - other.from);
}

function markText(node, all) {
  const text = node.data;
  const found = places(text, all);
  if (!found.length) return;
  const parts = document.createDocumentFragment();
  let at = 0;
  for (const { from, to, css } of found) {
    parts.append(text.slice(at, from));
    const mark = document.createElement("mark");
    mark.className = css;
    mark.textContent = text.slice(from, to);
    parts.append(mark);
    at = to;
  }
  parts.append(text.slice(at));
  node.replaceWith(parts);
}

export function highlight(root) {
  for (const element of root.matches?.("[data-marks]") ? [root] : root.querySelectorAll("[data-marks]")) {
    const all = rules(element);
    if (!all.length || element.dataset.marked) continue;
    element.dataset.marked = "yes";
    for (const place of element.querySelectorAll(PLACES)) {
      const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (walker.nextNode()) nodes.push(walker.currentNode);
      for (const node of nodes) if (!node.parentElement.closest("mark")) markText(node, all);
    }
  }
}

highlight(document);
