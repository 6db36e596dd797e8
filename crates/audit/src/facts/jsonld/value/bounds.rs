//! Numbers that lie within bounds: ratings, latitudes and longitudes.

use serde_json::Value;

use super::verdict::{NamedMembers, ValueVerdict};
use super::{ValueRepair, amount};
use crate::facts::jsonld::tree::{TreeKind, ValueTree};

/// Bounds of a rating that names none (schema.org `worstRating`, `bestRating`).
const RATING_BOUNDS: (f64, f64) = (1.0, 5.0);

/// Whether a rating is one of stars. Those of content, hotels and certificates have words (`contentRating`, `starRating`,
/// `certificationRating`).
pub(super) fn is_stars(node: &NamedMembers<'_, '_>) -> bool {
    let is_of_reviews = |(_, property): &(usize, &str)| matches!(*property, "reviewRating" | "aggregateRating");
    node.is_a("AggregateRating") || node.is_a("EmployerAggregateRating") || node.node.within.iter().any(is_of_reviews)
}

/// Judges a rating by the bounds that its node names.
pub(super) fn judge_rating(node: &NamedMembers<'_, '_>, text: &str) -> ValueVerdict {
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

/// Judges a latitude or longitude in degrees.
pub(super) fn judge_degrees(property: &str, text: &str) -> ValueVerdict {
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
pub(super) fn swapped<'t>(node: &NamedMembers<'_, 't>, property: &str) -> Vec<ValueRepair<'t>> {
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
        vec![
            ValueRepair { property: "latitude", value: latitude.0, json: written(longitude) },
            ValueRepair { property: "longitude", value: longitude.0, json: written(latitude) },
        ]
    } else {
        Vec::new()
    }
}
