// The widget: audits what is typed as any visitor may, and shows score, counts and the most urgent findings. What comes from
// outside is only ever text of an element or the value of a field.

const SHOWN = 3; // Findings; all are in the full report.
const RING = 339.29; // Length of the ring's circle of radius 54.
const RING_CAP = 4; // The rounded ends of the arc reach so much further.

const root = document.documentElement;
const at = (id) => document.getElementById(id);
const [form, field, status, result, ring, full] = ["form", "url", "status", "result", "ring", "full"].map(at);
const button = form.querySelector("button");

// Owns the audits of this visit, so that the full report can be opened. Lives as long as the page does.
let token = null;

async function call(path, input) {
  const headers = { "content-type": "application/json" };
  if (token) headers["x-guest-token"] = token;
  const response = await fetch(`${path}?lang=${root.lang}`, {
    method: "POST", credentials: "omit", referrerPolicy: "same-origin", headers, body: JSON.stringify(input),
  });
  return { code: response.status, answer: await response.json() };
}

function say(text, isProblem) {
  status.textContent = text;
  status.className = text ? (isProblem ? "alert" : "note") : "";
  if (isProblem) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

function finding({ severity, message }) {
  const item = document.createElement("li");
  const mark = document.createElement("span");
  const word = document.createElement("b");
  item.className = severity;
  mark.className = "mark";
  mark.setAttribute("aria-hidden", "true");
  word.className = "word";
  word.textContent = result.dataset[severity];
  item.append(mark, " ", word, ` ${message}`);
  return item;
}

function show(audit) {
  const { score, counts, issues } = audit;
  const { good, fair } = result.dataset;
  ring.className = `ring ${score >= good ? "good" : score >= fair ? "warn" : "bad"}`;
  ring.setAttribute("aria-label", `${form.dataset.score} ${score} ${form.dataset.of}`);
  const arc = ring.querySelector(".arc");
  const length = score === 100 ? RING : Math.max(0, (score / 100) * RING - RING_CAP);
  arc.setAttribute("stroke-dasharray", `${length} ${RING}`);
  arc.style.display = score > 0 ? "" : "none";
  ring.querySelector(".number").textContent = score;
  for (const [id, count] of [["errors", counts.errors], ["warnings", counts.warnings], ["infos", counts.info]]) {
    const name = at(id).nextElementSibling;
    at(id).textContent = count;
    name.textContent = count === 1 ? name.dataset.one : name.dataset.more;
  }
  const urgent = audit.fixFirst.map((code) => issues.find((issue) => issue.code === code));
  const others = issues.filter((issue) => !urgent.includes(issue));
  at("findings").replaceChildren(...[...urgent, ...others].slice(0, SHOWN).map(finding));
  at("verdict").hidden = audit.searchable?.state !== "no";
  at("verdict").textContent = audit.searchable?.text ?? "";
  full.hidden = !(audit.id && token);
  if (!full.hidden) {
    full.action = `/reports/${audit.id}?lang=${root.lang}`;
    full.elements.guest_token.value = token;
  }
  result.hidden = false;
}

async function audit() {
  const typed = field.value.trim();
  if (!token) {
    // Without one the audit is nobody's: it is shown all the same, but can't be opened again.
    const guest = await call("/api/guest", {});
    token = guest.answer.token ?? null;
  }
  const { code, answer } = await call("/api/audit", { url: typed.includes("://") ? typed : `https://${typed}` });
  if (code === 200) {
    show(answer);
    say(`${form.dataset.score} ${answer.score} ${form.dataset.of}`, false);
  } else if (code === 402) {
    say(form.dataset.spent, true);
  } else {
    say([answer.error, answer.detail].filter(Boolean).join(" "), true);
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  button.disabled = true;
  result.hidden = true;
  say(form.dataset.running, false);
  try {
    await audit();
  } catch {
    say(form.dataset.failed, true);
  }
  button.disabled = false;
});

new ResizeObserver(() => parent.postMessage({ type: "size", h: root.getBoundingClientRect().height }, "*")).observe(root);
