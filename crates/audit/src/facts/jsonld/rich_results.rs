//! What Google's rich results require and recommend of a node, and what of it the page's nodes lack.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::graph::{Graph, GraphNode, PathValue, local};
use super::tree::{TreeKind, ValueTree};

/// The requirements; the file says what its columns mean.
const RICH_RESULTS: &str = include_str!("../../data/rich_results.tsv");
/// An empty column.
const NOTHING: &str = "-";
/// Types that count as another.
const SUBTYPES: &str = include_str!("../../data/schema_subtypes.tsv");

/// One row of requirements.
#[derive(Debug, Clone, Copy)]
struct RequirementRow {
    page: &'static str,
    kind: &'static str,
    places: &'static str,
    when: Option<&'static str>,
    required: &'static str,
    recommended: &'static str,
}

/// A node that lacks something.
#[derive(Debug)]
pub(crate) struct Gap<'t> {
    /// The node.
    pub(crate) node: &'t ValueTree,
    /// Position of its source among those that were read.
    pub(crate) block: usize,
    /// Its type.
    pub(crate) kind: &'t str,
    /// Whether the page is about it alone, so that what the page says of itself it says of the node.
    pub(crate) is_subject: bool,
    /// Page of the requirement in Google's documentation.
    pub(crate) page: &'static str,
    /// What it lacks.
    pub(crate) missing: Vec<Requirement>,
}

impl<'t> Gap<'t> {
    /// A node that lacks its type.
    pub(crate) fn untyped(node: &GraphNode<'t>) -> Self {
        let missing = vec![Requirement::TYPE];
        Self { node: node.tree, block: node.block, kind: "", is_subject: false, page: "", missing }
    }
}

/// A property that a node must have: one of some paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Requirement(&'static str);

impl Requirement {
    /// A type.
    pub(crate) const TYPE: Self = Self("@type");

    /// The path to fill in: the first alternative.
    pub(crate) fn path(self) -> &'static str {
        let first = self.0.split('|').next().unwrap_or_default();
        first.split_once(">=").map_or(first, |(path, _)| path)
    }

    /// For a person: `offers / review`, `image (≥ 8)`. Exemptions are left out.
    pub(crate) fn shown(self) -> String {
        let paths = self.0.split('|').filter(|path| !path.starts_with('@') && !path.replace(">=", "").contains('='));
        let shown = paths.map(|path| match path.split_once(">=") {
            Some((path, least)) => format!("{path} (≥ {least})"),
            None => path.to_owned(),
        });
        shown.collect::<Vec<_>>().join(" / ")
    }

    /// Whether every alternative lies below a property that is missing itself.
    fn is_below(self, missing: &[Self]) -> bool {
        let below = |path: &str| {
            missing.iter().any(|known| path.strip_prefix(known.0).is_some_and(|rest| rest.starts_with('.')))
        };
        self.0.split('|').all(below)
    }
}

/// What Google says of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    /// Without it there is no rich result.
    Required,
    /// With it the result is better.
    Recommended,
}

/// What the nodes of a page lack, and whether any row asked something of one of them.
#[derive(Debug, Default)]
pub(crate) struct Requirements<'t> {
    pub(crate) applied: bool,
    pub(crate) gaps: Vec<Gap<'t>>,
}

/// Judges every node. `is_home`: whether the page is the root of its site.
pub(crate) fn read<'t>(graph: &Graph<'t>, is_home: bool, need: Need) -> Requirements<'t> {
    let table = &*TABLE;
    let mut out = Requirements::default();
    for node in graph.nodes.iter().filter(|node| !graph.is_undescribed(node.tree)) {
        let mut judged: BTreeSet<(&str, &str)> = BTreeSet::new();
        let typed = node.types.iter().flat_map(|kind| table.rows(kind).map(move |row| (*kind, row)));
        for (kind, row) in typed {
            let column = match need {
                Need::Required => row.required,
                Need::Recommended => row.recommended,
            };
            let counts = table.fits(graph, node, &row, is_home) && judged.insert((row.page, row.kind));
            if !counts || column == NOTHING {
                continue;
            }
            out.applied = true;
            let missing = lacking(graph, node, column);
            if !missing.is_empty() {
                let (page, is_subject) = (row.page, graph.is_subject(node));
                out.gaps.push(Gap { node: node.tree, block: node.block, kind, is_subject, page, missing });
            }
        }
    }
    out
}

/// The nodes that the page is about and that may become a rich result, but those of some pages of the documentation.
pub(crate) fn subjects<'g, 't>(graph: &'g Graph<'t>, but: &[&str]) -> Vec<&'g GraphNode<'t>> {
    let table = &*TABLE;
    let is_subject = |node: &&GraphNode<'t>| {
        let mut rows = node.types.iter().flat_map(|kind| table.rows(kind));
        !graph.is_undescribed(node.tree)
            && rows.any(|row| !but.contains(&row.page) && row.places == "top" && table.fits(graph, node, &row, false))
    };
    graph.nodes.iter().filter(is_subject).collect()
}

/// What of a column a node lacks.
fn lacking<'t>(graph: &Graph<'t>, node: &GraphNode<'t>, column: &'static str) -> Vec<Requirement> {
    let mut missing: Vec<Requirement> = Vec::new();
    for requirement in column.split(' ').map(Requirement) {
        if !is_met(graph, node, requirement.0) && !requirement.is_below(&missing) {
            missing.push(requirement);
        }
    }
    missing
}

/// Whether a node has one of some alternatives. What is not known here is taken for met.
fn is_met<'t>(graph: &Graph<'t>, node: &GraphNode<'t>, requirement: &str) -> bool {
    requirement.split('|').any(|path| {
        if path == "@last" {
            return node.is_last;
        }
        if let Some((path, least)) = path.split_once(">=") {
            return least.parse().is_ok_and(|least: usize| graph.count(node.tree, path) >= least);
        }
        let found = match path.split_once('=') {
            Some((path, wanted)) => graph.look_for(node.tree, path, &|value| is(value, wanted)),
            None => graph.look(node.tree, path),
        };
        found != PathValue::Absent
    })
}

/// Whether a value is a word, however it is written.
fn is(value: &ValueTree, wanted: &str) -> bool {
    match &value.kind {
        TreeKind::Text(text) => local(text.trim()).eq_ignore_ascii_case(wanted),
        TreeKind::Bool(value) => value.to_string() == wanted,
        _ => false,
    }
}

/// The tables, read once.
static TABLE: LazyLock<RequirementTable> = LazyLock::new(RequirementTable::read);

struct RequirementTable {
    rows: BTreeMap<&'static str, Vec<RequirementRow>>,
    supertypes: BTreeMap<&'static str, Vec<&'static str>>,
}

impl RequirementTable {
    fn read() -> Self {
        let mut supertypes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (kind, subtypes) in
            SUBTYPES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
        {
            subtypes.split(' ').for_each(|subtype| supertypes.entry(subtype).or_default().push(kind));
        }
        let mut rows: BTreeMap<&str, Vec<RequirementRow>> = BTreeMap::new();
        for line in RICH_RESULTS.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.split('\t');
            let mut next = || columns.next().unwrap_or(NOTHING);
            let (page, kind, places) = (next(), next(), next());
            let when = Some(next()).filter(|when| *when != NOTHING);
            let (required, recommended) = (next(), next());
            rows.entry(kind).or_default().push(RequirementRow { page, kind, places, when, required, recommended });
        }
        Self { rows, supertypes }
    }

    /// The rows of a type and of those above it.
    fn rows<'k>(&'k self, kind: &'k str) -> impl Iterator<Item = RequirementRow> + 'k {
        let above = self.supertypes.get(kind).map(Vec::as_slice).unwrap_or_default();
        let kinds = std::iter::once(kind).chain(above.iter().copied());
        kinds.filter_map(|kind| self.rows.get(kind)).flatten().copied()
    }

    fn is_a(&self, kind: &str, wanted: &str) -> bool {
        kind == wanted || self.supertypes.get(kind).is_some_and(|above| above.contains(&wanted))
    }

    fn fits<'t>(&self, graph: &Graph<'t>, node: &GraphNode<'t>, row: &RequirementRow, is_home: bool) -> bool {
        let is_there = row.places.split(' ').any(|place| match place.split_once('.') {
            None => graph.leads(node) && (place == "top" || is_home == (place == "home")),
            Some((kind, property)) => node.within.iter().any(|(parent, found)| {
                let Some(parent) = graph.nodes.get(*parent).filter(|_| *found == property) else { return false };
                let (kind, must_lead) = kind.strip_prefix('^').map_or((kind, false), |kind| (kind, true));
                let is_kind = || kind.is_empty() || parent.types.iter().any(|found| self.is_a(found, kind));
                (!must_lead || graph.leads(parent)) && is_kind()
            }),
        });
        is_there && row.when.is_none_or(|when| is_met(graph, node, when))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Type and missing paths of every gap.
    fn gaps_at(nodes: &str, is_home: bool) -> Vec<String> {
        let source = format!("{{\"@context\":\"https://schema.org\",\"@graph\":[{nodes}]}}");
        let tree = ValueTree::read(&source).unwrap();
        let shown = |gap: &Gap<'_>| {
            let missing: Vec<String> = gap.missing.iter().map(|missing| missing.shown()).collect();
            format!("{} {}", gap.kind, missing.join(", "))
        };
        read(&Graph::read([&tree]), is_home, Need::Required).gaps.iter().map(shown).collect()
    }

    fn gaps(nodes: &str) -> Vec<String> {
        gaps_at(nodes, false)
    }

    #[test]
    fn the_tables_are_whole() {
        for line in RICH_RESULTS.lines().filter(|line| !line.starts_with('#')) {
            assert_eq!(line.split('\t').filter(|column| !column.is_empty()).count(), 6, "{line}");
        }
        let table = &*TABLE;
        for kind in table.supertypes.values().flatten() {
            assert!(table.rows.contains_key(kind), "{kind} is no type with requirements");
        }
    }

    #[test]
    fn nodes_are_judged_by_type_and_place() {
        let product =
            r#"{"@type":"Product","name":"Bread","offers":{"@type":"Offer","price":5,"priceCurrency":"BRL"}}"#;
        assert_eq!(gaps(product), ["Product image"]);
        assert_eq!(gaps(r#"{"@type":"Product","name":"Bread"}"#), ["Product offers / aggregateRating / review"]);
        assert_eq!(
            gaps(r#"{"@type":"Product","name":"Bread","offers":{"@type":"AggregateOffer","highPrice":5}}"#),
            ["AggregateOffer lowPrice, priceCurrency"]
        );
        assert_eq!(
            gaps(
                r#"{"@type":"IndividualProduct","name":"a","image":"b","offers":[{"@type":"Offer"},{"@type":"Offer","price":"1","priceCurrency":"BRL"}]}"#
            ),
            ["Offer price / priceSpecification.price, priceCurrency / priceSpecification.priceCurrency"]
        );
        // A detail of another node is no result of its own.
        assert_eq!(gaps(r#"{"@type":"Article","about":{"@type":"Product","name":"Bread"}}"#), Vec::<String>::new());
        assert_eq!(gaps(r#"{"@type":"Restaurant","name":"Mill"}"#), ["Restaurant address"]);
        assert_eq!(gaps(r#"{"@type":"Organization"}"#), Vec::<String>::new());
    }

    #[test]
    fn a_rating_inside_what_it_rates_needs_no_name_of_it() {
        let rating = r#"{"@type":"AggregateRating","ratingValue":4,"reviewCount":2}"#;
        assert_eq!(gaps(rating), ["AggregateRating itemReviewed.name"]);
        assert_eq!(
            gaps(&format!("{{\"@type\":\"Recipe\",\"name\":\"a\",\"image\":\"b\",\"aggregateRating\":{rating}}}")),
            Vec::<String>::new()
        );
        let referred = r##"{"@type":"Recipe","name":"a","image":"b","review":{"@id":"#r"}},{"@id":"#r","@type":"Review","author":"Ana"}"##;
        assert_eq!(gaps(referred), ["Review reviewRating.ratingValue"]);
    }

    #[test]
    fn breadcrumbs_need_two_steps_away_from_the_home_page() {
        let trail = |items: &str| format!("{{\"@type\":\"BreadcrumbList\",\"itemListElement\":[{items}]}}");
        let first = r#"{"@type":"ListItem","position":1,"item":{"@id":"https://e.com/","name":"Home"}}"#;
        assert_eq!(gaps(&trail(first)), ["BreadcrumbList itemListElement (≥ 2)"]);
        assert_eq!(gaps_at(&trail(first), true), Vec::<String>::new());
        let last = r#"{"@type":"ListItem","position":2,"name":"Rye"}"#;
        assert_eq!(gaps(&trail(&format!("{first},{last}"))), Vec::<String>::new());
        assert_eq!(gaps(&trail(&format!("{last},{first}"))), ["ListItem item"]);
        let unnamed = r#"{"@type":"ListItem","item":"https://e.com/a"}"#;
        assert_eq!(gaps(&trail(&format!("{first},{unnamed}"))), ["ListItem position, name / item.name"]);
    }

    #[test]
    fn a_list_inside_another_node_is_no_carousel() {
        let list = r#"{"@type":"ItemList","itemListElement":[{"@type":"ListItem","name":"Crisp crust"}]}"#;
        assert_eq!(gaps(list), ["ListItem position, url / item"]);
        for property in ["positiveNotes", "negativeNotes", "recipeInstructions", "step"] {
            assert_eq!(gaps(&format!("{{\"@type\":\"CreativeWork\",\"{property}\":{list}}}")), Vec::<String>::new());
        }
    }

    #[test]
    fn exemptions_hold_and_what_lies_below_a_gap_is_not_told_twice() {
        let job = |rest: &str| {
            format!(
                "{{\"@type\":\"JobPosting\",\"title\":\"a\",\"description\":\"b\",\"datePosted\":\"2026-01-01\",\"hiringOrganization\":\"Mill\"{rest}}}"
            )
        };
        assert_eq!(gaps(&job("")).len(), 1);
        assert_eq!(
            gaps(&job(r#","jobLocationType":"TELECOMMUTE""#)),
            ["JobPosting jobLocation.address.addressCountry / applicantLocationRequirements"]
        );
        let remote =
            r#","jobLocationType":"TELECOMMUTE","applicantLocationRequirements":{"@type":"Country","name":"BR"}"#;
        assert_eq!(gaps(&job(remote)), Vec::<String>::new());
        assert_eq!(gaps(r#"{"@type":"QAPage"}"#), ["QAPage mainEntity"]);
        let event =
            |place: &str| format!("{{\"@type\":\"MusicEvent\",\"name\":\"a\",\"startDate\":\"2026-01-01\"{place}}}");
        assert_eq!(gaps(&event("")), ["MusicEvent location"]);
        assert_eq!(gaps(&event(r#","location":{"@type":"Place","name":"x"}"#)), ["MusicEvent location.address"]);
        assert_eq!(
            gaps(&event(r#","location":{"@type":"VirtualLocation","url":"https://e.com"}"#)),
            Vec::<String>::new()
        );
        assert_eq!(gaps(&event(r#","location":"Rua A, 1""#)), Vec::<String>::new());
    }

    #[test]
    fn what_the_page_only_names_is_not_called_missing() {
        assert_eq!(
            gaps(
                r##"{"@type":"Review","author":{"@id":"#a"},"itemReviewed":{"@id":"/x"},"reviewRating":{"@id":"#r"}}"##
            ),
            Vec::<String>::new()
        );
        assert_eq!(gaps(r##"{"@type":"Recipe","@id":"https://example.org/recipe"}"##), Vec::<String>::new());
        assert_eq!(gaps(r#"{"@type":"WebSite","@id":"a","publisher":"b"}"#), Vec::<String>::new());
        assert_eq!(gaps_at(r#"{"@type":"WebSite","publisher":"b"}"#, true), ["WebSite name, url"]);
        assert_eq!(gaps(r#"{"@type":"ImageObject","url":"https://e.com/a"}"#), Vec::<String>::new());
        assert_eq!(gaps(r#"{"@type":"ImageObject","license":"https://e.com/l"}"#), ["ImageObject contentUrl"]);
        let closed = r#"{"@type":"NewsArticle","isAccessibleForFree":"False","hasPart":{"@type":"WebPageElement"}}"#;
        assert_eq!(gaps(closed), ["NewsArticle hasPart.isAccessibleForFree, hasPart.cssSelector"]);
    }
}
