//! The `Link` response header (RFC 8288 §3).

use model::capture::Exchange;
use url::Url;

/// Links read from one response at most.
const MAX_LINKS: usize = 200;

/// One link of the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderLink {
    /// Target as written between `<` and `>`.
    pub target: String,
    /// Target resolved against the response's URL.
    pub url: Option<Url>,
    /// Parameters in order, names in lower case.
    pub parameters: Vec<(String, String)>,
    /// The value as written.
    pub raw: String,
}

impl HeaderLink {
    /// First parameter of that name (RFC 8288 §3.3: later `rel` are ignored).
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether `rel` has the relation and the link is about this page (no `anchor`).
    pub fn is(&self, rel: &str) -> bool {
        self.parameter("anchor").is_none()
            && self
                .parameter("rel")
                .is_some_and(|rels| rels.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case(rel)))
    }
}

/// Every link of a response. What is not a link is passed over.
pub fn read(exchange: &Exchange) -> Vec<HeaderLink> {
    let mut values = exchange.headers_named("link").peekable();
    if values.peek().is_none() {
        return Vec::new();
    }
    let base = Url::parse(&exchange.url).ok();
    values.flat_map(|value| parse(value, base.as_ref())).take(MAX_LINKS).collect()
}

/// What breaks the grammar of a value (RFC 8288 §3, read strictly).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkFault {
    /// A link begins with something other than `<`.
    NoTarget,
    /// No `>` follows a target.
    OpenTarget,
    /// No parameter of a link is `rel`, or it is empty.
    NoRelation,
    /// A quoted string is never closed.
    OpenQuote,
}

/// The first place of a value at which a strict reader stops. Empty list members are allowed (RFC 9110 §5.6.1).
pub fn fault(value: &str) -> Option<LinkFault> {
    let mut rest = value.trim_start_matches([' ', '\t', ',']);
    while !rest.is_empty() {
        let Some(inside) = rest.strip_prefix('<') else { return Some(LinkFault::NoTarget) };
        let Some((_, after)) = inside.split_once('>') else { return Some(LinkFault::OpenTarget) };
        let (parameters, tail) = parse_parameters(after);
        // A quote that is never closed takes in all that follows.
        if tail.is_empty() && is_open_quote(after) {
            return Some(LinkFault::OpenQuote);
        }
        let is_rel = |(name, value): &(String, String)| name == "rel" && !value.trim().is_empty();
        if !parameters.iter().any(is_rel) {
            return Some(LinkFault::NoRelation);
        }
        rest = tail.trim_start_matches([' ', '\t', ',']);
    }
    None
}

/// Whether a quoted string in parameters has no end.
fn is_open_quote(parameters: &str) -> bool {
    let mut inside = false;
    let mut characters = parameters.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => inside = !inside,
            '\\' if inside => {
                characters.next();
            }
            _ => {}
        }
    }
    inside
}

fn parse(value: &str, base: Option<&Url>) -> Vec<HeaderLink> {
    let mut links = Vec::new();
    let mut rest = value;
    while let Some(open) = rest.find('<') {
        let Some((target, after)) = rest.get(open + 1..).and_then(|text| text.split_once('>')) else { break };
        let (parameters, tail) = parse_parameters(after);
        let end = rest.len() - tail.len();
        let raw = rest.get(open..end).unwrap_or_default().trim().trim_end_matches(',').to_owned();
        let target = target.trim().to_owned();
        let url = base.and_then(|base| base.join(&target).ok());
        links.push(HeaderLink { target, url, parameters, raw });
        rest = tail;
    }
    links
}

/// Parameters up to the comma that ends the link, and what follows it.
fn parse_parameters(text: &str) -> (Vec<(String, String)>, &str) {
    let mut parameters = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(next) = rest.strip_prefix(',') {
            return (parameters, next);
        }
        let Some(next) = rest.strip_prefix(';') else {
            return (parameters, rest.split_once(',').map_or("", |(_, t)| t));
        };
        let next = next.trim_start();
        let end = next.find(['=', ';', ',']).unwrap_or(next.len());
        let (name, after) = next.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, after) = parse_value(value.trim_start());
        if !name.trim().is_empty() {
            parameters.push((name.trim().to_ascii_lowercase(), value));
        }
        rest = after;
    }
}

/// A token or a quoted string.
fn parse_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.trim().to_owned(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(value: &str) -> Vec<(String, Option<String>)> {
        let base = Url::parse("https://example.com/a/").unwrap();
        parse(value, Some(&base))
            .into_iter()
            .map(|link| (link.url.as_ref().unwrap().to_string(), link.parameter("rel").map(str::to_owned)))
            .collect()
    }

    #[test]
    fn links_are_read_with_commas_in_targets_and_quotes() {
        assert_eq!(
            read_one(
                r#"<b>; rel="canonical", <https://x.test/a,b>; title="q, \" r"; rel=alternate ;hreflang=en,<c>;rel"#
            ),
            [
                ("https://example.com/a/b".to_owned(), Some("canonical".to_owned())),
                ("https://x.test/a,b".to_owned(), Some("alternate".to_owned())),
                ("https://example.com/a/c".to_owned(), None),
            ]
        );
    }

    #[test]
    fn a_link_about_another_anchor_is_not_about_the_page() {
        let links = parse(r#"<b>; rel=canonical; anchor="/x""#, None);
        assert!(!links.first().unwrap().is("canonical"));
    }

    #[test]
    fn the_first_break_of_the_grammar_is_told() {
        for (value, wanted) in [
            ("", None),
            (", <a>; rel=x,, <b>;rel=\"y z\";title=\"a, <b\" ,", None),
            ("<https://e.com/a,b;c>; rel=preload; as=style; crossorigin", None),
            ("https://e.com/a; rel=canonical", Some(LinkFault::NoTarget)),
            ("<a; rel=x", Some(LinkFault::OpenTarget)),
            ("<a>", Some(LinkFault::NoRelation)),
            ("<a>; rel=\"\"", Some(LinkFault::NoRelation)),
            ("<a>; rel=x, <b>; title=y", Some(LinkFault::NoRelation)),
            ("<a>; rel=\"x, <b>; rel=y", Some(LinkFault::OpenQuote)),
        ] {
            assert_eq!(fault(value), wanted, "{value}");
        }
    }

    #[test]
    fn garbage_gives_no_links_and_no_panic() {
        for value in ["", "<", "<>", "<a", ";rel=x", "<a>;;;=", "<a>; rel=\"", "é<é>;é=é"] {
            let (_links, _fault) = (parse(value, None), fault(value));
        }
    }
}
