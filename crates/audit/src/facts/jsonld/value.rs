//! Values of schema.org properties: which can't be read as their property asks, and what was plainly meant.

mod amount;
mod date;
mod form;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use url::Url;

use super::complete::{Insertion, spliced};
use super::graph::{Graph, GraphNode, local};
use super::placeholder;
use super::tree::{Member, TreeKind, ValueTree};
use crate::facts::schema_org;

pub(crate) use date::is_date;
use form::{ValueForm, forms};

/// Currency codes.
const CURRENCIES: &str = include_str!("../../data/currencies.txt");
/// Signs that stand for one currency only.
const SIGNS: [(&str, &str); 10] = [
    ("R$", "BRL"),
    ("US$", "USD"),
    ("€", "EUR"),
    ("₹", "INR"),
    ("₽", "RUB"),
    ("₺", "TRY"),
    ("₪", "ILS"),
    ("₫", "VND"),
    ("₴", "UAH"),
    ("₦", "NGN"),
];
/// Where the currency of a price stands.
const CURRENCY_CODES: [&str; 3] = ["currency", "priceCurrency", "salaryCurrency"];
/// Properties whose values are members of an enumeration of schema.org.
const ENUMERATIONS: [(&str, &str); 7] = [
    ("availability", "ItemAvailability"),
    ("eventAttendanceMode", "EventAttendanceModeEnumeration"),
    ("eventStatus", "EventStatusType"),
    ("itemCondition", "OfferItemCondition"),
    ("returnFees", "ReturnFeesEnumeration"),
    ("returnMethod", "ReturnMethodEnumeration"),
    ("returnPolicyCategory", "MerchantReturnEnumeration"),
];
/// Google's words for how a person is employed.
const EMPLOYMENT: [&str; 8] =
    ["FULL_TIME", "PART_TIME", "CONTRACTOR", "TEMPORARY", "INTERN", "VOLUNTEER", "PER_DIEM", "OTHER"];
/// Bounds of a rating that names none (schema.org `worstRating`, `bestRating`).
const RATING_BOUNDS: (f64, f64) = (1.0, 5.0);

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
    /// Places of the block and the JSON to put there; empty when only a person can say what was meant.
    pub(crate) repair: Vec<Insertion>,
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

/// What of the page decides how a value is meant.
pub(crate) struct Setting<'p> {
    /// The decimal mark of the page's language, where it is certain.
    pub(crate) decimal_mark: Option<char>,
    /// Resolves an address as the document does.
    pub(crate) resolve: Box<Resolve<'p>>,
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
    let mut reader = ValueReader { setting, forms: forms(), seen: false, bad: Vec::new() };
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

/// A node with its members by name.
struct NamedMembers<'g, 't> {
    node: &'g GraphNode<'t>,
    members: BTreeMap<&'t str, &'t Member>,
}

impl<'t> NamedMembers<'_, 't> {
    fn is_a(&self, kind: &str) -> bool {
        self.node.types.contains(&kind)
    }

    /// The value of a property, where it is plain and filled.
    fn plain(&self, property: &str) -> Option<(&'t ValueTree, &'t str)> {
        let value = &self.members.get(property)?.value;
        plain(value).filter(|text| !text.trim().is_empty()).map(|text| (value, text))
    }
}

struct ValueReader<'s, 'p, 't> {
    setting: &'s Setting<'p>,
    forms: BTreeMap<&'static str, ValueForm>,
    seen: bool,
    bad: Vec<Bad<'t>>,
}

/// A verdict on one value: fine, or bad with the JSON that was meant.
type ValueVerdict = Result<(), Option<Value>>;

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
                ValueForm::Date => judged(date::is_date(text), || date::repaired_date(text)),
                ValueForm::Duration => judged(date::is_duration(text), || date::repaired_duration(text)),
                ValueForm::Price => self.judge_price(node, text),
                ValueForm::Currency => judged(is_currency(text), || repaired_currency(text)),
                ValueForm::Member => judge_member(property, text),
                ValueForm::Address => self.judge_address(text),
                ValueForm::Rating => judge_rating(node, text),
                ValueForm::Degrees => judge_degrees(property, text),
                ValueForm::Gtin => {
                    let length = property.strip_prefix("gtin").and_then(|digits| digits.parse().ok());
                    judged(amount::is_gtin(text), || amount::repaired_gtin(text, length))
                }
                ValueForm::Position => Ok(()),
            };
            let Err(meant) = judged else { continue };
            let repair = match meant {
                _ if text.len() > LONGEST_REPAIRED => Vec::new(),
                Some(meant) => vec![(value.span.clone(), meant.to_string())],
                None if form == ValueForm::Degrees => swapped(node, property),
                None => Vec::new(),
            };
            self.tell(node, member, value, form, repair);
        }
    }

    fn form(&self, property: &str, node: &NamedMembers<'_, '_>) -> Option<ValueForm> {
        Some(match property {
            _ if ENUMERATIONS.iter().any(|(name, _)| *name == property) => ValueForm::Member,
            "employmentType" if node.is_a("JobPosting") => ValueForm::Member,
            "item" if node.is_a("ListItem") => ValueForm::Address,
            "ratingValue" if is_stars(node) => ValueForm::Rating,
            "latitude" | "longitude" => ValueForm::Degrees,
            "gtin" | "gtin8" | "gtin12" | "gtin13" | "gtin14" => ValueForm::Gtin,
            _ => return self.forms.get(property).copied(),
        })
    }

    fn tell(
        &mut self,
        node: &NamedMembers<'_, 't>,
        member: &'t Member,
        value: &'t ValueTree,
        form: ValueForm,
        repair: Vec<Insertion>,
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
                let next = position.map(|position| (member.value.span.clone(), (position + 1).to_string()));
                self.tell(node, member, &member.value, ValueForm::Position, next.into_iter().collect());
            } else if !fits {
                self.tell(node, member, &member.value, ValueForm::Position, Vec::new());
            }
        }
    }
}

fn judged(fits: bool, meant: impl FnOnce() -> Option<String>) -> ValueVerdict {
    if fits { Ok(()) } else { Err(meant().map(Value::from)) }
}

/// A text or number as it is written.
pub(crate) fn plain(value: &ValueTree) -> Option<&str> {
    match &value.kind {
        TreeKind::Text(text) | TreeKind::Number(text) => Some(text),
        _ => None,
    }
}

/// `1e3`, as a JSON number may be written.
fn is_scientific(text: &str) -> bool {
    text.contains(['e', 'E']) && text.parse::<f64>().is_ok_and(|number| number >= 0.0)
}

fn is_currency(text: &str) -> bool {
    let lines = CURRENCIES.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(' ')).any(|code| code == text)
}

fn repaired_currency(text: &str) -> Option<String> {
    let text = text.trim();
    let sign = SIGNS.iter().find(|(sign, _)| *sign == text).map(|(_, code)| (*code).to_owned());
    sign.or_else(|| Some(text.to_ascii_uppercase()).filter(|code| is_currency(code)))
}

/// Letters and digits in lower case: `in_stock` is `In stock`.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn judge_member(property: &str, text: &str) -> ValueVerdict {
    let text = text.trim();
    let Some((_, enumeration)) = ENUMERATIONS.iter().find(|(name, _)| *name == property) else {
        let meant = EMPLOYMENT.iter().find(|word| bare(word) == bare(text));
        return judged(EMPLOYMENT.contains(&text), || meant.map(|word| (*word).to_owned()));
    };
    let name = local(text);
    // Readers take the word without its class for the member: `new` for `NewCondition`.
    let short = |member: &str| bare(member.trim_start_matches("Event").trim_end_matches("Condition"));
    let members = || schema_org::members(enumeration);
    let meant = members().find(|member| bare(member) == bare(name) || short(member) == bare(name));
    judged(members().any(|member| member == name), || meant.map(|member| format!("https://schema.org/{member}")))
}

/// Whether a rating is one of stars. Those of content, hotels and certificates have words (`contentRating`, `starRating`,
/// `certificationRating`).
fn is_stars(node: &NamedMembers<'_, '_>) -> bool {
    let is_of_reviews = |(_, property): &(usize, &str)| matches!(*property, "reviewRating" | "aggregateRating");
    node.is_a("AggregateRating") || node.is_a("EmployerAggregateRating") || node.node.within.iter().any(is_of_reviews)
}

/// Whether a text is written as a path, not as a host or a word.
fn is_path(text: &str) -> bool {
    let first = text.trim().split('/').next().unwrap_or_default();
    let is_name = first.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    text.contains('/') && (matches!(first, "" | "." | "..") || is_name)
}

fn judge_rating(node: &NamedMembers<'_, '_>, text: &str) -> ValueVerdict {
    // A share or a fraction states its own scale.
    if text.contains(['%', '/']) {
        return Ok(());
    }
    let bound = |name, default| match node.plain(name) {
        Some((_, text)) => amount::number(text).map(|(number, _)| number),
        None => Some(default),
    };
    let bounds = bound("worstRating", RATING_BOUNDS.0).zip(bound("bestRating", RATING_BOUNDS.1));
    match amount::number(text) {
        // Bounds that are no numbers say nothing of the value.
        Some((number, meant)) if bounds.is_none_or(|(worst, best)| (worst..=best).contains(&number)) => {
            meant.map_or(Ok(()), |meant| Err(Some(meant.into())))
        }
        _ => Err(None),
    }
}

fn judge_degrees(property: &str, text: &str) -> ValueVerdict {
    match amount::number(text) {
        Some((number, meant)) if number.abs() <= most_degrees(property) => {
            meant.map_or(Ok(()), |meant| Err(Some(meant.into())))
        }
        _ => Err(None),
    }
}

fn most_degrees(property: &str) -> f64 {
    if property == "latitude" { 90.0 } else { 180.0 }
}

/// Latitude and longitude in each other's place: the one can't be, and both fit when they change places.
fn swapped(node: &NamedMembers<'_, '_>, property: &str) -> Vec<Insertion> {
    let Some((latitude, longitude)) = node.plain("latitude").zip(node.plain("longitude")) else {
        return Vec::new();
    };
    // One that also has a comma for a point is told by itself; two repairs of one value would disagree.
    let fits = |(_, text): (&ValueTree, &str), property| match amount::number(text) {
        Some((degrees, None)) => degrees.abs() <= most_degrees(property),
        _ => false,
    };
    let written = |(tree, text): (&ValueTree, &str)| match tree.kind {
        TreeKind::Number(_) => text.to_owned(),
        _ => Value::from(text.trim()).to_string(),
    };
    if property == "latitude" && fits(longitude, "latitude") && fits(latitude, "longitude") {
        vec![(latitude.0.span.clone(), written(longitude)), (longitude.0.span.clone(), written(latitude))]
    } else {
        Vec::new()
    }
}

/// A block with everything repaired that can be, all else as it is written.
pub(crate) fn repaired(text: &str, setting: &Setting<'_>) -> String {
    let Some(tree) = ValueTree::read(text) else { return text.to_owned() };
    let bad = read(&Graph::read([&tree]), setting).unwrap_or_default();
    spliced(text, bad.into_iter().flat_map(|bad| bad.repair).collect())
}

#[cfg(test)]
mod tests {
    use super::form::FORMS;
    use super::*;

    /// Every bad value of a node, and the members that it has after its repair; `None` where nothing is known.
    fn judged_in(node: &str, decimal_mark: Option<char>) -> Option<Vec<(String, Option<String>)>> {
        let source = format!("{{\"@context\":\"https://schema.org\",{node}}}");
        let tree = ValueTree::read(&source).unwrap();
        let base = Url::parse("https://example.com/a/b").unwrap();
        let setting = Setting { decimal_mark, resolve: Box::new(|href| base.join(href).ok()) };
        let bad = read(&Graph::read([&tree]), &setting)?;
        Some(
            bad.iter()
                .map(|bad| (plain(bad.value).unwrap().to_owned(), bad.repair.first().map(|(_, json)| json.clone())))
                .collect(),
        )
    }

    #[track_caller]
    fn fine(node: &str) {
        assert_eq!(judged_in(node, Some(',')), Some(Vec::new()), "{node}");
    }

    #[track_caller]
    fn bad(node: &str, value: &str, repaired: Option<&str>) {
        let expected = vec![(value.to_owned(), repaired.map(str::to_owned))];
        assert_eq!(judged_in(node, Some(',')), Some(expected), "{node}");
    }

    #[test]
    fn dates_durations_and_currencies() {
        fine(r#""datePublished":"2026-12-31T10:00-03:00","birthDate":2000,"totalTime":"PT30M","priceCurrency":"BRL""#);
        bad(r#""datePublished":"31/12/2026""#, "31/12/2026", Some("\"2026-12-31\""));
        bad(r#""dateModified":1795219200"#, "1795219200", None);
        bad(r#""cookTime":"30 min""#, "30 min", Some("\"PT30M\""));
        bad(r#""priceCurrency":"R$""#, "R$", Some("\"BRL\""));
        bad(r#""priceCurrency":"$""#, "$", None);
        bad(r#""schema:priceCurrency":"usd""#, "usd", Some("\"USD\""));
        assert_eq!(judged_in(r#""datePublished":" ","name":"31/12/2026""#, None), None);
    }

    #[test]
    fn prices_are_repaired_where_the_language_is_certain_and_the_currency_known() {
        fine(r#""price":10,"lowPrice":"10.50","highPrice":1e3"#);
        bad(r#""price":"1.299,00""#, "1.299,00", Some("\"1299.00\""));
        bad(r#""price":"R$ 10","priceCurrency":"BRL""#, "R$ 10", Some("\"10\""));
        bad(r#""price":"R$ 10""#, "R$ 10", None);
        bad(r#""price":-1"#, "-1", None);
        let unknown = judged_in(r#""price":"1.299,00""#, None).unwrap();
        assert_eq!(unknown.first().unwrap().1, None);
        assert_eq!(decimal_mark("pt-BR"), Some(','));
        assert_eq!(decimal_mark("en"), Some('.'));
        assert_eq!((decimal_mark("de-CH"), decimal_mark("es"), decimal_mark("")), (None, None, None));
    }

    #[test]
    fn words_of_enumerations() {
        fine(
            r#""availability":"https://schema.org/InStock","itemCondition":"NewCondition","eventStatus":"http://schema.org/EventScheduled""#,
        );
        bad(r#""availability":"in stock""#, "in stock", Some("\"https://schema.org/InStock\""));
        bad(
            r#""availability":"https://schema.org/instock""#,
            "https://schema.org/instock",
            Some("\"https://schema.org/InStock\""),
        );
        bad(r#""itemCondition":"new""#, "new", Some("\"https://schema.org/NewCondition\""));
        bad(r#""eventStatus":"cancelled""#, "cancelled", Some("\"https://schema.org/EventCancelled\""));
        bad(r#""availability":"soon""#, "soon", None);
        fine(r#""@type":"JobPosting","employmentType":["FULL_TIME","INTERN"]"#);
        bad(r#""@type":"JobPosting","employmentType":"Full-time""#, "Full-time", Some("\"FULL_TIME\""));
        assert_eq!(judged_in(r#""@type":"Person","employmentType":"Full-time""#, None), None);
    }

    #[test]
    fn addresses_are_absolute() {
        fine(r#""url":"https://e.com/a","image":["http://e.com/b",{"url":"https://e.com/c"}]"#);
        bad(r#""logo":"/logo.png""#, "/logo.png", Some("\"https://example.com/logo.png\""));
        bad(r#""image":"img/a.png""#, "img/a.png", Some("\"https://example.com/a/img/a.png\""));
        bad(
            r#""image":"//cdn.example.com/a.png""#,
            "//cdn.example.com/a.png",
            Some("\"https://cdn.example.com/a.png\""),
        );
        for value in ["www.example.com/a", "data:image/png;base64,AA", "a.png", "#"] {
            bad(&format!("\"url\":\"{value}\""), value, None);
        }
        assert_eq!(judged_in(r#""item":"/a""#, None), None);
        bad(r#""@type":"ListItem","item":"/a""#, "/a", Some("\"https://example.com/a\""));
    }

    #[test]
    fn ratings_lie_within_their_bounds() {
        let stars = |rating: &str| format!("\"@type\":\"AggregateRating\",{rating}");
        fine(&stars(r#""ratingValue":4.5"#));
        fine(&stars(r#""ratingValue":"9","bestRating":"10""#));
        fine(&stars(r#""ratingValue":"88%""#));
        fine(&stars(r#""ratingValue":9,"bestRating":"ten""#));
        bad(&stars(r#""ratingValue":"4,5""#), "4,5", Some("\"4.5\""));
        bad(&stars(r#""ratingValue":0"#), "0", None);
        bad(&stars(r#""ratingValue":9.2"#), "9.2", None);
        bad(&stars(r#""ratingValue":"good""#), "good", None);
        bad(r#""reviewRating":{"ratingValue":"good"}"#, "good", None);
    }

    #[test]
    fn ratings_of_content_hotels_and_certificates_have_words() {
        for property in ["contentRating", "starRating", "certificationRating"] {
            let node = format!("\"{property}\":{{\"@type\":\"Rating\",\"ratingValue\":\"PG-13\"}}");
            assert_eq!(judged_in(&node, None), None, "{property}");
        }
    }

    #[test]
    fn positions_count_from_one() {
        let list = |kind: &str, positions: &str| {
            let items: Vec<String> =
                positions.split(' ').map(|position| format!("{{\"position\":{position}}}")).collect();
            format!("\"@type\":\"{kind}\",\"itemListElement\":[{}]", items.join(","))
        };
        fine(&list("BreadcrumbList", "1 2 3"));
        fine(&list("BreadcrumbList", "\"1\" 2"));
        fine(&list("BreadcrumbList", "2 1"));
        fine(&list("ItemList", "21 22"));
        bad(&list("BreadcrumbList", "1 3"), "3", None);
        bad(&list("ItemList", "1 1"), "1", None);
        bad(&list("ItemList", "1 2.5"), "2.5", None);
        let from_zero = judged_in(&list("BreadcrumbList", "0 1"), None).unwrap();
        assert_eq!(from_zero, [("0".to_owned(), Some("1".to_owned())), ("1".to_owned(), Some("2".to_owned()))]);
    }

    #[test]
    fn places_lie_on_the_globe() {
        fine(r#""latitude":-23.55,"longitude":"-46.63""#);
        bad(r#""latitude":"-23,55","longitude":0"#, "-23,55", Some("\"-23.55\""));
        bad(r#""latitude":-122.4,"longitude":37.7"#, "-122.4", Some("37.7"));
        bad(r#""latitude":-122.4,"longitude":137.7"#, "-122.4", None);
        bad(r#""longitude":"W 5""#, "W 5", None);
    }

    #[test]
    fn a_block_is_repaired_as_far_as_it_can_be() {
        let source =
            r#"{"@context":"https://schema.org", "datePublished":"31/12/2026", "price":"a", "image":["/a/b"]}"#;
        let setting = Setting { decimal_mark: None, resolve: Box::new(|_| None) };
        assert_eq!(repaired(source, &setting), source.replace("31/12/2026", "2026-12-31"));
        assert_eq!(repaired("{", &setting), "{");
    }

    #[test]
    fn every_line_of_the_table_is_a_form() {
        let lines = FORMS.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(forms().len(), lines.map(|line| line.split(' ').count()).sum::<usize>());
    }

    #[test]
    fn trade_item_numbers() {
        fine(r#""gtin13":"4006381333931","gtin":4006381333931"#);
        bad(r#""gtin":"4006381 333931""#, "4006381 333931", Some("\"4006381333931\""));
        bad(r#""gtin12":36000291452"#, "36000291452", Some("\"036000291452\""));
        bad(r#""gtin13":"4006381333930""#, "4006381333930", None);
    }
}
