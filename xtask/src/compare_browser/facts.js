// What a page declares, from the DOM that the browser built, in the shape and by the definitions of our summary
// ("Page facts"). Handed over as the parser ends.

const spaces = /\p{White_Space}+/gu;
const collapsed = (text) => text.replace(spaces, " ").replace(/^ | $/g, "");
const lowered = (text) => text?.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "").replace(/[A-Z]/g, (c) => c.toLowerCase());
// By the prototype, because a form or an image of that name would hide the document's own method.
const all = (name) =>
  [...Document.prototype.getElementsByTagNameNS.call(document, "http://www.w3.org/1999/xhtml", name)];
const texts = (elements) => elements.map((element) => collapsed(element.textContent));
const content = (element) => element.hasAttribute("content") ? collapsed(element.getAttribute("content")) : null;

const metas = (name) => all("meta").filter((meta) => lowered(meta.getAttribute("name")) === name);
const filled = (name) => metas(name).map(content).find(Boolean) ?? null;

function robots() {
  const contents = metas("robots").map(content).filter((text) => text !== null);
  return contents.length ? contents.join(", ") : null;
}

function social(prefix) {
  const found = new Map();
  for (const meta of all("meta")) {
    const property = lowered(meta.getAttribute("property"));
    const keys = property?.split(/[\t\n\f\r ]+/) ?? [lowered(meta.getAttribute("name"))];
    for (const key of keys) {
      if (key?.startsWith(prefix) && content(meta) !== null && !found.has(key)) found.set(key, content(meta));
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// As written where it is no URL, or names none.
function canonical() {
  const rels = (link) => lowered(link.getAttribute("rel") ?? "").split(/[\t\n\f\r ]+/);
  const link = all("link").find((link) => link.hasAttribute("href") && rels(link).includes("canonical"));
  const written = link?.getAttribute("href").replace(/^[\0- ]+|[\0- ]+$/g, "");
  return written ? URL.parse(link.href)?.href ?? written : written ?? null;
}

function links() {
  const anchors = all("a").filter((anchor) => anchor.hasAttribute("href"));
  const web = anchors.map((anchor) => URL.parse(anchor.href)).filter((url) => /^https?:$/.test(url?.protocol));
  const internal = web.filter((url) => url.hostname === location.hostname).length;
  return { total: anchors.length, internal, external: web.length - internal };
}

// Every element with its depth, attributes in lower case (as our tree has those of SVG too) and own text.
function tree() {
  const lines = [];
  const walk = (node, depth) => {
    for (const element of node.children) {
      const attributes = [...element.attributes].map(({ name, value }) => ` ${name.toLowerCase()}=${value}`).join("");
      const text = [...element.childNodes].map((child) => (child.nodeType === Node.TEXT_NODE ? child.data : "")).join("");
      lines.push(`${depth} ${element.localName}${attributes} > ${text}`);
      walk(element, depth + 1);
    }
  };
  walk(document, 0);
  return lines;
}

function facts() {
  const titles = all("title");
  const images = all("img");
  const scripts = all("script");
  const isData = (script) => lowered(script.getAttribute("type")?.split(";")[0]) === "application/ld+json";
  return {
    title: texts(titles)[0] ?? null,
    titles: titles.length,
    metaDescription: filled("description"),
    canonical: canonical(),
    robots: robots(),
    viewport: filled("viewport"),
    lang: document.documentElement.hasAttribute("lang") ? collapsed(document.documentElement.lang) : null,
    charset: document.characterSet,
    h1s: texts(all("h1")),
    headings: Object.fromEntries(["h1", "h2", "h3", "h4", "h5", "h6"].map((level) => [level, all(level).length])),
    images: { total: images.length, withoutAlt: images.filter((image) => !image.hasAttribute("alt")).length },
    links: links(),
    jsonLdBlocks: scripts.filter(isData).length,
    scripts: { total: scripts.length },
    openGraph: social("og:"),
    twitter: social("twitter:"),
    tree: tree(),
  };
}

if (window === window.top && location.protocol === "http:") {
  addEventListener("DOMContentLoaded", () => handOver(JSON.stringify(facts())));
}
