//! Ways to another address that are no response of their own: a refresh, a script. And chains that never end.

use model::capture::FetchFailure;
use url::Url;

use super::document::{Element, NodeId};
use super::page::Html;
use super::shell::FEW_WORDS;
use super::url_identity::same_page;

/// Whether a fetch failed since its redirects lead in a circle, or on and on.
pub fn is_endless(failure: &FetchFailure) -> bool {
    matches!(failure.reason.as_str(), "redirect_loop" | "too_many_redirects")
}

/// A page that is nothing but a script which goes elsewhere.
#[derive(Debug)]
pub struct ScriptRedirect {
    /// The script.
    pub node: NodeId,
    /// Where it goes.
    pub url: Url,
}

/// Judges the document: few words, no script file that could fill it, and an inline script with a fixed target.
pub fn by_script(html: &Html) -> Option<ScriptRedirect> {
    if html.text.words >= FEW_WORDS {
        return None;
    }
    let scripts: Vec<Element<'_>> = html.elements(&html.scripts).collect();
    if scripts.iter().any(|script| script.has("src")) {
        return None;
    }
    scripts.into_iter().find_map(|script| {
        let url = script.texts().find_map(target).and_then(|target| html.resolve(&target))?;
        let is_elsewhere = matches!(url.scheme(), "http" | "https") && !same_page(&url, &html.url);
        is_elsewhere.then(|| ScriptRedirect { node: script.id(), url })
    })
}

/// The first literal address that a script assigns to `location`, or hands to its `replace` or `assign`.
fn target(script: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = script.get(from..)?.find("location") {
        let at = from + found;
        from = at + "location".len();
        let (before, after) = (script.get(..at)?, script.get(from..)?);
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let is_comment = line.trim_start().starts_with("//");
        let is_part = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        if is_part || is_comment {
            continue;
        }
        if let Some(literal) = assigned(after) {
            return Some(literal);
        }
    }
    None
}

/// The literal behind `location`: `= "…"`, `.href = "…"`, `.replace("…")`, `.assign("…")`, and nothing added to it.
fn assigned(after: &str) -> Option<String> {
    let after = after.trim_start();
    let called = [".replace", ".assign"].iter().find_map(|name| after.strip_prefix(name));
    let value = match called {
        Some(rest) => rest.trim_start().strip_prefix('(')?,
        None => {
            let rest = after.strip_prefix(".href").unwrap_or(after).trim_start().strip_prefix('=')?;
            if rest.starts_with('=') {
                return None;
            }
            rest
        }
    };
    let value = value.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (literal, rest) = value.get(1..)?.split_once(quote)?;
    let ends = rest.trim_start_matches([' ', '\t']);
    let is_whole = ends.is_empty() || ends.starts_with([';', ')', '}', '\n', '\r']);
    (is_whole && !literal.is_empty() && !literal.contains('\\')).then(|| literal.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_literal_is_a_target() {
        for (script, found) in [
            ("window.location.href = \"/a\";", Some("/a")),
            ("location='/b'", Some("/b")),
            ("document.location.replace( 'https://e.com/c' )", Some("https://e.com/c")),
            ("var mylocation = '/d'; location.assign('/e')", Some("/e")),
            ("if (location.href == '/f') go()", None),
            ("location.href = '/g?u=' + user;", None),
            ("// location = '/h'\nlocation.reload()", None),
            ("locations = '/i'", None),
            ("location = '", None),
        ] {
            assert_eq!(target(script).as_deref(), found, "{script}");
        }
    }
}
