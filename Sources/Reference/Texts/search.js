// Searches the sections that search-index.js holds, and keeps the language of examples that the reader chose.
"use strict";

/** Returns at most `limit` rows in which every word occurs, the best first: in titles before in texts. */
function searchRows(index, query, limit) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const row of index) {
    const [title, page, address, text] = row;
    const heads = [title.toLowerCase(), page.toLowerCase(), text.toLowerCase()];
    let score = 0;
    for (const word of words) {
      if (heads[0] === word) score += 100;
      else if (heads[0].split(/[^a-z0-9]+/).includes(word)) score += 40;
      else if (heads[0].includes(word)) score += 20;
      else if (heads[1].includes(word)) score += 5;
      else if (heads[2].includes(word)) score += 1 + Math.min(4, heads[2].split(word).length - 1);
      else { score = 0; break; }
    }
    if (score) found.push({ title, page, address, text, score });
  }
  return found.sort((a, b) => b.score - a.score || a.title.length - b.title.length).slice(0, limit);
}

/** Returns the piece of a text around the first of the words. */
function excerpt(text, query) {
  const word = query.toLowerCase().split(/\s+/).find((one) => one && text.toLowerCase().includes(one));
  const start = word ? Math.max(0, text.toLowerCase().indexOf(word) - 40) : 0;
  return (start ? "…" : "") + text.slice(start, start + 130) + (text.length > start + 130 ? "…" : "");
}

function beginSearch() {
  const form = document.getElementById("search");
  const input = form.querySelector("input");
  const results = document.getElementById("results");
  let chosen = 0;
  form.hidden = false;

  function show() {
    results.replaceChildren();
    chosen = 0;
    const rows = searchRows(referenceIndex, input.value, 12);
    rows.forEach((row, place) => {
      const link = document.createElement("a");
      link.href = row.address;
      link.setAttribute("role", "option");
      link.setAttribute("aria-selected", String(place === 0));
      const about = document.createElement("small");
      about.textContent = row.page + " · " + excerpt(row.text, input.value);
      link.append(row.title, about);
      results.append(link);
    });
    if (!rows.length && input.value.trim()) {
      const none = document.createElement("p");
      none.textContent = "Nothing has all of these words.";
      results.append(none);
    }
  }

  function choose(step) {
    const links = results.querySelectorAll("a");
    if (!links.length) return;
    links[chosen].setAttribute("aria-selected", "false");
    chosen = (chosen + step + links.length) % links.length;
    links[chosen].setAttribute("aria-selected", "true");
    links[chosen].scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelectorAll("a")[chosen]?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Escape") {
      results.replaceChildren();
    }
  });
  results.addEventListener("click", () => results.replaceChildren());
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) results.replaceChildren();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && event.target !== input && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
  });
}

function kept(value) {
  try {
    if (value) localStorage.setItem("language", value);
    return localStorage.getItem("language");
  } catch {
    return null;  // A browser may keep nothing for pages from a disk.
  }
}

function beginExamples() {
  const wide = matchMedia("(min-width: 48rem)");
  if (!wide.matches) document.querySelector("nav details").open = false;
  const open = (language) => document.querySelectorAll(".language").forEach((one) => {
    one.open = one.dataset.language === language;
  });
  if (kept()) open(kept());
  document.querySelectorAll(".language summary").forEach((summary) => summary.addEventListener("click", (event) => {
    const one = summary.parentElement;
    if (one.open) return;
    event.preventDefault();
    const before = summary.getBoundingClientRect().top;
    open(kept(one.dataset.language) ?? one.dataset.language);
    // What the others took away above must not move the text under the reader.
    scrollBy(0, summary.getBoundingClientRect().top - before);
  }));
}

if (typeof document !== "undefined") {
  beginSearch();
  beginExamples();
} else {
  module.exports = { searchRows, excerpt };
}
