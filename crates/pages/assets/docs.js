// Documentation: calls an operation from its page, and shows the widget as its options are chosen. Without this the examples are
// there to be copied, and the options have a button.

const section = document.querySelector("#try-it");

const send = async (form) => {
  const { method, path } = form.dataset;
  const query = new URLSearchParams();
  let address = path;
  for (const { name, value } of form.querySelectorAll("input[name]")) {
    if (address.includes(`{${name}}`)) address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value) query.set(name, value);
  }
  const token = form.querySelector("#token").value.trim();
  const body = form.querySelector("#body")?.value;
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { "content-type": "application/json" }) };
  const response = await fetch(`${address}?${query}`, { method, headers, body, credentials: "omit" });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json");
  return [`${response.status} ${response.statusText}`, isJson ? JSON.stringify(JSON.parse(text), null, 2) : text];
};

if (section) {
  section.hidden = false;
  const form = section.querySelector("form");
  const [outcome, shown, button] = ["#outcome", "#response", "button"].map((name) => form.querySelector(name));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const [status, text] = await send(form);
      outcome.textContent = status;
      shown.firstElementChild.textContent = text;
      shown.hidden = !text;
    } catch (error) {
      outcome.textContent = error.message;
    }
    button.disabled = false;
  });
}

const options = document.querySelector("#widget-options");
options?.addEventListener("change", () => options.requestSubmit());
