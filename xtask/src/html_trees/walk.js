// Writes the tree of a document in the form of dump_with_mode (crates/html/tests/it/dump.rs).

// Characters past which the parser begins another text node.
const LONGEST_TEXT = 65536;
const PREFIXES = new Map([
  ["http://www.w3.org/1999/xhtml", ""],
  ["http://www.w3.org/2000/svg", "svg "],
  ["http://www.w3.org/1998/Math/MathML", "math "],
]);

function dump(document) {
  const lines = [document.compatMode === "BackCompat" ? "quirks" : "no quirks"];
  const waiting = [];
  const line = (level, text) => lines.push(`| ${"  ".repeat(level)}${text}`);
  const pushChildren = (parent, level) => {
    for (let child = parent.lastChild; child !== null; child = child.previousSibling) {
      waiting.push({ node: child, level });
    }
  };
  pushChildren(document, 0);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, level, label } = next;
    switch (node.nodeType) {
      case Node.ELEMENT_NODE: {
        line(level, `<${PREFIXES.get(node.namespaceURI)}${node.localName}>`);
        const attribute = ({ prefix, localName, value }) => `${prefix === null ? "" : `${prefix} `}${localName}="${value}"`;
        [...node.attributes].map(attribute).sort().forEach((text) => line(level + 1, text));
        break;
      }
      case Node.TEXT_NODE: {
        let text = node.data;
        let last = node;
        while (last.data.length >= LONGEST_TEXT && waiting.at(-1)?.node === last.nextSibling && last.nextSibling?.nodeType === Node.TEXT_NODE) {
          last = waiting.pop().node;
          text += last.data;
        }
        line(level, `"${text}"`);
        break;
      }
      case Node.COMMENT_NODE:
        line(level, `<!-- ${node.data} -->`);
        break;
      case Node.PROCESSING_INSTRUCTION_NODE:
        line(level, `<?${node.target} ${node.data}?>`);
        break;
      case Node.DOCUMENT_TYPE_NODE: {
        const identifiers = node.publicId === "" && node.systemId === "" ? "" : ` "${node.publicId}" "${node.systemId}"`;
        line(0, `<!DOCTYPE ${node.name}${identifiers}>`);
        break;
      }
      case Node.DOCUMENT_FRAGMENT_NODE:
        line(level, label);
        break;
    }
    pushChildren(node, level + 1);
    if (node.content?.nodeType === Node.DOCUMENT_FRAGMENT_NODE) {
      waiting.push({ node: node.content, level: level + 1, label: "content" });
    }
    if (node.shadowRoot) {
      waiting.push({ node: node.shadowRoot, level: level + 1, label: "#shadow-root" });
    }
  }
  return lines.join("\n") + "\n";
}
