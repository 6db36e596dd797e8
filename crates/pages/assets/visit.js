// Reports that a page is seen, once it is visible, and nothing of who sees it. The server has counted a page that it sent
// itself, so the id of that request goes along; a page from the browser's cache has none.

const report = (id) =>
  fetch("/api/visit", {
    method: "POST",
    keepalive: true,
    credentials: "omit",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ p: location.pathname, id }),
    // Until its body is read the browser counts the request as open, and the page as still loading.
  }).then((answer) => answer.text()).catch(() => {});

const whenVisible = (id) => {
  const look = () => {
    if (document.visibilityState !== "visible") return;
    document.removeEventListener("visibilitychange", look);
    report(id);
  };
  document.addEventListener("visibilitychange", look);
  look();
};

const [entry] = performance.getEntriesByType("navigation");
// Without Server-Timing a browser can't tell which request it was: the server's own count stands.
if (entry?.serverTiming) {
  const view = entry.serverTiming.find(({ name }) => name === "view");
  whenVisible(entry.transferSize > 0 ? view?.description : undefined);
}
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) whenVisible();
});
