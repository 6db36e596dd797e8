//! Dates after which something that the page or its site declares is no longer valid.

use model::dates;
use model::expiry::{Expiry, ExpiryKind};
use model::time::Timestamp;

use crate::facts::Facts;
use crate::facts::discovery::security_txt;
use crate::facts::jsonld::graph::local;
use crate::facts::robots_directives::{for_google, parse_date};

/// Dates kept of a page, the earliest: a shop may list thousands of offers.
const MOST: usize = 50;
/// Properties of schema.org that say until when something is valid.
const PROPERTIES: [&str; 4] = ["validThrough", "priceValidUntil", "availabilityEnds", "expires"];

/// The dates, earliest first, each once, at most 50. What can't be read is left out: checks report it.
pub(super) fn expiries(facts: &Facts<'_>) -> Vec<Expiry> {
    let plain = |kind, at: Option<Timestamp>| at.map(|at| Expiry { at, kind, property: None });
    let exchange = facts.capture.page.response();
    let certificate = exchange.and_then(|exchange| Some(exchange.certificate.as_ref()?.not_after));
    let file = facts.site().ok().and_then(|site| security_txt::expiry(&site));
    let sunset = exchange.and_then(|exchange| exchange.headers_named("sunset").next().and_then(parse_date));
    let directives = facts.directives().iter().filter(|one| for_google(one) && one.name == "unavailable_after");
    let directives = directives.filter_map(|one| parse_date(one.value.as_deref()?));
    let mut all: Vec<Expiry> = [
        plain(ExpiryKind::Certificate, certificate),
        plain(ExpiryKind::SecurityTxt, file),
        plain(ExpiryKind::Sunset, sunset),
    ]
    .into_iter()
    .flatten()
    .chain(directives.map(|at| Expiry { at, kind: ExpiryKind::UnavailableAfter, property: None }))
    .chain(structured(facts))
    .collect();
    all.sort();
    all.dedup();
    all.truncate(MOST);
    all
}

/// Those of structured data.
fn structured(facts: &Facts<'_>) -> Vec<Expiry> {
    let Ok(graph) = facts.graph() else { return Vec::new() };
    let mut found = Vec::new();
    for node in &graph.nodes {
        for member in node.tree.members().into_iter().flatten() {
            let name = local(&member.name);
            if !PROPERTIES.contains(&name) {
                continue;
            }
            let kind = node.types.first().copied().map(local);
            let property = kind.map_or_else(|| name.to_owned(), |kind| format!("{kind}.{name}"));
            let dates = member.value.each().iter().filter_map(|value| instant(value.text()?.trim()));
            found.extend(dates.map(|at| Expiry {
                at,
                kind: ExpiryKind::StructuredData,
                property: Some(property.clone()),
            }));
        }
    }
    found
}

/// A date or an instant of ISO 8601, as schema.org takes them; without a zone it is UTC.
fn instant(text: &str) -> Option<Timestamp> {
    let is_day_or_more = text.len() >= "2027-01-31".len();
    dates::w3c(text)
        .or_else(|| dates::rfc3339(text))
        .or_else(|| dates::w3c(&format!("{text}Z")))
        .filter(|_| is_day_or_more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_structured_data_are_read_with_and_without_a_zone() {
        for (text, wanted) in [
            ("2027-01-31", Some("2027-01-31T00:00:00.000Z")),
            ("2027-01-31T09:30", Some("2027-01-31T09:30:00.000Z")),
            ("2027-01-31T09:30:00", Some("2027-01-31T09:30:00.000Z")),
            ("2027-01-31T09:30:00+02:00", Some("2027-01-31T07:30:00.000Z")),
            ("2027-01-31T09:30:00.5Z", Some("2027-01-31T09:30:00.000Z")),
            ("2027", None),
            ("31/01/2027", None),
            ("2027-02-30", None),
            ("", None),
        ] {
            assert_eq!(instant(text).map(|at| at.to_string()).as_deref(), wanted, "{text}");
        }
    }
}
