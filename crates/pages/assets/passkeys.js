// Passkeys: asks the authenticator what a form of the page is for, and tells our API what it answered.

import { call } from "page.js";

const problem = document.querySelector("#problem");

const auth = async ({ elements: { csrf } }, path, input) => {
  const [{ ok }, answer] = await call(`auth/${path}`, input, { "x-csrf-token": csrf.value });
  if (!ok) throw new Error(answer.error);
  return answer;
};

const add = async (form) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await auth(form, "passkeys/options", {}));
  const credential = await navigator.credentials.create({ publicKey });
  await auth(form, "passkeys/add", { name: form.elements.name.value, credential: credential.toJSON() });
  location.search = `?done=passkey_added&lang=${document.documentElement.lang}`;
};

const use = async (form) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await auth(form, "passkey/options", {}));
  const credential = await navigator.credentials.get({ publicKey });
  await auth(form, "passkey/verify", credential.toJSON());
  location.assign(form.dataset.wayOn);
};

for (const [name, work] of [["#add-passkey", add], ["#use-passkey", use]]) {
  const form = document.querySelector(name);
  if (!form) continue;
  form.hidden = !window.PublicKeyCredential?.parseCreationOptionsFromJSON;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    problem.hidden = button.disabled = true;
    try {
      await work(form);
    } catch (error) {
      // What the browser says of its own refusals is for programmers; ours is for people.
      problem.textContent = error instanceof DOMException ? problem.dataset.refused : error.message;
      problem.hidden = false;
    }
    button.disabled = false;
  });
}
