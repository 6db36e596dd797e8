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
    let base = Url::parse(&exchange.url).ok();
    exchange.headers_named("link").flat_map(|value| parse(value, base.as_ref())).take(MAX_LINKS).collect()
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
    fn garbage_gives_no_links_and_no_panic() {
        for value in ["", "<", "<>", "<a", ";rel=x", "<a>;;;=", "<a>; rel=\"", "é<é>;é=é"] {
            let _links = parse(value, None);
        }
    }
}
