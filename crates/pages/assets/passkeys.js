// Passkeys: asks the authenticator what a form of the page is for, and tells our API what it answered.

const problem = document.querySelector("#problem");

const call = async (form, path, body) => {
  const response = await fetch(`/api/auth/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-csrf-token": form.elements.csrf.value },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
};

const add = async (form) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await call(form, "passkeys/options", {}));
  const credential = await navigator.credentials.create({ publicKey });
  await call(form, "passkeys/add", { name: form.elements.name.value, credential: credential.toJSON() });
  location.search = `?done=passkey_added&lang=${document.documentElement.lang}`;
};

const use = async (form) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await call(form, "passkey/options", {}));
  const credential = await navigator.credentials.get({ publicKey });
  await call(form, "passkey/verify", credential.toJSON());
  location.assign(form.dataset.wayOn);
};

for (const [name, work] of [["#add-passkey", add], ["#use-passkey", use]]) {
  const form = document.querySelector(name);
  if (!form) continue;
  form.hidden = !window.PublicKeyCredential?.parseCreationOptionsFromJSON;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    const button = form.querySelector("button");
    button.disabled = true;
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
