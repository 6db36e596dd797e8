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
