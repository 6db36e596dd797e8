//! The summary: what the page declares, field by field.

use std::collections::{BTreeMap, BTreeSet};

use model::capture::{Coding, Exchange, Source};
use model::summary::{
    Alternate, CanonicalHeader, HeadingSummary, ImageCounts, LegacyCounts, LinkCounts, OutlineEntry, PageSummary,
    Redirect, ScriptSummary, TimingSummary, XRobotsTag,
};

use crate::facts::Facts;
use crate::facts::content_type;
use crate::facts::document::{Element, collapse};
use crate::facts::elements::Reach;
use crate::facts::headings::MOST_READ;
use crate::facts::hreflang;
use crate::facts::layout_table::is_layout_table;
use crate::facts::listed::is_obsolete;
use crate::facts::page::Html;
use crate::facts::resolved;

use super::expiries::expiries;

/// Headings kept in the outline.
const OUTLINE_ENTRIES: usize = 100;

/// Response headers that a visitor gets for themselves: cookies (RFC 6265), and their obsolete second form (RFC 2965).
const COOKIES: [&str; 2] = ["set-cookie", "set-cookie2"];

/// Response headers by lower-case name, repeats joined; cookies are left out on purpose.
pub(super) fn headers(exchange: &Exchange) -> BTreeMap<String, String> {
    let mut out: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in exchange.headers.iter().filter(|(name, _)| !COOKIES.contains(&name.as_str())) {
        out.entry(name.clone())
            .and_modify(|known| {
                known.push_str(", ");
                known.push_str(value);
            })
            .or_insert_with(|| value.clone());
    }
    out
}

/// What the page declares. Fields of a page that is not HTML are null or empty.
pub(super) fn summary(facts: &Facts<'_>, exchange: &Exchange) -> PageSummary {
    let html = facts.markup();
    let text = |value: Option<&str>| value.filter(|text| !text.is_empty()).map(str::to_owned);
    let favicon = facts.favicon();
    PageSummary {
        final_url: exchange.url.clone(),
        status: facts.capture.source.has_network().then_some(exchange.status),
        content_type: text(content_type::declared(exchange).as_deref()),
        title: html.and_then(Html::title),
        meta_description: html.and_then(|html| text(html.meta("description"))),
        canonical: html.and_then(canonical),
        robots: html.and_then(robots),
        viewport: html.and_then(|html| text(html.meta("viewport"))),
        charset: html.map(|html| html.charset.name().to_owned()),
        lang: html.and_then(|html| html.document.html()?.attribute("lang").map(collapse)),
        favicon: favicon.as_ref().map(|(url, _)| url.clone()),
        favicon_source: favicon.map(|(_, source)| source.to_owned()),
        h1s: html.map(Html::h1_texts).unwrap_or_default(),
        open_graph: html.map(|html| social(html, "og:")).unwrap_or_default(),
        twitter: html.map(|html| social(html, "twitter:")).unwrap_or_default(),
        json_ld_count: html.map_or(0, |html| count(html.json_ld.count)),
        json_ld_blocks: html.map_or(0, |html| count(html.json_ld_scripts.len())),
        json_ld_dropped: html.is_some_and(|html| html.json_ld.dropped),
        json_ld_types: html.map(|html| html.json_ld.types.clone()).unwrap_or_default(),
        json_ld_errors: html.map_or(0, |html| count(html.json_ld.errors.len())),
        images: html.map(images).unwrap_or_default(),
        links: html.map(links).unwrap_or_default(),
        words: html.map_or(0, |html| count(html.text.words)),
        hreflang: facts
            .alternates()
            .iter()
            .cloned()
            .chain(html.into_iter().flat_map(hreflang::outside_head))
            .chain(facts.listed_alternates().map(|(_, alternate)| alternate.clone()))
            .map(alternate)
            .collect(),
        legacy: html.map(legacy).unwrap_or_default(),
        redirects: redirects(facts, exchange),
        robots_txt: facts.robots_summary(),
        sitemap: facts.sitemap_summary(),
        discovery: facts.discovery().cloned(),
        x_robots_tag: XRobotsTag {
            raw: exchange.headers_named("x-robots-tag").map(str::to_owned).collect(),
            directives: facts.header_directives(),
        },
        canonical_header: facts.canonical_header().map(|(href, raw)| CanonicalHeader { href, raw }),
        timing: (facts.capture.source == Source::Network).then(|| timing(exchange)),
        headings: html.map(headings).unwrap_or_default(),
        scripts: html.map(scripts).unwrap_or_default(),
        resolved: html.map(|html| resolved::summary(facts, html)).unwrap_or_default(),
        lab: None,
        rendered: None,
        crux: facts.capture.field_data.clone(),
        platform: facts.platforms().all().to_vec(),
        expiries: expiries(facts),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn counted(number: impl Iterator) -> u32 {
    count(number.count())
}

fn alternate(alternate: hreflang::DeclaredAlternate) -> Alternate {
    Alternate { source: alternate.source.word().to_owned(), lang: alternate.lang, href: alternate.href }
}

/// First declared canonical, resolved; as written when it does not resolve.
fn canonical(html: &Html) -> Option<String> {
    let link = html.links_rel("canonical").find(|link| link.href.is_some())?;
    link.url.as_ref().map(ToString::to_string).or_else(|| link.href.clone())
}

/// Contents of all robots metas, joined.
fn robots(html: &Html) -> Option<String> {
    let all: Vec<&str> = html.metas_named("robots").filter_map(|meta| meta.content.as_deref()).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// First occurrence of each key with the prefix.
fn social(html: &Html, prefix: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for meta in &html.metas {
        let Some(content) = &meta.content else { continue };
        for key in meta.social_keys().filter(|key| key.starts_with(prefix)) {
            out.entry(key.to_owned()).or_insert_with(|| content.clone());
        }
    }
    out
}

fn images(html: &Html) -> ImageCounts {
    let all = || html.elements(&html.images);
    ImageCounts {
        total: counted(all()),
        without_alt: counted(all().filter(|image| !image.has("alt"))),
        empty_alt: counted(all().filter(|image| image.attribute("alt").is_some_and(|alt| alt.trim().is_empty()))),
        without_dimensions: counted(all().filter(|image| !image.has("width") || !image.has("height"))),
        lazy: counted(
            all().filter(|image| image.attribute("loading").is_some_and(|l| l.trim().eq_ignore_ascii_case("lazy"))),
        ),
    }
}

fn links(html: &Html) -> LinkCounts {
    let reach = |wanted: Reach| counted(html.anchors.iter().filter(move |anchor| anchor.reach == wanted));
    LinkCounts {
        internal: reach(Reach::Internal),
        external: reach(Reach::External),
        without_text: counted(html.anchors.iter().filter(|anchor| !anchor.named)),
        nofollow: counted(html.anchors.iter().filter(|anchor| anchor.nofollow)),
        total: count(html.anchors.len()),
    }
}

fn legacy(html: &Html) -> LegacyCounts {
    let is_layout = |table: &Element<'_>| is_layout_table(*table);
    let mut counts = LegacyCounts {
        layout_tables: counted(html.elements(&html.listed.tables).filter(is_layout)),
        ..LegacyCounts::default()
    };
    for element in html.elements(&html.listed.obsolete) {
        match element.name() {
            "font" => counts.font_tags += 1,
            "center" => counts.center_tags += 1,
            "frame" | "frameset" => counts.frames += 1,
            "marquee" => counts.marquees += 1,
            name => counts.other_obsolete += u32::from(is_obsolete(name)),
        }
        counts.bgcolor_attributes += u32::from(element.has("bgcolor"));
    }
    counts
}

fn headings(html: &Html) -> HeadingSummary {
    let level = |wanted: u8| counted(html.headings.iter().filter(move |(level, _)| *level == wanted));
    HeadingSummary {
        h1: level(1),
        h2: level(2),
        h3: level(3),
        h4: level(4),
        h5: level(5),
        h6: level(6),
        outline: html
            .headings
            .iter()
            .take(OUTLINE_ENTRIES)
            .filter_map(|(level, id)| {
                Some(OutlineEntry { level: *level, text: html.element(*id)?.text_start(MOST_READ) })
            })
            .collect(),
    }
}

fn scripts(html: &Html) -> ScriptSummary {
    let mut out = ScriptSummary::default();
    let mut origins = BTreeSet::new();
    for script in html.elements(&html.scripts) {
        out.total += 1;
        let module = script.attribute("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("module"));
        let classic = crate::facts::names::is_classic_script(script);
        out.module += u32::from(module);
        let Some(src) = script.attribute("src") else {
            out.inline += 1;
            out.bytes_inline += script.texts().map(|text| text.len() as u64).sum::<u64>();
            continue;
        };
        out.external += 1;
        out.r#async += u32::from(script.has("async"));
        out.defer += u32::from(script.has("defer"));
        let blocking = classic && !script.has("async") && !script.has("defer") && !script.has("nomodule");
        out.blocking_head += u32::from(blocking && script.is_in_head());
        if let Some(url) = html.resolve(src).filter(|url| url.host_str().is_some() && url.origin() != html.url.origin())
        {
            origins.insert(url.origin().ascii_serialization());
        }
    }
    out.third_party_origins = origins.into_iter().collect();
    out
}

fn redirects(facts: &Facts<'_>, exchange: &Exchange) -> Vec<Redirect> {
    let mut out: Vec<Redirect> = exchange
        .hops
        .iter()
        .map(|hop| Redirect {
            url: hop.url.clone(),
            status: hop.status,
            location: hop.location.clone(),
            kind: "http".to_owned(),
        })
        .collect();
    out.extend(facts.refresh().map(|location| Redirect {
        url: exchange.url.clone(),
        status: exchange.status,
        location,
        kind: "meta".to_owned(),
    }));
    out
}

fn timing(exchange: &Exchange) -> TimingSummary {
    let timing = exchange.timing.clone();
    TimingSummary {
        dns_ms: timing.dns_ms,
        connect_ms: timing.connect_ms,
        tls_ms: timing.tls_ms,
        ttfb_ms: timing.ttfb_ms,
        download_ms: timing.download_ms,
        total_ms: timing.total_ms,
        bytes: timing.bytes,
        decoded_bytes: exchange.body.bytes.len() as u64,
        http_version: timing.http_version,
        encoding: match &exchange.body.coding {
            Coding::Identity => None,
            Coding::Decoded(name) | Coding::Broken(name) | Coding::Unknown(name) => Some(name.clone()),
        },
    }
}
