// Searches the sections in search-index.js, and remembers which programming language the reader chose for the examples.
"use strict";

/** Chinese search terms, with their words in these pages. */
const CHINESE = {
  登录: "login", 匿名: "anonymous", 注册: "register", 退出: "logout", 账号: "account", 密码: "password", 验证码: "code", 手机: "phone", 邮箱: "email",
  头像: "avatar", 会话: "session", 令牌: "token", 终端: "terminal", 设备: "device", 产品: "product", 绑定: "bind", 解绑: "unbind",
  分享: "share", 邀请: "invitation", 二维码: "qr", 家庭: "home", 定时: "schedule", 命令: "command", 控制: "control", 查询: "query",
  状态: "status", 上报: "report", 历史: "history", 在线: "online", 告警: "alert", 故障: "fault", 事件: "event", 主题: "topic",
  错误: "error", 拒绝: "refusal", 限制: "limit", 设置: "setting", 指标: "metric", 证书: "certificate", 密钥: "secret", 备份: "backup",
};

/**
 * Returns the words of a query in lower case, with Chinese words translated into the language of the index.
 */
function wordsOf(query) {
  for (const [term, word] of Object.entries(CHINESE)) query = query.replaceAll(term, ` ${word} `);
  // If the query contains the topic of a request, the request's method replaces the topic.
  return query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => word.match(/\/request\/([a-z]+\/[a-z]+)$/)?.[1] ?? word);
}

/**
 * Returns whether a word is a topic, below any root, that matches a title with placeholders, such as
 * ll/v1/device/{did}/report.
 */
function isTopic(title, word) {
  if (!title.startsWith("ll/v1/") || !word.includes("/")) return false;
  const names = title.toLowerCase().split("/").slice(2), levels = word.split("/").slice(-names.length);
  return levels.length === names.length && names.every((name, place) => name.startsWith("{") || name === levels[place]);
}

/** Returns how well a row matches a word, or 0; titles count more than texts. */
function scoreOf([title, page, , text], word) {
  const head = title.toLowerCase();
  if (head === word || isTopic(title, word)) return 100;
  // A camelCase title is also split into its words.
  const parts = title.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).map((one) => one.toLowerCase());
  if (parts.includes(word) || head.split(/[^a-z0-9]+/).includes(word)) return 40;
  if (parts.some((one) => one.startsWith(word))) return 30;
  if (head.includes(word)) return 20;
  if (page.toLowerCase().includes(word)) return 5;
  const count = text.toLowerCase().split(word).length - 1;
  return count && 1 + Math.min(4, count);
}

/**
 * Returns the rows that contain all words, best first. With `isLoose`, returns the rows that contain any of the words,
 * those with the most words first.
 */
function rowsWith(index, words, isLoose) {
  const found = [];
  for (const row of index) {
    const scores = words.map((word) => scoreOf(row, word)).filter(Boolean);
    if (!scores.length || (!isLoose && scores.length < words.length)) continue;
    const [title, page, address, text] = row;
    found.push({ title, page, address, text, count: scores.length, score: scores.reduce((sum, one) => sum + one) });
  }
  return found.sort((a, b) => b.count - a.count || b.score - a.score || a.title.length - b.title.length);
}

/**
 * Returns the number of letters to add, drop, change or swap to turn one word into the other; 3 if the number is
 * greater than 2.
 */
function distance(a, b) {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let before = [], last = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return Math.min(last[b.length], 3);
}

let vocabulary = null;

/** Returns the word of the index that is closest to a mistyped word; the mistyped word itself if no word is close. */
function corrected(index, word) {
  if (word.length < 4 || index.some((row) => scoreOf(row, word))) return word;
  vocabulary ??= [...new Set(index.flatMap(([title, page, , text]) => `${title} ${page} ${text}`.toLowerCase().match(/[a-z]{4,}/g) ?? []))];
  let best = word, least = word.length < 8 ? 2 : 3;
  for (const other of vocabulary) {
    const far = distance(word, other);
    if (far < least) [best, least] = [other, far];
  }
  return best;
}

/**
 * Searches for rows with all words. If there are none, mistyped words are corrected; if there are still none, the rows
 * with any of the query's words are returned, those with the most words first.
 * @returns {{rows: Array<{title: string, page: string, address: string, text: string}>, words:
 *   string[], note: string}}
 */
function search(index, query, limit) {
  const typed = wordsOf(query);
  const given = (rows, words, note) => ({ rows: rows.slice(0, limit), words, note });
  if (!typed.length) return given([], [], "");
  const exact = rowsWith(index, typed, false);
  if (exact.length) return given(exact, typed, "");
  const meant = typed.map((word) => corrected(index, word));
  const near = rowsWith(index, meant, false);
  if (near.length) return given(near, meant, `Nothing has all of these words. This is about ${meant.join(" ")}:`);
  const pieces = typed.flatMap((word) => word.split(/[^\p{L}\p{N}-]+/u)).filter((one) => one.length > 2);
  const some = rowsWith(index, pieces, true);
  return given(some, pieces, some.length ? "Nothing has all of these words. These have the most of them:" : "Nothing has any of these words.");
}

/** Returns at most `limit` rows, best first. */
function searchRows(index, query, limit) { return search(index, query, limit).rows; }

/** Returns the part of a text around the first of the words. */
function excerpt(text, words) {
  const small = text.toLowerCase();
  const word = words.find((one) => small.includes(one));
  const start = word ? Math.max(0, small.indexOf(word) - 40) : 0;
  return (start ? "…" : "") + text.slice(start, start + 130) + (text.length > start + 130 ? "…" : "");
}

/** Returns a text with its matching words marked, as nodes. */
function marked(text, words) {
  const small = text.toLowerCase();
  const nodes = [];
  let at = 0;
  while (at < text.length) {
    const next = words.map((word) => [small.indexOf(word, at), word.length]).filter(([place]) => place >= 0).sort((a, b) => a[0] - b[0])[0];
    if (!next) break;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(next[0], next[0] + next[1]);
    nodes.push(text.slice(at, next[0]), mark);
    at = next[0] + next[1];
  }
  return [...nodes, text.slice(at)];
}

function beginSearch() {
  const form = document.getElementById("search");
  const input = form.querySelector("input");
  const results = document.getElementById("results");
  const note = document.getElementById("search-note");
  let chosen = 0;
  form.hidden = false;

  function choose(place) {
    const links = results.querySelectorAll("a");
    links[chosen]?.setAttribute("aria-selected", "false");
    chosen = (place + links.length) % links.length || 0;
    links[chosen]?.setAttribute("aria-selected", "true");
    links[chosen]?.scrollIntoView({ block: "nearest" });
    if (links[chosen]) input.setAttribute("aria-activedescendant", links[chosen].id);
    else input.removeAttribute("aria-activedescendant");
  }

  function show(rows, words, text) {
    results.replaceChildren(...rows.map((row, place) => {
      const link = document.createElement("a");
      link.href = row.address;
      link.id = `result-${place}`;
      link.tabIndex = -1;
      link.setAttribute("role", "option");
      link.setAttribute("aria-selected", "false");
      const about = document.createElement("small");
      about.append(row.page + " · ", ...marked(excerpt(row.text, words), words));
      link.append(...marked(row.title, words), about);
      return link;
    }));
    results.hidden = rows.length === 0;
    note.textContent = text;
    input.setAttribute("aria-expanded", String(rows.length > 0));
    choose(0);
  }

  const close = () => show([], [], "");

  input.addEventListener("input", () => {
    const { rows, words, note: text } = search(referenceIndex, input.value, 12);
    show(rows, words, text);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelectorAll("a")[chosen]?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Escape") {
      close();
    }
  });
  results.addEventListener("click", close);
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    // The key `/` moves the focus to the search field. In a text field or selection list, the key keeps its usual
    // effect.
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.target.closest("input, textarea, select")) {
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
    return null;  // a browser can refuse storage to a page that was opened from a disk
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
    // The page scrolls so that the clicked line stays in place when content above it collapses.
    scrollBy(0, summary.getBoundingClientRect().top - before);
  }));
}

if (typeof document !== "undefined") {
  beginSearch();
  beginExamples();
} else {
  module.exports = { search, searchRows, excerpt };
}
