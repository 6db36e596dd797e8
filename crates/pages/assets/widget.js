// The widget: audits what is typed as any visitor may, and shows score, counts and the most urgent findings. What comes from
// outside is only ever text of an element or the value of a field.

// Findings; all are in the full report.
const SHOWN = 3;

const root = document.documentElement;
const at = (id) => document.getElementById(id);
const [form, field, status, result, verdict, full] = ["form", "url", "status", "result", "verdict", "full"].map(at);
const button = form.querySelector("button");

// Owns the audits of this visit, so that the full report can be opened. Lives as long as the page does.
let token = null;

const call = async (path, input) => {
  const headers = { "content-type": "application/json", ...(token && { "x-guest-token": token }) };
  const response = await fetch(`/api/${path}?lang=${root.lang}`, {
    method: "POST", credentials: "omit", referrerPolicy: "same-origin", headers, body: JSON.stringify(input),
  });
  return [response.status, await response.json()];
};

const say = (text, isProblem) => {
  status.textContent = text;
  status.className = isProblem ? "alert" : "note";
  field.ariaInvalid = isProblem ? "true" : null;
};

const element = (name, fields) => Object.assign(document.createElement(name), fields);

const finding = ({ severity, message }) => {
  const item = element("li", { className: severity });
  const word = element("b", { className: "word", textContent: result.dataset[severity] });
  item.append(element("span", { className: "mark", ariaHidden: "true" }), " ", word, ` ${message}`);
  return item;
};

const show = (audit) => {
  const { score, counts, issues } = audit;
  at("score").firstChild.textContent = score;
  for (const [id, count] of Object.entries(counts)) {
    const name = at(id).nextElementSibling;
    at(id).textContent = count;
    name.textContent = name.dataset[count === 1 ? "one" : "more"];
  }
  const urgent = audit.fixFirst.map((code) => issues.find((issue) => issue.code === code));
  const others = issues.filter((issue) => !urgent.includes(issue));
  at("findings").replaceChildren(...[...urgent, ...others].slice(0, SHOWN).map(finding));
  verdict.hidden = audit.searchable?.state !== "no";
  verdict.textContent = audit.searchable?.text;
  full.hidden = !(audit.id && token);
  if (!full.hidden) {
    full.action = `/reports/${audit.id}?lang=${root.lang}`;
    full.elements.guest_token.value = token;
  }
  result.hidden = false;
  say(`${form.dataset.score} ${score} ${form.dataset.of}`);
};

const audit = async () => {
  const typed = field.value.trim();
  if (!token) {
    // Without one the audit is nobody's: it is shown all the same, but can't be opened again.
    const [, guest] = await call("guest", {});
    token = guest.token ?? null;
  }
  const [code, answer] = await call("audit", { url: typed.includes("://") ? typed : `https://${typed}` });
  if (code === 200) show(answer);
  else say(code === 402 ? form.dataset.spent : [answer.error, answer.detail].filter(Boolean).join(" "), true);
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  button.disabled = true;
  result.hidden = true;
  say(form.dataset.running);
  try {
    await audit();
  } catch {
    say(form.dataset.failed, true);
  }
  button.disabled = false;
});

new ResizeObserver(() => parent.postMessage({ type: "size", h: root.getBoundingClientRect().height }, "*")).observe(root);
