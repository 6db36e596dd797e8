//! The context of a JSON-LD block: whether it names schema.org, and the block with one that does.

use url::Url;

use super::complete::{Insertion, spliced};
use super::graph::local;
use super::tree::{TreeKind, ValueTree};
use crate::facts::schema_org;

/// The context as schema.org and Google write it.
const CONTEXT: &str = "https://schema.org";
/// Letters in which a host may differ from schema.org to be a slip of it.
const MOST_EDITS: usize = 2;

/// What is wrong with the context of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextFault<'t> {
    /// There is none, or an empty one.
    Missing,
    /// It is plainly meant to be schema.org, and is not.
    Wrong(&'t ValueTree),
}

/// The root objects of a block that are to have a context.
pub(crate) fn roots(block: &ValueTree) -> impl Iterator<Item = &ValueTree> {
    block.each().iter().filter(|root| root.members().is_some_and(|members| !members.is_empty()))
}

/// Judges the context of a root. One of another vocabulary is its own business: JSON-LD is not for search engines only.
pub(crate) fn fault(root: &ValueTree) -> Option<ContextFault<'_>> {
    let context = root.members()?.iter().rev().find(|member| member.name == "@context");
    let Some(context) = context.map(|member| &member.value) else { return Some(ContextFault::Missing) };
    let is_empty = |value: &ValueTree| match &value.kind {
        TreeKind::Text(text) => text.trim().is_empty(),
        TreeKind::Array(values) => values.is_empty(),
        TreeKind::Null => true,
        _ => false,
    };
    if is_empty(context) {
        return Some(ContextFault::Missing);
    }
    let names = || context.each().iter().filter_map(ValueTree::text);
    let states_others = context.each().iter().any(|one| one.members().is_some());
    if states_others || names().next().is_none() || names().any(is_context) {
        return None;
    }
    names().any(is_meant).then_some(ContextFault::Wrong(context))
}

/// Whether a name is the address of schema.org, or of one of the files there that hold its context.
fn is_context(name: &str) -> bool {
    let Ok(url) = Url::parse(name.trim()) else { return false };
    let is_host = url.host_str().is_some_and(|host| host.trim_start_matches("www.") == "schema.org");
    let is_file = || url.path().starts_with("/docs/") || url.path().starts_with("/version/");
    matches!(url.scheme(), "http" | "https") && name.contains("://") && is_host && (url.path() == "/" || is_file())
}

/// Whether a name that is not the address of schema.org is a slip of it.
fn is_meant(name: &str) -> bool {
    let lower = name.trim().to_ascii_lowercase();
    let rest = lower.trim_start_matches("http").trim_start_matches('s').trim_start_matches([':', '/']);
    let host = rest.trim_start_matches("www.").split(['/', '#', '?']).next().unwrap_or_default();
    // An address that a slip of the scheme made relative has no host of its own.
    host.starts_with("schema.")
        || host.starts_with("chema.org")
        || host.len() <= 2 * "schema.org".len() && schema_org::edits(host.as_bytes(), b"schema.org") <= MOST_EDITS
}

/// Whether everything that a root says of types is schema.org's.
pub(crate) fn is_plain(root: &ValueTree) -> bool {
    match &root.kind {
        TreeKind::Object(members) => members.iter().all(|member| match member.name.as_str() {
            "@type" => {
                member.value.each().iter().filter_map(ValueTree::text).all(|kind| schema_org::is_type(local(kind)))
            }
            name if name.starts_with('@') && !matches!(name, "@graph" | "@id" | "@context") => false,
            _ => is_plain(&member.value),
        }),
        TreeKind::Array(values) => values.iter().all(is_plain),
        _ => true,
    }
}

/// A block with the context that its roots lack; `None` where it has them, or where another vocabulary may be meant.
pub(crate) fn with_context(text: &str) -> Option<String> {
    let tree = ValueTree::read(text)?;
    let mut splices: Vec<Insertion> = Vec::new();
    for root in roots(&tree) {
        match fault(root) {
            None => {}
            Some(_) if !is_plain(root) => return None,
            Some(ContextFault::Wrong(context)) => splices.push((context.span.clone(), format!("\"{CONTEXT}\""))),
            Some(ContextFault::Missing) => {
                let empty = root.members()?.iter().rev().find(|member| member.name == "@context");
                splices.push(match empty {
                    Some(member) => (member.value.span.clone(), format!("\"{CONTEXT}\"")),
                    None => (root.span.start + 1..root.span.start + 1, format!("\"@context\": \"{CONTEXT}\", ")),
                });
            }
        }
    }
    (!splices.is_empty()).then(|| spliced(text, splices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(context: &str) -> Option<bool> {
        let source = format!("{{\"@context\":{context},\"@type\":\"Thing\"}}");
        let tree = ValueTree::read(&source).unwrap();
        fault(&tree).map(|fault| fault == ContextFault::Missing)
    }

    #[test]
    fn only_what_is_meant_to_be_schema_org_is_wrong() {
        for context in [
            r#""https://schema.org""#,
            r#""http://www.schema.org/""#,
            r#""https://schema.org/docs/jsonldcontext.jsonld""#,
            r#"["https://www.w3.org/ns/activitystreams",{"x":"y"}]"#,
            r#""https://www.w3.org/ns/activitystreams""#,
            r#"{"@vocab":"http://schema.org/"}"#,
            r#"["https://schema.org",{"@language":"en"}]"#,
        ] {
            assert_eq!(judged(context), None, "{context}");
        }
        for context in [
            r#""schema.org""#,
            r#""//schema.org""#,
            r#""https:/schema.org""#,
            r#""http//schema.org""#,
            r#""https://schema.org/Product""#,
            r#""https://schema.com""#,
            r#""https://shcema.org""#,
            r#"["schema.org"]"#,
        ] {
            assert_eq!(judged(context), Some(false), "{context}");
        }
        for context in [r#""""#, "null", "[]"] {
            assert_eq!(judged(context), Some(true), "{context}");
        }
    }

    #[test]
    fn a_context_is_given_where_the_types_leave_no_doubt() {
        let given = |source: &str| with_context(source);
        assert_eq!(
            given(r#"{"@type":"Product","name":"a"}"#).as_deref(),
            Some(r#"{"@context": "https://schema.org", "@type":"Product","name":"a"}"#)
        );
        assert_eq!(
            given(r#"[{"@context":"schema.org","@type":"Thing"},{"@context":"http://schema.org"}]"#).as_deref(),
            Some(r#"[{"@context":"https://schema.org","@type":"Thing"},{"@context":"http://schema.org"}]"#)
        );
        for source in [r#"{"@type":"Actor"}"#, r#"{"@context":"https://schema.org"}"#, "{}", "{", r#"{"@value":1}"#] {
            assert_eq!(given(source), None, "{source}");
        }
    }
}
