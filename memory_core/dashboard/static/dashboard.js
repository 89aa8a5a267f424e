// Keys, the theme, and pages that refresh themselves.  Every page works without this script.
"use strict";

const START = "/dashboard";
const REFRESH_PAUSE_MS = 400;
const GO_PAUSE_MS = 1500;

const pick = (selector, from = document) => from.querySelector(selector);
const pickAll = (selector, from = document) => [...from.querySelectorAll(selector)];

// The key of a message that was shown: a reload must not ask for it again.
const address = new URL(location.href);
if (address.searchParams.has("done")) {
  address.searchParams.delete("done");
  history.replaceState(null, "", address);
}

// Theme: the system's, until the button chooses the other one.

function switchTheme() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const shown = document.documentElement.dataset.theme || (isDark ? "dark" : "light");
  const other = shown === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = other;
  localStorage.setItem("theme", other);
}

// Rows: j and k move the focus between them; the keys of a row work in the row with the focus.

function listRows() {
  return pickAll("[data-row]").filter((row) => row.offsetParent !== null);
}

function findRow() {
  return document.activeElement?.closest("[data-row]") ?? null;
}

function focusRow(row) {
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
  row.scrollIntoView({ block: "nearest" });
}

function moveRow(step) {
  const rows = listRows();
  const at = rows.indexOf(findRow());
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  focusRow(rows[Math.min(Math.max(next, 0), rows.length - 1)]);
}

// After the form of a row, the page is loaded again: go on at the same place.

const ROW_KEY = `row ${location.pathname}`;

function rememberRow(event) {
  const at = listRows().indexOf(event.target.closest("[data-row]"));
  if (at >= 0) sessionStorage.setItem(ROW_KEY, String(at));
}

function restoreRow() {
  const at = sessionStorage.getItem(ROW_KEY);
  sessionStorage.removeItem(ROW_KEY);
  const rows = listRows();
  if (at !== null) focusRow(rows[Math.min(Number(at), rows.length - 1)]);
}

// A key that is pressed twice sends a form once.

let isSent = false;

function sendOnce(event) {
  if (event.target.method !== "post") return;
  if (isSent) event.preventDefault();
  isSent = true;
}

// Keys.

let lastGo = -Infinity;

function isTyping(element) {
  return element.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

function press(element) {
  if (isTyping(element)) {
    element.focus();
    element.select?.();
  } else {
    element.click();
  }
}

function hasKey(element, key) {
  return element.dataset.key.split(" ").includes(key);
}

function findByKey(key) {
  const row = findRow();
  const inRow = row && pickAll("[data-key]", row).find((one) => hasKey(one, key));
  const onPage = (one) => hasKey(one, key) && !one.closest("[data-row]");
  return inRow || pickAll("[data-key]").find(onPage);
}

const KEYS = {
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "?": showKeys,
};

function onKey(event) {
  if (event.ctrlKey && event.key === "Enter" && event.target.matches("textarea"))
    event.target.form.querySelector("button")?.click();
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (pick("dialog[open]")) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const isGoing = event.timeStamp - lastGo < GO_PAUSE_MS;
  lastGo = event.key === "g" && !isGoing ? event.timeStamp : -Infinity;
  const target = isGoing
    ? pickAll("[data-go]").find((one) => one.dataset.go === event.key)
    : findByKey(event.key);
  if (target) press(target);
  else if (!isGoing && event.key === "Enter" && event.target.matches("[data-row]"))
    pick("a, button", event.target)?.click();
  else if (!isGoing && Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
  else return;
  event.preventDefault();
}

function showKeys() {
  const list = pick("#keys dl");
  list.replaceChildren();
  const add = (key, text) => {
    const term = document.createElement("dt");
    const mark = document.createElement("kbd");
    mark.textContent = key;
    term.append(mark);
    const meaning = document.createElement("dd");
    meaning.textContent = text;
    list.append(term, meaning);
  };
  for (const one of pickAll("[data-go]")) add(`g ${one.dataset.go}`, one.textContent);
  if (listRows().length) add("j k", "next and previous row");
  const named = new Map(
    pickAll("[data-key]").map((one) => [one.dataset.key, one.ariaLabel || one.title || one.textContent.trim()]),
  );
  for (const [key, text] of named) add(key, text);
  add("?", "these keys");
  pick("#keys").showModal();
}

// Live: parts with data-live are taken from a new copy of the page when something happened.

let stream = null;
let timer = 0;
let isLate = false; // something happened while the page could not be refreshed

function showConnection(text, isProblem = false) {
  const status = pick("#connection");
  if (!status) return;
  status.hidden = false;
  status.textContent = text;
  status.classList.toggle("is-problem", isProblem);
}

function connect() {
  if (document.hidden) {
    stream?.close(); // a browser opens only a few connections to one server
    stream = null;
    return;
  }
  if (stream || !pick("[data-live]")) return;
  stream = new EventSource(`${START}/live`);
  stream.addEventListener("ready", () => {
    showConnection("live");
    if (isLate) refreshSoon();
    isLate = true; // what happens until the next connection is missed
  });
  stream.onmessage = refreshSoon;
  stream.onerror = () => showConnection("not connected", true);
}

function refreshSoon() {
  if (!timer) timer = setTimeout(refresh, REFRESH_PAUSE_MS);
}

async function refresh() {
  timer = 0;
  let text;
  try {
    const response = await fetch(location.href);
    if (!response.ok) throw new Error(response.statusText);
    text = await response.text();
  } catch {
    showConnection("not connected", true);
    return;
  }
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const part of pickAll("[data-live]")) {
    const other = fresh.getElementById(part.id);
    if (other && other.outerHTML !== part.outerHTML && !isBusy(part)) replacePart(part, other);
  }
}

function isBusy(part) {
  return part.contains(document.activeElement) && isTyping(document.activeElement);
}

function replacePart(part, other) {
  const seen = new Set(pickAll("[data-id]", part).map((one) => one.dataset.id));
  const focused = part.contains(document.activeElement) ? findRow()?.dataset.id : undefined;
  const open = pickAll("details[open][id]", part).map((one) => one.id);
  part.replaceChildren(...other.childNodes);
  for (const one of pickAll("[data-id]", part)) {
    one.classList.toggle("is-new", !seen.has(one.dataset.id));
    if (one.dataset.id === focused) focusRow(one);
  }
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
}

// Start.

for (const id of ["theme", "keys-button"]) {
  const button = document.getElementById(id);
  if (button) button.hidden = false;
}
pick("#theme")?.addEventListener("click", switchTheme);
pick("#keys-button")?.addEventListener("click", showKeys);
document.addEventListener("keydown", onKey);
document.addEventListener("submit", rememberRow);
document.addEventListener("submit", sendOnce);
addEventListener("pageshow", () => (isSent = false));
document.addEventListener("visibilitychange", connect);
restoreRow();
connect();
