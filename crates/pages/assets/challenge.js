// Human verification: a form that spends a free audit answers a challenge first, and is then sent as usual. With proof of work
// nobody has to do anything; with a verification service its widget asks.

const BATCH = 500; // Hashes between two looks of the browser at its page.

const box = document.getElementById("verification");
const status = document.getElementById("verification-status");
const form = box.closest("form");
const button = form.querySelector("button");
const { provider, sitekey, widget, ...texts } = box.dataset;

/** What is wrong, in words for people. */
class Problem extends Error {}

let isVerified = false;
// What the widget of a verification service gave; good once.
let token = null;
let reset = () => {};

function say(text, isProblem) {
  status.textContent = text;
  status.className = text ? (isProblem ? "alert" : "note") : "";
}

async function call(path, input) {
  const response = await fetch(`/api/gate/${path}?lang=${document.documentElement.lang}`, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(input),
  });
  const answer = await response.json();
  // Where nobody can verify at the moment, the audit goes on without it.
  if (!response.ok && answer.code !== "challenge_unavailable") throw new Problem(answer.error);
  return answer;
}

async function solve({ algorithm, challenge, maxnumber, salt, signature }) {
  const encoder = new TextEncoder();
  const wanted = Number.parseInt(challenge.slice(0, 8), 16); // Enough to tell it from so few others.
  for (let first = 0; first <= maxnumber; first += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, at) => first + at);
    const digests = numbers.map((number) => crypto.subtle.digest(algorithm, encoder.encode(salt + number)));
    const at = (await Promise.all(digests)).findIndex((digest) => new DataView(digest).getUint32(0) === wanted);
    if (at >= 0) return btoa(JSON.stringify({ algorithm, challenge, number: first + at, salt, signature }));
  }
  throw new Error("no number solves the challenge");
}

async function proof() {
  if (provider === "siteverify") return { token };
  // Browsers have no Web Crypto on plain http.
  if (!globalThis.crypto?.subtle) throw new Problem(texts.insecure);
  return { solution: await solve(await call("challenge", {})) };
}

// Turnstile, hCaptcha and reCAPTCHA have the same interface.
function show() {
  const service = globalThis.turnstile ?? globalThis.hcaptcha ?? globalThis.grecaptcha;
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const forget = () => { token = null; };
  const id = service.render(document.getElementById("verification-widget"), {
    sitekey,
    theme: isDark ? "dark" : "light",
    callback: (given) => { token = given; say("", false); },
    "expired-callback": forget,
    "error-callback": () => { forget(); say(texts.unloaded, true); },
  });
  reset = () => { forget(); service.reset(id); };
}

if (provider === "siteverify") {
  globalThis.showVerification = show;
  const address = new URL(widget);
  address.searchParams.set("render", "explicit");
  address.searchParams.set("onload", "showVerification");
  const script = document.createElement("script");
  script.src = address;
  script.addEventListener("error", () => say(texts.unloaded, true));
  document.head.append(script);
}

form.addEventListener("submit", async (event) => {
  if (isVerified) return;
  event.preventDefault();
  if (button.disabled) return;
  if (provider === "siteverify" && !token) {
    say(texts.first, true);
    return;
  }
  button.disabled = true;
  say(texts.working, false);
  try {
    await call("verify", await proof());
    isVerified = true;
    say(texts.verified, false);
    form.requestSubmit();
  } catch (error) {
    say(error instanceof Problem ? error.message : texts.failed, true);
    reset();
    button.disabled = false;
  }
});

// The browser shows the page again as it was left.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  button.disabled = false;
  say("", false);
});
