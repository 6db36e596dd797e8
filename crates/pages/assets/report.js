// A report, more comfortable: the finding that an address names is open. Without this all is there to be opened by hand.

const open = () => {
  const named = document.getElementById(location.hash.slice(1));
  // A menu opens by its name alone.
  if (named instanceof HTMLDetailsElement && !named.matches(".menu")) named.open = true;
};
addEventListener("hashchange", open);
open();

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// While lab tests run, the page counts their seconds, and shows the result when one has ended. A reader who is elsewhere on
// the page gets a link to it instead.
const lab = document.querySelector("#lab[data-ended]");

const show = () => {
  const { activeElement } = document;
  if (activeElement === document.body || lab.contains(activeElement)) return location.reload();
  const link = document.createElement("a");
  link.href = location.pathname + location.search + "#lab";
  link.textContent = lab.dataset.ended;
  link.addEventListener("click", () => setTimeout(() => location.reload()));
  lab.querySelector("[role=status]").replaceChildren(link);
};

const follow = async () => {
  // The server holds its answer back until a test has ended, for 25 seconds at most.
  const answer = await fetch(location.pathname + "/lab").catch(() => null);
  const running = answer?.ok ? (await answer.json()).running : null;
  if (running !== null && running !== lab.querySelectorAll("progress").length) show();
  else setTimeout(follow, answer?.ok ? 1_000 : 10_000);
};

if (lab) {
  const opened = Date.now();
  lab.querySelectorAll("progress").forEach((bar) => {
    const [seconds, before] = [bar.parentElement.querySelector("[data-seconds]"), bar.value];
    setInterval(() => {
      const now = before + Math.floor((Date.now() - opened) / 1_000);
      [bar.value, seconds.textContent] = [now, now];
    }, 1_000);
  });
  follow();
}

// The filter acts while it is typed into; sending it does the same on the server.
const findings = [...document.querySelectorAll(".finding")];
const words = document.querySelector(".filter #q");
words?.addEventListener("input", () => {
  const wanted = words.value.toLowerCase().split(/\s+/);
  for (const finding of findings) finding.hidden = !wanted.every((word) => finding.textContent.toLowerCase().includes(word));
  said.textContent = `${findings.filter(({ hidden }) => !hidden).length} / ${findings.length}`;
});

// Keys of one letter, which a reader may switch off (WCAG 2.2, 2.1.4). They are listed under "?".
const help = document.querySelector("#keys");
const toggle = help?.querySelector("input");
const off = "keys-off";
const go = (step) => {
  const shown = findings.filter(({ hidden }) => !hidden);
  const at = shown.findIndex((finding) => finding.contains(document.activeElement));
  shown[at < 0 ? (step > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + step))]?.querySelector("summary").focus();
};
const copyFix = () => {
  const finding = document.activeElement.closest(".finding");
  if (finding) finding.open = true;
  finding?.querySelector(".block > button")?.click();
};
const keys = { j: () => go(1), k: () => go(-1), c: copyFix, "/": () => words?.focus(), "?": () => help.showModal() };
if (help) {
  toggle.checked = !localStorage.getItem(off);
  toggle.addEventListener("change", () => toggle.checked ? localStorage.removeItem(off) : localStorage.setItem(off, "yes"));
  addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("input, textarea, select");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key !== "?" && !toggle.checked) return;
    const act = Object.hasOwn(keys, event.key) && keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
