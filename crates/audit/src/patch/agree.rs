//! Fixes of one thing say one thing: of two values for a tag or an attribute, that of the first fix.

use std::collections::HashMap;

use model::fix::FixClass;

use super::Drafted;
use crate::facts::document::NodeId;
use crate::fix::{FixChange, FixDraft, HeadKey};

/// Lets later ready fixes take over what an earlier one writes into the same tag of the head, or the same attribute.
///
/// The most severe finding comes first. Where its value does not fix the later finding, the proof rejects the later fix.
pub(super) fn settle(drafted: &mut [Drafted]) {
    let mut tags: HashMap<HeadKey, String> = HashMap::new();
    let mut values: HashMap<(NodeId, String), String> = HashMap::new();
    for item in drafted.iter_mut().filter(|item| item.draft.class == FixClass::Deterministic) {
        let FixDraft { head_tags, edits, snippet, .. } = &mut item.draft;
        for tag in head_tags {
            let first = tags.entry(tag.key.clone()).or_insert_with(|| tag.tag.clone());
            if *first != tag.tag {
                if let Some(snippet) = snippet {
                    *snippet = snippet.replace(&tag.tag, first);
                }
                tag.tag.clone_from(first);
            }
        }
        for edit in edits {
            let FixChange::SetAttribute { node, name, value } = &mut edit.change else { continue };
            let first = values.entry((*node, name.clone())).or_insert_with(|| value.clone());
            if first != value {
                if let Some(snippet) = snippet {
                    let [from, to] = [&*value, &*first].map(|value| crate::escape::attribute(value));
                    *snippet = snippet.replace(&from, &to);
                }
                value.clone_from(first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use model::fix::FixTarget;

    use super::*;
    use crate::checks;
    use crate::facts::document::Document;

    fn drafted(draft: FixDraft) -> Drafted {
        let check = checks::find("title_missing").unwrap();
        Drafted { check, severity: check.severity, draft }
    }

    /// Snippets and tags after the drafts were settled.
    fn settled(drafts: [FixDraft; 2]) -> Vec<(String, Vec<String>)> {
        let mut items = drafts.map(drafted);
        settle(&mut items);
        let tags = |item: &Drafted| item.draft.head_tags.iter().map(|tag| tag.tag.clone()).collect();
        items.iter().map(|item| (item.draft.snippet.clone().unwrap_or_default(), tags(item))).collect()
    }

    #[test]
    fn a_tag_says_what_the_first_fix_says() {
        let title = |text: &str| FixDraft::head(HeadKey::Title, text);
        let one = |text: &str| (text.to_owned(), vec![text.to_owned()]);
        assert_eq!(settled([title("<a>"), title("<b>")]), [one("<a>"), one("<a>")]);
        assert_eq!(settled([title("<a>"), title("<a>")]), [one("<a>"), one("<a>")]);
        let base = FixDraft::head(HeadKey::Base, "<b>");
        assert_eq!(settled([title("<a>"), base]), [one("<a>"), one("<b>")]);
        // What its owner has to confirm decides for nobody.
        let template = FixDraft { class: FixClass::Template, ..title("<a>") };
        assert_eq!(settled([template, title("<b>")]), [one("<a>"), one("<b>")]);
    }

    #[test]
    fn an_attribute_says_what_the_first_fix_says() {
        let document = Document::parse("<p>a</p>".to_owned());
        let p = document.elements().find(|element| element.is("p")).unwrap();
        let set = |name: &str, value: &str| {
            FixDraft::edit(FixTarget::Body, format!("<p {name}={value}>")).set(p, name, value)
        };
        let value = |draft: &FixDraft| match &draft.edits[0].change {
            FixChange::SetAttribute { value, .. } => value.clone(),
            other => panic!("{other:?}"),
        };
        let check = |first: FixDraft, second: FixDraft, wanted: (&str, &str)| {
            let mut items = [first, second].map(drafted);
            settle(&mut items);
            let second = &items[1].draft;
            assert_eq!((value(second).as_str(), second.snippet.as_deref().unwrap()), wanted);
        };
        check(set("id", "x"), set("id", "y"), ("x", "<p id=x>"));
        check(set("id", "x"), set("id", "x"), ("x", "<p id=x>"));
        check(set("id", "x"), set("class", "y"), ("y", "<p class=y>"));
    }
}
