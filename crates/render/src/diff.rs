//! Changes of a page as differences: of its whole source, for `patch` and `git apply`, and of places alone, for reading.

use model::patch::Patch;
use similar::TextDiff;

use crate::shown::without_controls;

/// Lines around a change.
const CONTEXT_LINES: usize = 3;

/// The unified diff that makes `after` of `before`, both called `name`; empty where nothing changes.
pub fn unified(name: &str, before: &str, after: &str) -> String {
    // Lines end where `patch` and `git` end them: a CR alone ends none.
    let [old, new]: [Vec<&str>; 2] = [before, after].map(|text| text.split_inclusive('\n').collect());
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    diff.unified_diff().context_radius(CONTEXT_LINES).header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}

/// The changes of a patch by line, without the source around them: what goes and what comes, each as it stands in its line, but
/// for control characters, which are shown.
pub fn by_line<T>(patch: &Patch<T>) -> String {
    let mut out = String::new();
    let mut lines = |mark: char, text: &str| text.lines().for_each(|line| out.push_str(&format!("{mark}{line}\n")));
    for edit in &patch.edits {
        lines('@', &format!("@ -{0} +{0} @@ {1}", edit.line, edit.code));
        lines('-', &edit.original);
        lines('+', &edit.snippet);
    }
    if !patch.head.is_empty() {
        lines('@', "@ after <head> @@");
        lines('+', &patch.head);
    }
    for file in &patch.files {
        lines('@', &format!("@ {} @@ {}", file.path, file.code));
        lines('+', &file.content);
    }
    without_controls(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use audit::example;

    const PAGE: &str = "<!doctype html>\n<html lang=en>\n<head>\n<title>Bread and butter</title>\n<meta name=viewport content=''>\n</head>\n<p>a\n";

    #[test]
    fn a_diff_changes_the_page_as_its_patch_does() {
        let report = audit::report(&example::page(example::PAGE_URL, PAGE));
        let after = audit::patch::apply(PAGE, &report.patch).unwrap();
        let diff = unified("index.html", PAGE, &after);
        assert!(diff.starts_with("--- a/index.html\n+++ b/index.html\n@@ -"), "{diff}");
        // Lines that stay and that come, in order, are the page after.
        let kept = |mark: char| diff.lines().skip(2).filter(move |line| line.starts_with(mark)).count();
        assert_eq!(after.lines().count() + kept('-'), PAGE.lines().count() + kept('+'));
        assert!(unified("x", PAGE, PAGE).is_empty());
        // A CR alone ends no line, and CRLF stays what it is.
        let crlf = PAGE.replace('\n', "\r\n").replacen("a\r\n", "a\rb\r\n", 1);
        let report = audit::report(&example::page(example::PAGE_URL, crlf.as_str()));
        let after = audit::patch::apply(&crlf, &report.patch).unwrap();
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        let diff = unified("index.html", &crlf, &after);
        let body: String = diff.split_inclusive('\n').skip(3).map(|line| line.get(1..).unwrap_or_default()).collect();
        assert_eq!(body.matches('\n').count(), body.matches("\r\n").count(), "{diff:?}");
        let places = by_line(&report.patch);
        assert!(places.contains("-<meta name=viewport content=''>\n+<meta name=viewport content="), "{places}");
    }
}
