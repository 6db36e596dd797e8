//! When the page was published and last changed.

use super::content::is_boilerplate;
use super::{EvidenceSource, Resolved, stated};
use crate::facts::document::Element;
use crate::facts::jsonld::value::is_date;
use crate::facts::page::Html;

/// Names of meta tags that state the date of publication, as publishing systems write them.
const PUBLISHED_NAMES: [&str; 7] =
    ["parsely-pub-date", "dcterms.created", "dc.date.issued", "dcterms.issued", "sailthru.date", "pubdate", "date"];
const MODIFIED_NAMES: [&str; 3] = ["dcterms.modified", "last-modified", "lastmod"];
/// Bytes of a date that tell its minute: `2026-01-02T08:00`.
const MINUTE: usize = 16;
/// Classes of the `time` of an entry.
const PUBLISHED_CLASSES: [&str; 6] = ["published", "entry-date", "dt-published", "pubdate", "post-date", "entry-time"];
const MODIFIED_CLASSES: [&str; 4] = ["updated", "modified", "dt-updated", "entry-modified"];

/// A date as it is stated, and where.
type Statement = (Option<String>, EvidenceSource);

/// Date of publication, as ISO 8601 writes it.
pub(crate) fn published(html: &Html) -> Option<Resolved> {
    settled(of_publication(html).into()).or_else(|| Some(Resolved::low(first_time(html)?, EvidenceSource::FirstTime)))
}

fn of_publication(html: &Html) -> [Statement; 4] {
    [
        (html.subject().published.clone(), EvidenceSource::StructuredData),
        (stated(html, "article:published_time"), EvidenceSource::PublishedTag),
        (PUBLISHED_NAMES.iter().find_map(|name| stated(html, name)), EvidenceSource::MetaDate),
        (time(html, "datePublished", &PUBLISHED_CLASSES), EvidenceSource::Time),
    ]
}

/// Date of the last change.
pub(crate) fn modified(html: &Html) -> Option<Resolved> {
    settled(of_change(html).into())
}

fn of_change(html: &Html) -> [Statement; 4] {
    [
        (html.subject().modified.clone(), EvidenceSource::StructuredData),
        (
            stated(html, "article:modified_time").or_else(|| stated(html, "og:updated_time")),
            EvidenceSource::ModifiedTag,
        ),
        (MODIFIED_NAMES.iter().find_map(|name| stated(html, name)), EvidenceSource::MetaDate),
        (time(html, "dateModified", &MODIFIED_CLASSES), EvidenceSource::Time),
    ]
}

/// A date without a zone, with the one that another statement of the same minute has; `None` where there is none.
pub(crate) fn zoned(html: &Html, date: &str) -> Option<String> {
    let minute = date.get(..MINUTE).filter(|_| date.contains('T') && zone(date).is_none())?;
    let all = of_publication(html).into_iter().chain(of_change(html)).filter_map(|(stated, _)| stated);
    let zones = all.filter_map(|stated| {
        let stated = stated.trim();
        let is_same = stated.get(..MINUTE) == Some(minute) && is_date(stated);
        zone(stated).filter(|_| is_same).map(str::to_owned)
    });
    zones.into_iter().next().map(|zone| format!("{date}{zone}"))
}

/// The first of several statements, with the zone that another one of the same minute has. Statements of different days
/// contradict each other: then none is certain.
fn settled(all: Vec<Statement>) -> Option<Resolved> {
    let all: Vec<(String, EvidenceSource)> = all
        .into_iter()
        .filter_map(|(date, source)| Some((date?.trim().to_owned(), source)))
        .filter(|(date, _)| is_date(date))
        .collect();
    let (first, source) = all.first()?;
    let minute = |date: &str| date.get(..MINUTE).map(str::to_owned);
    let lacks_zone = first.contains('T') && !has_zone(first);
    let with_zone = all.iter().find(|(other, _)| lacks_zone && has_zone(other) && minute(other) == minute(first));
    let (value, source) = with_zone.map_or((first, source), |(value, source)| (value, source));
    let day = |date: &str| date.get(..10).map(str::to_owned);
    let agree = all.iter().all(|(other, _)| has_zone(other) || has_zone(first) || day(other) == day(first));
    let agree = agree && all.iter().all(|(other, _)| is_near(other, first));
    Some(if agree { Resolved::high(value.clone(), *source) } else { Resolved::medium(value.clone(), *source) })
}

/// Whether two dates are of one day or of neighbouring ones, as one moment is in two zones.
fn is_near(a: &str, b: &str) -> bool {
    const DAY_MS: i64 = 86_400_000;
    match (model::dates::loose_iso(a), model::dates::loose_iso(b)) {
        (Some(a), Some(b)) => (a.0 - b.0).abs() <= DAY_MS,
        _ => a.get(..7) == b.get(..7),
    }
}

fn has_zone(date: &str) -> bool {
    zone(date).is_some()
}

/// `Z` or an offset, of a date with a time.
fn zone(date: &str) -> Option<&str> {
    let (_, time) = date.split_once('T')?;
    time.get(time.find(['Z', '+', '-'])?..)
}

/// The one `time` of the content with this property or one of these classes.
fn time(html: &Html, property: &str, classes: &[&str]) -> Option<String> {
    let is_it = |element: &Element<'_>| {
        element.has_token("itemprop", property) || classes.iter().any(|class| element.has_token("class", class))
    };
    let mut times = times(html).filter(is_it).filter_map(|time| time.attribute("datetime"));
    let first = times.next()?;
    times.all(|other| other == first).then(|| first.to_owned())
}

/// Every `time` of the content, in order.
pub(super) fn times(html: &Html) -> impl Iterator<Item = Element<'_>> {
    // Most pages have none, and need no walk to know it.
    let content = html.content().or_else(|| html.document.body()).filter(|_| !html.times.is_empty());
    content.into_iter().flat_map(|content| content.descendants()).filter(|element| element.is("time"))
}

/// The first `time` of the content that is no part of a box: it may be of anything.
fn first_time(html: &Html) -> Option<String> {
    let content = html.content().or_else(|| html.document.body())?;
    let times = times(html).filter(|element| !is_boilerplate(*element, content));
    let dates = times.filter_map(|time| time.attribute("datetime")).map(str::trim);
    dates.filter(|date| is_date(date)).map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::super::testing::html;
    use super::*;

    fn date(source: &str) -> Option<(String, EvidenceSource, bool)> {
        published(&html(source)).map(|date| (date.value.clone(), date.source, date.is_ready()))
    }

    #[test]
    fn the_zone_comes_from_another_statement_of_the_same_minute() {
        const TAG: &str = "<meta property=article:published_time content=2026-01-02T08:00:00>";
        let time = |datetime: &str| format!("{TAG}<main><time class=entry-date datetime={datetime}>x</time></main>");
        let zoned = date(&time("2026-01-02T08:00:00-03:00"));
        assert_eq!(zoned, Some(("2026-01-02T08:00:00-03:00".to_owned(), EvidenceSource::Time, true)));
        let other = date(&time("2026-01-02T11:00:00-03:00"));
        assert_eq!(other, Some(("2026-01-02T08:00:00".to_owned(), EvidenceSource::PublishedTag, true)));
    }

    #[test]
    fn dates_that_contradict_each_other_are_drafts() {
        let source = "<meta property=article:published_time content=2026-01-02><main>\
            <time itemprop=datePublished datetime=2024-05-06>x</time></main>";
        assert_eq!(date(source), Some(("2026-01-02".to_owned(), EvidenceSource::PublishedTag, false)));
    }

    #[test]
    fn a_time_of_anything_is_a_guess() {
        let source = "<main><time datetime=2026-01-02>x</time></main>";
        assert_eq!(date(source), Some(("2026-01-02".to_owned(), EvidenceSource::FirstTime, false)));
        assert_eq!(date("<main><aside><time datetime=2026-01-02>x</time></aside></main>"), None);
        assert_eq!(date("<main><time datetime=soon>x</time></main>"), None);
    }
}
