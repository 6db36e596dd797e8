// Human verification: a form that spends a free audit answers a challenge first, and is then sent as usual. With proof of work
// nobody has to do anything; with a verification service its widget asks.

import { call } from "page.js";

// Hashes between two looks of the browser at its page.
const BATCH = 500;

const box = document.getElementById("verification");
const status = box.querySelector("[role]");
const form = box.closest("form");
const button = form.querySelector("button");
const { provider, sitekey, widget, ...texts } = box.dataset;
const isService = provider === "siteverify";

/** What is wrong, in words for people. */
class Problem extends Error {}

let isVerified = false;
// What the widget of a verification service gave; good once.
let token = null;
let reset = () => {};

const say = (text, kind = "note") => {
  status.textContent = text;
  status.className = text && kind;
};

const gate = async (path, input) => {
  const [{ ok }, answer] = await call(`gate/${path}`, input);
  // Where nobody can verify at the moment, the audit goes on without it.
  if (!ok && answer.code !== "challenge_unavailable") throw new Problem(answer.error);
  return answer;
};

const solve = async ({ algorithm, challenge, maxnumber, salt, signature }) => {
  const encoder = new TextEncoder();
  // Enough to tell it from so few others.
  const wanted = Number.parseInt(challenge.slice(0, 8), 16);
  for (let first = 0; first <= maxnumber; first += BATCH) {
    const digests = Array.from({ length: BATCH }, (_, at) => crypto.subtle.digest(algorithm, encoder.encode(salt + (first + at))));
    const at = (await Promise.all(digests)).findIndex((digest) => new DataView(digest).getUint32(0) === wanted);
    if (at >= 0) return btoa(JSON.stringify({ algorithm, challenge, number: first + at, salt, signature }));
  }
  throw new Error("no solution");
};

const proof = async () => {
  if (isService) return { token };
  // Browsers have no Web Crypto on plain http.
  if (!globalThis.crypto?.subtle) throw new Problem(texts.insecure);
  return { solution: await solve(await gate("challenge", {})) };
};

if (isService) {
  // Turnstile, hCaptcha and reCAPTCHA have the same interface.
  globalThis.showVerification = () => {
    const service = globalThis.turnstile ?? globalThis.hcaptcha ?? globalThis.grecaptcha;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const forget = () => { token = null; };
    const id = service.render(box.querySelector("div"), {
      sitekey,
      theme: document.documentElement.dataset.theme ?? system,
      callback: (given) => { token = given; say(""); },
      "expired-callback": forget,
      "error-callback": () => { forget(); say(texts.unloaded, "alert"); },
    });
    reset = () => { forget(); service.reset(id); };
  };
  const script = document.createElement("script");
  const address = new URL(widget);
  address.searchParams.set("render", "explicit");
  address.searchParams.set("onload", "showVerification");
  script.src = address;
  script.addEventListener("error", () => say(texts.unloaded, "alert"));
  document.head.append(script);
}

form.addEventListener("submit", async (event) => {
  // A price spends nothing.
  if (isVerified || event.submitter?.value === "price") return;
  event.preventDefault();
  if (button.disabled) return;
  if (isService && !token) return say(texts.first, "alert");
  button.disabled = true;
  say(texts.working);
  try {
    await gate("verify", await proof());
    isVerified = true;
    say(texts.verified);
    // A button that is disabled is not sent.
    button.disabled = false;
    form.requestSubmit(event.submitter);
  } catch (error) {
    say(error instanceof Problem ? error.message : texts.failed, "alert");
    reset();
    button.disabled = false;
  }
});

// The browser shows the page again as it was left.
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  button.disabled = false;
  say("");
});
