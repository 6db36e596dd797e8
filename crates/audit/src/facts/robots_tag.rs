//! The robots tags of a page as one tag that says the same, without what nobody reads: what fixes start from.

use super::document::Element;
use super::known::Facts;
use super::robots_directives::{
    Directive, DirectiveOrigin, Status, for_google, is_known, parse_date, status, suggestion,
};

/// The robots tags for all crawlers, rewritten as one.
#[derive(Debug)]
pub struct Mended<'f> {
    /// The `meta name="robots"` elements in order: the first stays, unless nothing is left to say.
    pub tags: Vec<Element<'f>>,
    /// What the one tag says; empty when nothing is left.
    pub content: String,
}

/// The rewritten tag; `None` where the tags say something else too, so that they can be neither rewritten nor removed, or
/// where a broken head lost one of several, which its own fix leaves to the owner.
pub fn mended<'f>(facts: &'f Facts<'_>) -> Option<Mended<'f>> {
    let html = facts.markup()?;
    let metas: Vec<_> = html.metas_named("robots").collect();
    let tags: Vec<Element<'_>> = metas.iter().filter_map(|meta| html.element(meta.node)).collect();
    let is_lost = |tag: &Element<'_>| html.lost_head.as_ref().is_some_and(|head| head.lost.contains(&tag.id()));
    let say_only_this = metas.iter().all(|meta| meta.has_one_reader())
        && tags.iter().all(|tag| !tag.has("charset") && tag.start_tag().is_some());
    let has_lost = tags.iter().any(is_lost);
    if !say_only_this || has_lost && tags.len() > 1 {
        return None;
    }
    let all = facts.directives();
    let mut mended: Vec<Directive> = all
        .iter()
        .filter(|directive| directive.agent.is_none() && matches!(directive.source, DirectiveOrigin::Meta(_)))
        .filter(|directive| status(&directive.name) != Some(Status::Dead))
        .map(|directive| Directive { name: spelled(directive, all), ..directive.clone() })
        .collect();
    if wants_large_preview(facts)
        && let Some(tag) = tags.first()
    {
        mended.push(Directive {
            agent: None,
            name: "max-image-preview".to_owned(),
            value: Some("large".to_owned()),
            source: DirectiveOrigin::Meta(tag.id()),
        });
    }
    let mut content = merged(&mended.iter().collect::<Vec<_>>());
    if content.is_empty() && has_lost {
        // It moves into the head, so it can't be removed: this is what no tag says too.
        "all".clone_into(&mut content);
    }
    Some(Mended { tags, content })
}

/// Whether the page is an article to be found that says nothing of its image previews: they stay small then.
pub fn wants_large_preview(facts: &Facts<'_>) -> bool {
    let says =
        facts.directives().iter().any(|directive| for_google(directive) && directive.name == "max-image-preview");
    !says && facts.indexable().is_ok() && is_article(facts)
}

/// Whether the page is an article: what it says of itself, which the tags and data that a fix adds then say too.
pub fn is_article(facts: &Facts<'_>) -> bool {
    facts.markup().is_some_and(super::page::Html::is_article)
}

/// The name spelled right, where there is one reading of it and that takes nothing away.
fn spelled(directive: &Directive, all: &[Directive]) -> String {
    let meant = Some(&directive.name).filter(|name| !is_known(name)).and_then(|name| suggestion(name));
    meant.filter(|meant| adds_only(directive, meant, all)).map_or_else(|| directive.name.clone(), str::to_owned)
}

/// Pairs that exclude each other.
const OPPOSITES: [(&str, &str); 7] = [
    ("index", "noindex"),
    ("follow", "nofollow"),
    ("all", "none"),
    // `all` is index and follow, `none` is noindex and nofollow.
    ("all", "noindex"),
    ("all", "nofollow"),
    ("index", "none"),
    ("follow", "none"),
];

/// Two directives that exclude each other, or one of two values.
pub fn contradiction<'d>(all: &[&'d Directive]) -> Option<(&'d Directive, &'d Directive)> {
    let named = |name: &str| all.iter().copied().find(|directive| directive.name == name);
    let opposite = OPPOSITES.iter().find_map(|(a, b)| Some((named(a)?, named(b)?)));
    let values_differ = ["max-snippet", "max-image-preview", "max-video-preview"].iter().find_map(|name| {
        let first = named(name)?;
        let other = all.iter().copied().find(|d| d.name == *name && d.value != first.value)?;
        Some((first, other))
    });
    let snippet = named("nosnippet")
        .zip(all.iter().copied().find(|d| d.name == "max-snippet" && d.value.as_deref() != Some("0")));
    opposite.or(values_differ).or(snippet)
}

/// The effective set: of each contradiction the more restrictive.
fn merged(all: &[&Directive]) -> String {
    let has = |name: &str| all.iter().any(|directive| directive.name == name);
    let mut out: Vec<String> = Vec::new();
    for directive in all {
        let beaten = match directive.name.as_str() {
            "index" => has("noindex") || has("none"),
            "follow" => has("nofollow") || has("none"),
            "all" => has("none") || has("noindex") || has("nofollow"),
            "max-snippet" => has("nosnippet"),
            _ => false,
        };
        let same = all.iter().filter(|other| other.name == directive.name);
        let values: Vec<&str> =
            same.filter_map(|other| other.value.as_deref()).filter(|value| !value.is_empty()).collect();
        let text = if values.is_empty() {
            directive.name.clone()
        } else {
            format!("{}:{}", directive.name, most_restrictive(&directive.name, values))
        };
        if !beaten && !out.contains(&text) {
            out.push(text);
        }
    }
    out.join(", ")
}

/// Of several values of one directive the one that allows least: the earliest date. -1 is no limit.
fn most_restrictive(name: &str, values: Vec<&str>) -> String {
    let rank = |value: &&str| match name {
        "max-image-preview" => {
            ["none", "standard", "large"].iter().position(|known| value.eq_ignore_ascii_case(known)).unwrap_or(3) as i64
        }
        "unavailable_after" => parse_date(value).map_or(i64::MAX, |date| date.0),
        _ => value.parse::<i64>().map_or(i64::MAX, |number| if number < 0 { i64::MAX - 1 } else { number }),
    };
    values.into_iter().min_by_key(rank).unwrap_or_default().to_owned()
}

/// Whether a directive spelled right neither hides the page, its links or its snippet, which is the owner's decision, nor
/// contradicts another.
pub fn adds_only(misspelled: &Directive, meant: &str, all: &[Directive]) -> bool {
    let spelled = Directive { name: meant.to_owned(), ..misspelled.clone() };
    let hides = meant.starts_with("no") || meant == "unavailable_after" || spelled.value.as_deref() == Some("0");
    let others = all.iter().filter(|directive| *directive != misspelled);
    let after: Vec<&Directive> = others.chain([&spelled]).filter(|directive| for_google(directive)).collect();
    !hides && contradiction(&after).is_none()
}
