//! Values of schema.org properties: which can't be read as their property asks, and what was plainly meant.

mod amount;
mod bounds;
mod date;
mod form;
mod verdict;
mod words;

use std::collections::BTreeSet;

use url::Url;

use super::complete::spliced;
use super::graph::{Graph, local};
use super::placeholder;
use super::tree::{Member, ValueTree};

pub(crate) use date::is_date;
use form::{BY_PROPERTY, ValueForm};
pub(crate) use verdict::plain;
use verdict::{NamedMembers, ValueVerdict, judged};

/// Where the currency of a price stands.
const CURRENCY_CODES: [&str; 3] = ["currency", "priceCurrency", "salaryCurrency"];
/// Bytes of a value that is repaired: a longer one is no plain slip, and would swell the patch.
const LONGEST_REPAIRED: usize = 512;

/// A value that is not what its property asks for.
#[derive(Debug)]
pub(crate) struct Bad<'t> {
    /// Position of its block among those that were read.
    pub(crate) block: usize,
    /// First type of its node, or nothing.
    pub(crate) kind: &'t str,
    /// Its property.
    pub(crate) property: &'t str,
    /// The value.
    pub(crate) value: &'t ValueTree,
    /// What the property asks for.
    pub(crate) form: ValueForm,
    /// The values to write, of this property and of one that changes places with it; empty when only a person can say what
    /// was meant.
    pub(crate) repair: Vec<ValueRepair<'t>>,
}

/// A value, and what to write in its place.
#[derive(Debug)]
pub(crate) struct ValueRepair<'t> {
    /// Its property.
    pub(crate) property: &'t str,
    /// The value as it is.
    pub(crate) value: &'t ValueTree,
    /// The JSON to write.
    pub(crate) json: String,
}

impl Bad<'_> {
    /// Whether it is a date with a space in place of the `T` of ISO 8601, as readers that keep to RFC 3339 (§5.6) take it.
    pub(crate) fn is_spaced_date(&self) -> bool {
        let text = plain(self.value).unwrap_or_default().trim();
        self.form == ValueForm::Date && text.contains(' ') && date::is_date(&text.replacen(' ', "T", 1))
    }
}

/// Resolves an address.
type Resolve<'p> = dyn Fn(&str) -> Option<Url> + 'p;
/// Completes a date.
type Zoned<'p> = dyn Fn(&str) -> Option<String> + 'p;

/// What of the page decides how a value is meant.
pub(crate) struct Setting<'p> {
    /// The decimal mark of the page's language, where it is certain.
    pub(crate) decimal_mark: Option<char>,
    /// Resolves an address as the document does.
    pub(crate) resolve: Box<Resolve<'p>>,
    /// The date with the zone that another statement of the page gives it; `None` where none does.
    pub(crate) zoned: Box<Zoned<'p>>,
}

/// The decimal mark that a language is written with; `None` where countries of one language differ.
pub(crate) fn decimal_mark(language: &str) -> Option<char> {
    let mut subtags = language.trim().split(['-', '_']).map(str::to_ascii_lowercase);
    let primary = subtags.next()?;
    let region = subtags.next_back().unwrap_or_default();
    match (primary.as_str(), region.as_str()) {
        ("en", "za") | ("de" | "fr" | "it", "ch" | "li") => None,
        ("en", _) => Some('.'),
        ("pt" | "de" | "fr" | "it", _) => Some(','),
        _ => None,
    }
}

/// All that is wrong, in the order of the page; `None` when no value of a known property is there.
pub(crate) fn read<'t>(graph: &Graph<'t>, setting: &Setting<'_>) -> Option<Vec<Bad<'t>>> {
    let mut reader = ValueReader { setting, seen: false, bad: Vec::new() };
    for node in &graph.nodes {
        // Of a name that comes twice readers take the last.
        let named = node.tree.members().into_iter().flatten().map(|member| (local(&member.name), member));
        let node = NamedMembers { node, members: named.collect() };
        let first = reader.bad.len();
        node.members.values().for_each(|member| reader.judge(&node, member));
        if let Some(bad) = reader.bad.get_mut(first..) {
            bad.sort_by_key(|bad| bad.value.span.start);
        }
    }
    reader.seen.then_some(reader.bad)
}

struct ValueReader<'s, 'p, 't> {
    setting: &'s Setting<'p>,
    seen: bool,
    bad: Vec<Bad<'t>>,
}

impl<'t> ValueReader<'_, '_, 't> {
    fn judge(&mut self, node: &NamedMembers<'_, 't>, member: &'t Member) {
        let property = local(&member.name);
        if property == "itemListElement" {
            self.judge_positions(node, member);
            return;
        }
        let Some(form) = self.form(property, node) else { return };
        for value in member.value.each() {
            // What is no plain text or number has properties of its own; what is empty says nothing.
            let Some(text) = plain(value).filter(|text| !text.trim().is_empty()) else { continue };
            // What was never filled in is told as that.
            if placeholder::is_placeholder(text) {
                continue;
            }
            self.seen = true;
            let judged = match form {
                ValueForm::Date => judged(date::is_date(text), || {
                    let repaired = date::repaired_date(text)?;
                    Some((self.setting.zoned)(&repaired).unwrap_or(repaired))
                }),
                ValueForm::Duration => judged(date::is_duration(text), || date::repaired_duration(text)),
                ValueForm::Price => self.judge_price(node, text),
                ValueForm::Currency => judged(words::is_currency(text), || words::repaired_currency(text)),
                ValueForm::Member => words::judge_member(property, text),
                ValueForm::Address => self.judge_address(text),
                ValueForm::Rating => bounds::judge_rating(node, text),
                ValueForm::Degrees => bounds::judge_degrees(property, text),
                ValueForm::Gtin => {
                    let length = property.strip_prefix("gtin").and_then(|digits| digits.parse().ok());
                    judged(amount::is_gtin(text), || amount::repaired_gtin(text, length))
                }
                ValueForm::Position => Ok(()),
            };
            let Err(meant) = judged else { continue };
            let repair = match meant {
                _ if text.len() > LONGEST_REPAIRED => Vec::new(),
                Some(meant) => vec![ValueRepair { property, value, json: meant.to_string() }],
                None if form == ValueForm::Degrees => bounds::swapped(node, property),
                None => Vec::new(),
            };
            self.tell(node, member, value, form, repair);
        }
    }

    fn form(&self, property: &str, node: &NamedMembers<'_, '_>) -> Option<ValueForm> {
        Some(match property {
            _ if words::is_of_enumeration(property) => ValueForm::Member,
            "employmentType" if node.is_a("JobPosting") => ValueForm::Member,
            "item" if node.is_a("ListItem") => ValueForm::Address,
            "ratingValue" if bounds::is_stars(node) => ValueForm::Rating,
            "latitude" | "longitude" => ValueForm::Degrees,
            "gtin" | "gtin8" | "gtin12" | "gtin13" | "gtin14" => ValueForm::Gtin,
            _ => return BY_PROPERTY.get(property).copied(),
        })
    }

    fn tell(
        &mut self,
        node: &NamedMembers<'_, 't>,
        member: &'t Member,
        value: &'t ValueTree,
        form: ValueForm,
        repair: Vec<ValueRepair<'t>>,
    ) {
        let kind = node.node.types.first().copied().unwrap_or_default();
        self.bad.push(Bad { block: node.node.block, kind, property: local(&member.name), value, form, repair });
    }

    fn judge_price(&self, node: &NamedMembers<'_, '_>, text: &str) -> ValueVerdict {
        let has_currency = CURRENCY_CODES.iter().any(|name| node.plain(name).is_some());
        judged(amount::is_price(text) || is_scientific(text), || {
            amount::repaired_price(text, self.setting.decimal_mark?, has_currency)
        })
    }

    fn judge_address(&self, text: &str) -> ValueVerdict {
        let is_web = |url: &Url| matches!(url.scheme(), "http" | "https");
        match Url::parse(text.trim()) {
            Ok(url) if is_web(&url) => Ok(()),
            Ok(_) => Err(None),
            Err(_) if is_path(text) => Err((self.setting.resolve)(text).filter(is_web).map(|url| url.as_str().into())),
            Err(_) => Err(None),
        }
    }

    /// Positions of the items of one list: 1 to n for a trail, and for another list any that differ and start above 0,
    /// since a list may go on over several pages. Their order in the block says nothing: the position does.
    fn judge_positions(&mut self, node: &NamedMembers<'_, 't>, list: &'t Member) {
        let positions: Vec<(&'t Member, Option<u64>)> = list
            .value
            .each()
            .iter()
            .filter_map(|item| item.members()?.iter().find(|member| local(&member.name) == "position"))
            .filter_map(|member| Some((member, plain(&member.value)?.trim().parse().ok())))
            .collect();
        self.seen |= !positions.is_empty();
        let count = positions.len() as u64;
        let most = if node.is_a("BreadcrumbList") { count } else { u64::MAX };
        let mut sorted: Vec<Option<u64>> = positions.iter().map(|(_, position)| *position).collect();
        sorted.sort_unstable();
        let from_zero = sorted.iter().copied().eq((0..count).map(Some));
        let mut taken = BTreeSet::new();
        for (member, position) in positions {
            let fits = position.is_some_and(|position| (1..=most).contains(&position) && taken.insert(position));
            if from_zero {
                let (property, value) = (local(&member.name), &member.value);
                let next = position.map(|position| ValueRepair { property, value, json: (position + 1).to_string() });
                self.tell(node, member, value, ValueForm::Position, next.into_iter().collect());
            } else if !fits {
                self.tell(node, member, &member.value, ValueForm::Position, Vec::new());
            }
        }
    }
}

/// `1e3`, as a JSON number may be written.
fn is_scientific(text: &str) -> bool {
    text.contains(['e', 'E']) && text.parse::<f64>().is_ok_and(|number| number >= 0.0)
}

/// Whether a text is written as a path, not as a host or a word.
fn is_path(text: &str) -> bool {
    let first = text.trim().split('/').next().unwrap_or_default();
    let is_name = first.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    text.contains('/') && (matches!(first, "" | "." | "..") || is_name)
}

/// A block with everything repaired that can be, all else as it is written.
pub(crate) fn repaired(text: &str, setting: &Setting<'_>) -> String {
    let Some(tree) = ValueTree::read(text) else { return text.to_owned() };
    let bad = read(&Graph::read([&tree]), setting).unwrap_or_default();
    let repairs = bad.into_iter().flat_map(|bad| bad.repair);
    spliced(text, repairs.map(|repair| (repair.value.span.clone(), repair.json)).collect())
}

#[cfg(test)]
mod tests;
