// Every page: reports errors of scripts and that a payment prompt was seen to its own server, and offers to copy what is to be
// pasted. Without this it works the same. Other scripts of pages take `call` and `say` from here.

/** Our API's response to a call, and its JSON. */
export const call = async (path, input, headers) => {
  const response = await fetch(`/api/${path}?lang=${document.documentElement.lang}`, {
    method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(input),
  });
  return [response, await response.json()];
};

// Of one page view: an error in a loop is told by its first reports.
const most = 10;
let sent = 0;

const report = (code, { message, stack, ...fields }) => {
  if (sent++ >= most) return;
  const cut = (text, length) => String(text ?? "").slice(0, length);
  // A page that is being left still sends it.
  navigator.sendBeacon("/api/erro-cliente", JSON.stringify({
    code,
    phase: document.readyState === "complete" ? "run" : "load",
    path: location.pathname,
    ...fields,
    message: cut(message, 2000),
    stack: cut(stack, 12000),
    visivel: document.visibilityState === "visible",
  }));
};

addEventListener("error", ({ target, message, filename: source, lineno: line, colno: column, error }) => {
  // A file of the page that did not load: such events don't bubble.
  if (target instanceof Element) report("UI-RECURSO-001", { message: target.localName, source: target.src ?? target.href });
  else report("UI-JS-001", { message, source, line, column, stack: error?.stack });
}, true);

addEventListener("unhandledrejection", ({ reason }) => {
  report("UI-PROMESSA-001", { message: reason?.message ?? reason, stack: reason?.stack });
});

// A form that was sent is not sent twice by a second click, until the page is left or shown again.
addEventListener("submit", (event) => {
  const { method, dataset } = event.target;
  if (event.defaultPrevented || method !== "post" || "again" in dataset) return;
  if (dataset.sent) event.preventDefault();
  dataset.sent = "yes";
});
addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach((form) => delete form.dataset.sent));

// A running site audit: its figures are updated, and its report is loaded.
const figures = document.querySelector("[data-progress]");
if (figures) {
  const renew = async () => {
    const text = await fetch(location.href).then((answer) => (answer.ok ? answer.text() : ""), () => "");
    // The policy of pages lets no script parse HTML.
    const [, max, value, words] = text.match(/<progress\smax=.(\d+).\svalue=.(\d+)[^]*?data-progress>([^<]+)/) ?? [];
    if (text && !words) return location.reload();
    if (words) {
      Object.assign(document.querySelector("progress"), { max, value });
      figures.textContent = words;
    }
    setTimeout(renew, 5_000);
  };
  setTimeout(renew, 5_000);
}

const prompt = document.querySelector("[data-payment]");
if (prompt) {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    // The page works without it.
    fetch("/api/pagamento/aberto", { method: "POST", headers: { "X-MM-Payment-View": "1" }, keepalive: true })
      .then((answer) => answer.text()).catch(() => {});
  });
  seen.observe(prompt);
}

const names = document.querySelector("script[data-copy]").dataset;

const status = document.createElement("p");
status.className = "hidden";
status.role = "status";
document.querySelector("main").append(status);

/** Tells readers who can't see the page what a script has changed. */
export const say = (text) => { status.textContent = text; };

// Browsers give no clipboard to pages on plain http.
if (navigator.clipboard) {
  for (const block of document.querySelectorAll(".block")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.textContent = names.copy;
    block.append(button);
  }
  for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
}
addEventListener("click", async ({ target: button }) => {
  if (!button.matches?.("[data-copies], .block > button")) return;
  const block = document.getElementById(button.dataset.copies) ?? button.parentElement;
  button.dataset.name ??= button.textContent;
  // Of a change only what comes is pasted.
  const taken = block.querySelector("ins") ?? block.querySelector("pre") ?? block;
  let done = names.copied;
  try {
    await navigator.clipboard.writeText(taken.textContent);
  } catch {
    // The browser refuses: the text is shown and selected, to be copied by its reader.
    taken.closest("details")?.toggleAttribute("open", true);
    // With what the page leaves out of it.
    taken.textContent += "";
    getSelection().selectAllChildren(taken);
    done = names.selected;
  }
  say(button.textContent = done);
  button.addEventListener("blur", () => { button.textContent = button.dataset.name; say(""); }, { once: true });
});
