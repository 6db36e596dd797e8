//! Pages as Markdown, by content negotiation (`Accept: text/markdown`): the content of `main`, with absolute links.
//! Converted from the HTML of the page, so that every page has it.

use api::request::{language, wish};
use api::response::{conditional, refusal};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use html::{Kind, NodeId, Tree};
use http::{HeaderMap, HeaderValue, Method, header};
use url::Url;

use service::Services;
use service::blocking::off_worker;
use service::error::{Code, ServiceError};

/// Bytes of a page of ours at most: a report of a megabyte, as HTML.
const PAGE_BYTES: usize = 16 * 1024 * 1024;
/// Elements without a meaning in text.
const SILENT: [&str; 13] = [
    "script", "style", "template", "svg", "noscript", "input", "button", "select", "textarea", "label", "iframe",
    "object", "canvas",
];
/// Block elements.
const BLOCKS: [&str; 26] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "details",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "ul",
    "h1",
    "h2",
];

/// Answers with Markdown where the caller prefers it to HTML.
pub(crate) async fn negotiate(State(services): State<Services>, request: Request, next: Next) -> Response {
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_wanted = is_reading && prefers_markdown(request.headers());
    let address = is_wanted.then(|| Url::parse(&services.url(&request.uri().to_string())));
    let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
    let mut response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/html")) {
        return response;
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    let Some(Ok(address)) = address else { return response };
    let (mut parts, body) = response.into_parts();
    let made = match to_bytes(body, PAGE_BYTES).await {
        Ok(page) => off_worker(move || of_page(&String::from_utf8_lossy(&page), &address)).await,
        Err(_) => Err(ServiceError::new(Code::Internal)),
    };
    let text = match made {
        Ok(text) => text,
        Err(error) => return refusal(&error, lang, services.is_https()),
    };
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/markdown; charset=utf-8"));
    parts.headers.remove(header::CONTENT_LENGTH);
    if parts.headers.remove(header::ETAG).is_some() {
        parts.headers.extend(conditional::name(text.as_bytes()));
    }
    Response::from_parts(parts, Body::from(text))
}

fn prefers_markdown(headers: &HeaderMap) -> bool {
    let wanted = wish(headers, "text/markdown");
    wanted > 0 && wanted >= wish(headers, "text/html")
}

/// The `main` of a page as Markdown. `address`: the base of its links.
fn of_page(page: &str, address: &Url) -> String {
    let tree = html::parse(page.to_owned(), &html::Options::default());
    let main = tree.descendants(NodeId::DOCUMENT).find(|id| tree.is(*id, "main")).unwrap_or(NodeId::DOCUMENT);
    let mut writer = HtmlWriter { tree: &tree, address, blocks: Vec::new() };
    writer.blocks_of(main, "");
    writer.blocks.join("\n\n") + "\n"
}

struct HtmlWriter<'t> {
    tree: &'t Tree,
    address: &'t Url,
    blocks: Vec<String>,
}

impl HtmlWriter<'_> {
    /// Writes what an element holds, as blocks whose lines begin with `indent`. A tree has bounded depth, so this may
    /// call itself.
    fn blocks_of(&mut self, parent: NodeId, indent: &str) {
        let mut line = String::new();
        for child in self.tree.children(parent) {
            if self.is_block(child) {
                self.paragraph(&mut line, indent);
                self.block(child, indent);
            } else {
                self.inline(child, &mut line);
            }
        }
        self.paragraph(&mut line, indent);
    }

    fn is_block(&self, id: NodeId) -> bool {
        let name = self.tree.name(id);
        self.tree.kind(id) == Kind::Element
            && !self.is_silent(id)
            && (BLOCKS.contains(&name) || heading(name).is_some() || name == "li")
    }

    fn is_silent(&self, id: NodeId) -> bool {
        let is = |name: &str, wanted: &str| self.tree.attribute(id, name).is_some_and(|found| found.value() == wanted);
        SILENT.contains(&self.tree.name(id)) || is("aria-hidden", "true") || self.tree.attribute(id, "hidden").is_some()
    }

    fn paragraph(&mut self, line: &mut String, indent: &str) {
        let text = std::mem::take(line);
        let text = text.trim();
        if !text.is_empty() {
            self.blocks.push(format!("{indent}{text}"));
        }
    }

    fn block(&mut self, id: NodeId, indent: &str) {
        let name = self.tree.name(id);
        if let Some(level) = heading(name) {
            let text = self.line(id);
            if !text.is_empty() {
                self.blocks.push(format!("{indent}{} {text}", "#".repeat(level)));
            }
            return;
        }
        match name {
            "ul" | "ol" => self.list(id, indent, name == "ol"),
            "pre" => {
                let code = self.text(id);
                let fence = fence(&code);
                let lines = code.trim_end().lines().map(|line| format!("{indent}{line}"));
                let code = lines.collect::<Vec<_>>().join("\n");
                self.blocks.push(format!("{indent}{fence}\n{code}\n{indent}{fence}"));
            }
            "table" => self.table(id, indent),
            "summary" => {
                let text = self.line(id);
                if !text.is_empty() {
                    self.blocks.push(format!("{indent}**{text}**"));
                }
            }
            "blockquote" => self.blocks_of(id, &format!("{indent}> ")),
            "hr" => self.blocks.push(format!("{indent}---")),
            _ => self.blocks_of(id, indent),
        }
    }

    /// A list as one block: one line for each item, nested blocks below it.
    fn list(&mut self, list: NodeId, indent: &str, is_ordered: bool) {
        let mut lines: Vec<String> = Vec::new();
        let items = self.tree.children(list).filter(|id| self.tree.is(*id, "li"));
        for (number, item) in items.enumerate() {
            let mark = if is_ordered { format!("{}. ", number + 1) } else { "- ".to_owned() };
            let inner = format!("{indent}{}", " ".repeat(mark.len()));
            let before = std::mem::take(&mut self.blocks);
            self.blocks_of(item, &inner);
            let own = std::mem::replace(&mut self.blocks, before);
            let text = own.join("\n");
            let text = text.strip_prefix(inner.as_str()).unwrap_or(&text);
            if !text.trim().is_empty() {
                lines.push(format!("{indent}{mark}{text}"));
            }
        }
        if !lines.is_empty() {
            self.blocks.push(lines.join("\n"));
        }
    }

    fn table(&mut self, table: NodeId, indent: &str) {
        let rows: Vec<Vec<String>> = self
            .tree
            .descendants(table)
            .filter(|id| self.tree.is(*id, "tr"))
            .map(|row| {
                let cells = self.tree.children(row).filter(|id| self.tree.is(*id, "td") || self.tree.is(*id, "th"));
                cells.map(|cell| self.line(cell)).collect()
            })
            .collect();
        let Some(columns) = rows.iter().map(Vec::len).max().filter(|columns| *columns > 0) else { return };
        let has_head = self.tree.descendants(table).any(|id| self.tree.is(id, "thead"));
        let row = |cells: &[String]| {
            let filled = (0..columns).map(|column| cells.get(column).map_or("", String::as_str));
            format!("{indent}| {} |", filled.collect::<Vec<_>>().join(" | "))
        };
        let (head, body) = match rows.split_first() {
            Some((head, body)) if has_head => (head.clone(), body),
            // Markdown has no table without a head.
            _ => (Vec::new(), rows.as_slice()),
        };
        let rule = format!("{indent}|{}", "---|".repeat(columns));
        let lines = [row(&head), rule].into_iter().chain(body.iter().map(|cells| row(cells)));
        self.blocks.push(lines.collect::<Vec<_>>().join("\n"));
    }

    /// The inline content of an element, on one line.
    fn line(&self, id: NodeId) -> String {
        let mut line = String::new();
        for child in self.tree.children(id) {
            self.inline(child, &mut line);
        }
        line.trim().to_owned()
    }

    fn inline(&self, id: NodeId, line: &mut String) {
        match self.tree.kind(id) {
            Kind::Text => push_text(&self.tree.texts(id).collect::<String>(), line),
            Kind::Element if !self.is_silent(id) => self.inline_element(id, line),
            _ => {}
        }
    }

    fn inline_element(&self, id: NodeId, line: &mut String) {
        let attribute = |name: &str| self.tree.attribute(id, name).map(|found| found.value());
        match self.tree.name(id) {
            "br" => push_text(" ", line),
            "code" | "kbd" => {
                let text = self.text(id);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                if !text.is_empty() {
                    let mark = "`".repeat(longest_run(&text) + 1);
                    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
                    line.push_str(&format!("{mark}{pad}{text}{pad}{mark}"));
                }
            }
            "img" => line.push_str(&escaped(attribute("alt").unwrap_or_default())),
            "b" | "strong" => self.marked(id, "**", line),
            "em" | "i" => self.marked(id, "*", line),
            "a" => {
                let text = self.line(id);
                match attribute("href").and_then(|href| self.address.join(href).ok()) {
                    Some(url) if !text.is_empty() => {
                        let url = url.as_str().replace('(', "%28").replace(')', "%29");
                        line.push_str(&format!("[{text}]({url})"));
                    }
                    _ => line.push_str(&text),
                }
            }
            name => {
                // A block inside a line is set apart by spaces.
                let is_apart = BLOCKS.contains(&name) || name == "li";
                if is_apart {
                    push_text(" ", line);
                }
                for child in self.tree.children(id) {
                    self.inline(child, line);
                }
                if is_apart {
                    push_text(" ", line);
                }
            }
        }
    }

    fn marked(&self, id: NodeId, mark: &str, line: &mut String) {
        let text = self.line(id);
        if !text.is_empty() {
            line.push_str(&format!("{mark}{text}{mark}"));
        }
    }

    /// The text below an element, as it is.
    fn text(&self, id: NodeId) -> String {
        let texts = self.tree.descendants(id).filter(|id| self.tree.kind(*id) == Kind::Text);
        texts.flat_map(|id| self.tree.texts(id)).collect()
    }
}

fn heading(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(usize::from(level - b'0')),
        _ => None,
    }
}

/// Adds text with its white space collapsed, as a browser shows it.
fn push_text(text: &str, line: &mut String) {
    let shown = escaped(text);
    let starts_apart = shown.starts_with(char::is_whitespace);
    let ends_apart = shown.ends_with(char::is_whitespace);
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_apart = line.is_empty() || line.ends_with(' ');
    if (starts_apart || words.is_empty()) && !shown.is_empty() && !is_apart {
        line.push(' ');
    }
    line.push_str(&words);
    if ends_apart && !words.is_empty() {
        line.push(' ');
    }
}

/// Text that Markdown shows as it is: what an audited page says is never markup here.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// A fence longer than any run of backticks inside.
fn fence(code: &str) -> String {
    "`".repeat(longest_run(code).max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, wanted: &str) {
        let address = Url::parse("https://audit.example.com/checks?lang=en").unwrap();
        assert_eq!(of_page(page, &address), format!("{wanted}\n"), "{page}");
    }

    #[test]
    fn a_page_says_what_its_main_says() {
        check(
            "<header>no</header><main><h1>Bread  &amp; butter</h1><p>One <b>two</b>\n three.</p></main><footer>no</footer>",
            "# Bread & butter\n\nOne **two** three.",
        );
        check(
            "<main><p>A <a href=/checks/a>link</a>, <code>a `b`</code></p></main>",
            "A [link](https://audit.example.com/checks/a), `` a `b` ``",
        );
        check(
            "<main><ul><li>a <b>b</b></li><li>c<ul><li>d</li></ul></li></ul><ol><li>e</li></ol></main>",
            "- a **b**\n- c\n  - d\n\n1. e",
        );
        check("<main><pre><code>a\n  b ```</code></pre></main>", "````\na\n  b ```\n````");
        check("<main><table><tr><th>a<td>b|<tr><td>c</table></main>", "|  |  |\n|---|---|\n| a | b\\| |\n| c |  |");
        check("<main><details><summary>More</summary><p>x</p></details></main>", "**More**\n\nx");
        check(
            "<main><form><label>No</label><input><button>No</button><p>Yes</p></form><svg><text>no</text></svg><p aria-hidden=true>no</p></main>",
            "Yes",
        );
    }

    #[test]
    fn what_an_audited_page_says_is_no_markup() {
        check("<main><p>[x](javascript:1) # &lt;b&gt; *y*</p></main>", "\\[x\\](javascript:1) \\# \\<b\\> \\*y\\*");
        check("<main><a href='/a)b(c'>x</a></main>", "[x](https://audit.example.com/a%29b%28c)");
    }
}
