// A report, more comfortable: what is to be pasted has a button that copies it, and the finding that an address names is
// open. Without this all is there to be read, opened and marked by hand.

const { copy, copied } = document.querySelector("script[data-copy]").dataset;

const said = document.createElement("p");
said.className = "hidden";
said.setAttribute("role", "status");
document.querySelector("main").append(said);

// Of a change only what comes is pasted.
const textOf = (block) => (block.querySelector("ins") ?? block.querySelector("pre")).textContent;

const copies = (button, block) => button.addEventListener("click", async () => {
  const name = button.textContent;
  await navigator.clipboard.writeText(textOf(block));
  button.textContent = said.textContent = copied;
  const forget = () => [button.textContent, said.textContent] = [name, ""];
  button.addEventListener("blur", forget, { once: true });
});

const offer = (block) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small";
  button.textContent = copy;
  copies(button, block);
  block.append(button);
};

// Browsers give no clipboard to pages on plain http.
if (navigator.clipboard) {
  document.querySelectorAll(".block").forEach(offer);
  for (const button of document.querySelectorAll("[data-copies]")) {
    copies(button, document.getElementById(button.dataset.copies));
    button.hidden = false;
  }
}

const open = () => {
  const named = document.getElementById(location.hash.slice(1));
  // A menu opens by its name alone.
  if (named instanceof HTMLDetailsElement && !named.matches(".menu")) named.open = true;
};
addEventListener("hashchange", open);
open();

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
