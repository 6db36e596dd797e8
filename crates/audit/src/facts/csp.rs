//! Content security policies that are enforced: of the header and of `meta` elements (CSP Level 3).

use model::capture::Exchange;

use super::document::NodeId;
use super::page::Html;

/// Policies that are read: a page with more has a defect of another kind.
const MOST_POLICIES: usize = 16;

/// One enforced policy.
#[derive(Debug)]
pub(crate) struct Policy {
    /// Names in lower case with their values; of one name the first counts (CSP3 §2.2.1).
    directives: Vec<(String, Vec<String>)>,
    /// The element; `None` for the header.
    pub(crate) node: Option<NodeId>,
    /// As written.
    pub(crate) raw: String,
}

/// What lets injected scripts run although there is a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weakness {
    /// Neither `script-src` nor `default-src` limits scripts.
    NoLimit,
    /// `'unsafe-inline'` without a nonce or a hash.
    Inline,
    /// Scripts may come from any host.
    AnyHost,
}

/// The policies of a page, headers first.
pub(crate) fn read(html: Option<&Html>, exchange: &Exchange) -> Vec<Policy> {
    let headers = exchange.headers_named("content-security-policy").flat_map(|value| value.split(','));
    let metas = html.into_iter().flat_map(|html| &html.metas);
    let metas = metas.filter(|meta| meta.in_head && meta.http_equiv.as_deref() == Some("content-security-policy"));
    let metas = metas.filter_map(|meta| Some((Some(meta.node), meta.content.as_deref()?)));
    headers
        .map(|value| (None, value))
        .chain(metas)
        .map(|(node, text)| Policy::read(node, text))
        .filter(|policy| !policy.directives.is_empty())
        .take(MOST_POLICIES)
        .collect()
}

impl Policy {
    fn read(node: Option<NodeId>, text: &str) -> Self {
        let directives = text.split(';').filter_map(|directive| {
            let mut words = directive.split_ascii_whitespace();
            Some((words.next()?.to_ascii_lowercase(), words.map(str::to_owned).collect()))
        });
        Self { directives: directives.collect(), node, raw: text.trim().to_owned() }
    }

    /// The values of a directive.
    pub(crate) fn directive(&self, name: &str) -> Option<&[String]> {
        self.directives.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    /// What of the policy lets injected scripts run, if anything does.
    pub(crate) fn weakness(&self) -> Option<Weakness> {
        let Some(sources) = self.directive("script-src").or_else(|| self.directive("default-src")) else {
            return Some(Weakness::NoLimit);
        };
        let has = |word: &str| sources.iter().any(|source| source.eq_ignore_ascii_case(word));
        let starts = |prefix: &str| {
            sources
                .iter()
                .any(|source| source.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
        };
        // With one of them browsers pass over 'unsafe-inline' (CSP3 §6.7.3.2).
        let is_keyed = ["'nonce-", "'sha256-", "'sha384-", "'sha512-"].iter().any(|prefix| starts(prefix));
        let is_strict = has("'strict-dynamic'");
        if has("'unsafe-inline'") && !is_keyed && !is_strict {
            return Some(Weakness::Inline);
        }
        let wide = ["*", "http:", "https:", "data:", "http://*", "https://*"];
        (!is_strict && wide.iter().any(|source| has(source))).then_some(Weakness::AnyHost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weakness(policy: &str) -> Option<Weakness> {
        Policy::read(None, policy).weakness()
    }

    #[test]
    fn policies_are_weak_where_injected_scripts_would_run() {
        for strong in [
            "default-src 'self'",
            "Script-Src 'self' https://cdn.example.com; default-src *",
            "script-src 'nonce-abc' 'unsafe-inline' https: 'strict-dynamic'",
            "script-src 'sha256-abc=' 'unsafe-inline' 'self'",
            "default-src 'none'; style-src 'unsafe-inline'; img-src *",
            "script-src 'self'; script-src *",
        ] {
            assert_eq!(weakness(strong), None, "{strong}");
        }
        assert_eq!(weakness("frame-ancestors 'self'"), Some(Weakness::NoLimit));
        assert_eq!(weakness("script-src 'self' 'UNSAFE-INLINE'"), Some(Weakness::Inline));
        assert_eq!(weakness("default-src 'unsafe-inline' 'self'"), Some(Weakness::Inline));
        for wide in ["script-src *", "script-src 'self' https:", "default-src data: 'self'", "script-src 'nonce-a' *"] {
            assert_eq!(weakness(wide), Some(Weakness::AnyHost), "{wide}");
        }
    }
}
