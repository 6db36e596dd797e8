// Every page: reports errors of scripts and that a payment prompt was seen to its own server, and offers to copy what is to be
// pasted. Without this it works the same.

const errorsPath = "/api/erro-cliente";
// Of one page view: an error in a loop is told by its first reports.
const most = 10;
let sent = 0;

const report = (code, fields) => {
  if (sent >= most) return;
  sent += 1;
  const cut = (text, length) => String(text ?? "").slice(0, length);
  const body = JSON.stringify({
    code,
    phase: document.readyState === "complete" ? "run" : "load",
    path: location.pathname,
    ...fields,
    message: cut(fields.message, 2000),
    stack: cut(fields.stack, 12000),
    visivel: document.visibilityState === "visible",
  });
  // A page that is being left still sends it.
  navigator.sendBeacon(errorsPath, body);
};

addEventListener("error", (event) => {
  if (event instanceof ErrorEvent) {
    const { message, filename: source, lineno: line, colno: column, error } = event;
    report("UI-JS-001", { message, source, line, column, stack: error?.stack });
  } else if (event.target instanceof Element) {
    // A file of the page that did not load; such events don't bubble.
    const source = event.target.src ?? event.target.href;
    report("UI-RECURSO-001", { message: event.target.localName, source });
  }
}, true);

addEventListener("unhandledrejection", ({ reason }) => {
  report("UI-PROMESSA-001", { message: reason?.message ?? reason, stack: reason?.stack });
});

// A form that was sent is not sent twice by a second click, until the page is left or shown again.
addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || "again" in form.dataset) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "yes";
});
addEventListener("pageshow", () => document.querySelectorAll("[data-sent]").forEach((form) => delete form.dataset.sent));

const prompt = document.querySelector("[data-payment]");
if (prompt) {
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    const headers = { "X-MM-Payment-View": "1" };
    // The page works without it.
    fetch("/api/pagamento/aberto", { method: "POST", headers, keepalive: true }).catch(() => {});
  });
  seen.observe(prompt);
}

const { copy, copied } = document.querySelector("script[data-copy]").dataset;

const blocks = document.querySelectorAll(".block");
const said = document.createElement("p");
said.className = "hidden";
said.setAttribute("role", "status");
if (blocks.length) document.querySelector("main").append(said);

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
  blocks.forEach(offer);
  for (const button of document.querySelectorAll("[data-copies]")) {
    copies(button, document.getElementById(button.dataset.copies));
    button.hidden = false;
  }
}
