// A report, more comfortable: the finding that an address names is open. Without this all is there to be opened by hand.

import { say } from "page.js";

const open = () => {
  const named = document.getElementById(location.hash.slice(1));
  // A menu opens by its name alone.
  if (named?.matches("details:not(.menu)")) named.open = true;
};
addEventListener("hashchange", open);
open();

const printer = document.querySelector("[data-print]");
if (printer) {
  printer.hidden = false;
  printer.addEventListener("click", () => print());
}

// While lab tests run, the page counts their seconds, and shows the result when one has ended. A reader who is elsewhere on
// the page gets a link to it instead.
const lab = document.querySelector("#lab[data-ended]");
const bars = [...(lab?.querySelectorAll("progress") ?? [])];

const show = () => {
  const { activeElement } = document;
  if (activeElement === document.body || lab.contains(activeElement)) return location.reload();
  const link = document.createElement("a");
  link.href = `${location.pathname}${location.search}#lab`;
  link.textContent = lab.dataset.ended;
  link.addEventListener("click", () => setTimeout(() => location.reload()));
  lab.querySelector("[role=status]").replaceChildren(link);
};

const follow = async () => {
  // The server holds its answer back until a test has ended, for 25 seconds at most.
  const answer = await fetch(`${location.pathname}/lab`).catch(() => null);
  const { running } = answer?.ok ? await answer.json() : {};
  if (running !== undefined && running !== bars.length) show();
  else setTimeout(follow, answer?.ok ? 1_000 : 10_000);
};

if (lab) {
  const opened = Date.now();
  for (const bar of bars) {
    const before = bar.value;
    setInterval(() => {
      bar.value = before + Math.floor((Date.now() - opened) / 1_000);
      bar.nextElementSibling.firstElementChild.textContent = bar.value;
    }, 1_000);
  }
  follow();
}

// The filter acts while it is typed into; sending it does the same on the server.
const findings = [...document.querySelectorAll(".finding")];
const shown = () => findings.filter(({ hidden }) => !hidden);
const words = document.querySelector(".filter #q");
words?.addEventListener("input", () => {
  const wanted = words.value.toLowerCase().split(/\s+/);
  for (const finding of findings) finding.hidden = !wanted.every((word) => finding.textContent.toLowerCase().includes(word));
  say(`${shown().length} / ${findings.length}`);
});

// Keys of one letter, which a reader may switch off (WCAG 2.2, 2.1.4). They are listed under "?".
const help = document.querySelector("#keys");
const toggle = help.querySelector("input");
const off = "keys-off";
const go = (step) => {
  const list = shown();
  const at = list.findIndex((finding) => finding.contains(document.activeElement));
  // From elsewhere on the page to the first or the last one.
  const next = at < 0 ? Math.min(0, step) : Math.max(0, Math.min(list.length - 1, at + step));
  list.at(next)?.querySelector("summary").focus();
};
const copyFix = () => {
  const finding = document.activeElement.closest(".finding");
  if (!finding) return;
  finding.open = true;
  finding.querySelector(".block > button")?.click();
};
const keys = { j: () => go(1), k: () => go(-1), c: copyFix, "/": () => words?.focus(), "?": () => help.showModal() };
toggle.checked = !localStorage.getItem(off);
toggle.addEventListener("change", () => toggle.checked ? localStorage.removeItem(off) : localStorage.setItem(off, "yes"));
addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (target.matches?.("input, textarea, select") || ctrlKey || metaKey || altKey || help.open) return;
  if (!Object.hasOwn(keys, key) || (key !== "?" && !toggle.checked)) return;
  event.preventDefault();
  keys[key]();
});
