// A report, more comfortable: what is to be pasted has a button that copies it, and the finding that an address names is
// open. Without this all is there to be read, opened and marked by hand.

const { copy, copied } = document.querySelector("script[data-copy]").dataset;

const said = document.createElement("p");
said.className = "hidden";
said.setAttribute("role", "status");
document.querySelector("main").append(said);

const offer = (block) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second small";
  button.textContent = copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent);
    button.textContent = said.textContent = copied;
    const forget = () => [button.textContent, said.textContent] = [copy, ""];
    button.addEventListener("blur", forget, { once: true });
  });
  block.append(button);
};

// Browsers give no clipboard to pages on plain http.
if (navigator.clipboard) document.querySelectorAll(".block").forEach(offer);

const open = () => {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
};
addEventListener("hashchange", open);
open();

// While a lab test runs, the page shows how far it is. Not while somebody uses it.
const reload = () => {
  if (document.hidden || document.activeElement !== document.body) setTimeout(reload, 10_000);
  else location.reload();
};
if (document.querySelector("#lab[data-running]")) setTimeout(reload, 10_000);
