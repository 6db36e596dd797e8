// Puts the widget after the script element that loads this, and makes it as high as it needs to be.
(() => {
  const script = document.currentScript;
  if (!script) return;
  const { origin } = new URL(script.src);
  const options = new URLSearchParams();
  for (const name of ["brand", "color", "theme", "url", "lang"]) {
    if (script.dataset[name]) options.set(name, script.dataset[name]);
  }
  const frame = document.createElement("iframe");
  frame.src = `${origin}/embed?${options}`;
  frame.title = script.dataset.brand || "Site Audit";
  frame.style.cssText = "border: 0; display: block; width: 100%; min-width: 240px; max-width: 640px; height: 220px";
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || event.origin !== origin) return;
    const { type, h } = event.data ?? {};
    // Higher than any result is, and no site wants more.
    if (type === "size" && Number.isFinite(h) && h > 0 && h < 5000) frame.style.height = `${Math.ceil(h)}px`;
  });
  script.after(frame);
})();
