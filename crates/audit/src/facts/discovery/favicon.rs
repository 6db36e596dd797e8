//! Probe 12: the icon that browsers and search results show. Its head is read, its picture is not decoded.

use model::capture::{Exchange, WantKind};
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use url::Url;

use super::answer::Answer;
use super::delivery;
use super::notes::{Judged, Notes, ProbeOutcome, info, quoted, unverified, warn};
use super::site::{ProbedSite, Target};
use crate::facts::content_type;
use crate::facts::content_type::looks_like_html;
use crate::facts::image_header::Image;

const PATH: &str = "/favicon.ico";
const REFERENCE: &str = "https://developers.google.com/search/docs/appearance/favicon-in-search";
/// Pixels of a side that Google asks for at least: search results show multiples of it.
const LEAST_SIDE: u32 = 48;
const CRAWLERS: [&str; 2] = ["Googlebot-Image", "Googlebot"];

/// Always asked: the first icon that the page declares, on whatever host, else the one that browsers try.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    declared(site).map(|url| Target::of(url.clone())).or_else(|| site.file(PATH))
}

/// The first icon with an address.
fn declared<'s>(site: &'s ProbedSite<'_>) -> Option<&'s Url> {
    site.html?.links_rel("icon").find_map(|link| link.url.as_ref())
}

/// Passes on an image that Google can use.
pub(super) fn check(site: &ProbedSite<'_>) -> DiscoveryCheck {
    let answer = answer(site);
    answer.check(judge(site, &answer))
}

fn answer<'c>(site: &ProbedSite<'c>) -> Answer<'c> {
    site.answer(WantKind::Favicon, target(site).unwrap_or(Target::Elsewhere), REFERENCE)
}

/// What is known of the icon at the path that browsers try by themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DefaultIcon {
    /// The page declares another, so this one was not asked for.
    Unasked,
    /// An image, at this final URL.
    Found(String),
    /// There is none: the status that said so.
    Absent(u16),
    /// Restricted, failed, masked or not asked.
    Unknown,
}

/// Whether the site has an icon at the path that browsers try by themselves.
pub(crate) fn default_icon(site: &ProbedSite<'_>) -> DefaultIcon {
    if declared(site).is_some() {
        return DefaultIcon::Unasked;
    }
    let answer = answer(site);
    if let Some(status) = answer.absent_status() {
        return DefaultIcon::Absent(status);
    }
    match image(&answer) {
        Ok((exchange, Some(_))) => DefaultIcon::Found(exchange.url.clone()),
        Ok((exchange, None)) => DefaultIcon::Absent(exchange.status),
        Err(_) => DefaultIcon::Unknown,
    }
}

/// What is known of the icon that the page declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeclaredIcon {
    /// The page declares none.
    Undeclared,
    /// An image that crawlers may fetch.
    Found,
    /// At this address, and what is wrong with it.
    Faulty(String, IconFault),
    /// Restricted, failed, masked or not asked.
    Unknown,
}

/// What is wrong with a declared icon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IconFault {
    /// There is none: the status that said so.
    Gone(u16),
    /// The answer of this status is no image.
    NoImage(u16),
    /// A rule of robots.txt, and its line.
    Forbidden(String, u32),
}

/// State of the icon that the page declares.
pub(crate) fn declared_icon(site: &ProbedSite<'_>) -> DeclaredIcon {
    let Some(url) = declared(site) else { return DeclaredIcon::Undeclared };
    let faulty = |fault| DeclaredIcon::Faulty(url.to_string(), fault);
    let answer = answer(site);
    if let Some(status) = answer.absent_status() {
        return faulty(IconFault::Gone(status));
    }
    let Ok((exchange, image)) = image(&answer) else { return DeclaredIcon::Unknown };
    if image.is_none() {
        return faulty(IconFault::NoImage(exchange.status));
    }
    let requested = Url::parse(&exchange.url).ok().or_else(|| answer.requested.clone());
    match requested.and_then(|requested| site.forbidden(&requested, &CRAWLERS)) {
        Some((rule, line)) => faulty(IconFault::Forbidden(rule, line)),
        None => DeclaredIcon::Found,
    }
}

const ABSENT: Text = text(
    "The page declares no icon, and {file} answers {status}. Browsers and search results show a blank one.",
    "A página não declara um ícone, e {file} responde {status}. Navegadores e resultados de busca mostram um ícone vazio.",
);

/// The response, and the image that it is. An image proves itself by its first bytes, so a large one may be cut.
fn image<'c>(answer: &Answer<'c>) -> Result<(&'c Exchange, Option<Image>), Judged> {
    let exchange = answer.response(ABSENT)?;
    let image = Image::read(&exchange.body.bytes);
    if image.is_none() {
        answer.file(ABSENT)?.unless_masked()?;
    }
    Ok((exchange, image))
}

fn judge(site: &ProbedSite<'_>, answer: &Answer<'_>) -> ProbeOutcome {
    const INLINE: Text = text(
        "The declared icon has no http(s) address of usual length, so it was not fetched, and search engines can't fetch it either.",
        "O ícone declarado não tem um endereço http(s) de tamanho usual, então não foi buscado, e os buscadores também não podem buscá-lo.",
    );
    const BROKEN: Text =
        text("The declared icon {file} answers {status}.", "O ícone declarado {file} responde {status}.");
    const HTML: Text = text(
        "{file} answers {status} with an HTML page instead of an image.",
        "{file} responde {status} com uma página HTML em vez de uma imagem.",
    );
    const NO_IMAGE: Text = text(
        "{file} answers {status} with {bytes} {bytes|byte|bytes} of \"{value}\" that are not a known image format.",
        "{file} responde {status} com {bytes} {bytes|byte|bytes} de \"{value}\" que não são um formato de imagem conhecido.",
    );
    let is_declared = declared(site).is_some();
    if answer.requested.is_none() && answer.fetched.is_none() {
        return Ok(unverified(INLINE, &[]));
    }
    if let Some(status) = answer.absent_status().filter(|_| is_declared) {
        return Ok(warn(BROKEN, &[("file", answer.name()), ("status", status.into())]));
    }
    let (exchange, image) = image(answer)?;
    let file = [("file", answer.name()), ("status", exchange.status.into())];
    let Some(image) = image else {
        let bytes = &exchange.body.bytes;
        // An empty answer is how a site says that it has no icon there.
        if bytes.is_empty() && !is_declared {
            return Ok(info(ABSENT, &file));
        }
        let [name, status] = file;
        let kind = quoted(&content_type::declared(exchange).unwrap_or_default());
        return Ok(if looks_like_html(bytes) {
            warn(HTML, &[name, status])
        } else {
            warn(NO_IMAGE, &[name, status, ("bytes", bytes.len().into()), ("value", kind)])
        });
    };
    Ok(judge_image(site, answer, exchange, &image))
}

fn judge_image(site: &ProbedSite<'_>, answer: &Answer<'_>, exchange: &Exchange, image: &Image) -> Judged {
    const MEASURED: Text = text("{file} is an image: {format}.", "{file} é uma imagem: {format}.");
    const SIZED: Text = text(
        "{file} is an image: {format}, {width} by {height} pixels.",
        "{file} é uma imagem: {format}, {width} por {height} pixels.",
    );
    const SMALL: Text =
        text("Google asks for sides of at least {least} pixels", "o Google pede lados de no mínimo {least} pixels");
    const OBLONG: Text = text("Google asks for a square image", "o Google pede uma imagem quadrada");
    let mut notes = Notes::default();
    let requested = Url::parse(&exchange.url).ok().or_else(|| answer.requested.clone());
    if let Some(url) = requested {
        delivery::judge_robots(site, &url, &CRAWLERS, &mut notes);
    }
    let values = [("file", answer.name()), ("format", image.format.into())];
    let Some((width, height)) = image.size else {
        return notes.verdict(MEASURED, &values);
    };
    if width != height {
        notes.hint(OBLONG, &[]);
    } else if width < LEAST_SIDE {
        notes.hint(SMALL, &[("least", LEAST_SIDE.into())]);
    }
    let [file, format] = values;
    notes.verdict(SIZED, &[file, format, ("width", width.into()), ("height", height.into())])
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::{BodyCut, Extra, FailureKind};
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const KIND: WantKind = WantKind::Favicon;
    const DECLARED: &str = "<link rel='shortcut icon' href=/i.png>";

    fn png(width: u8, height: u8) -> Vec<u8> {
        [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0"[..], &[width], b"\0\0\0", &[height]].concat()
    }

    fn file(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Vec<Extra> {
        vec![extra(KIND, PATH, status, kind, body)]
    }

    fn declared_file(status: u16, body: impl Into<Vec<u8>>) -> Vec<Extra> {
        vec![extra(KIND, "/i.png", status, "image/png", body)]
    }

    fn check_of(source: &str, extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(source, &[], extras, check), status, words);
    }

    #[test]
    fn the_first_declared_icon_is_asked_for_on_whatever_host() {
        let asked =
            |source: &str| with_site(source, &[], Vec::new(), |site| target(site).unwrap().url().map(Url::to_string));
        assert_eq!(asked("").as_deref(), Some("https://example.com/favicon.ico"));
        assert_eq!(asked(DECLARED).as_deref(), Some("https://example.com/i.png"));
        assert_eq!(
            asked("<link rel=icon><link rel=icon href=//cdn.example.org/i#a>").as_deref(),
            Some("https://cdn.example.org/i")
        );
        assert_eq!(asked("<link rel=icon href='data:image/png;base64,AA'>"), None);
        assert_eq!(asked(&format!("<link rel=icon href='/{}'>", "a".repeat(2_100))), None);
        check_of("<link rel=icon href=data:,>", Vec::new(), Unverified, "no http(s) address");
    }

    #[test]
    fn icons_are_judged_by_status_bytes_and_size() {
        check_of("", file(200, "image/png", png(48, 48)), Pass, "PNG, 48 by 48 pixels");
        check_of("", file(200, "", "<svg/>"), Pass, "SVG.");
        check_of("", vec![cut(extra(KIND, PATH, 200, "", png(96, 96)), BodyCut::Size)], Pass, "96 by 96");
        check_of(DECLARED, declared_file(200, png(144, 144)), Pass, "/i.png is an image");
        check_of("", file(200, "", png(32, 32)), Info, "48 pixels");
        check_of("", file(200, "", png(96, 48)), Info, "square");
        check_of(DECLARED, declared_file(404, ""), Warn, "declared icon /i.png answers 404");
        check_of(DECLARED, declared_file(200, "<p>app"), Warn, "HTML page");
        check_of(DECLARED, declared_file(200, ""), Warn, "0 bytes");
        check_of("", file(200, "text/html", "<!doctype html><p>app"), Warn, "HTML page");
        check_of("", file(200, "text/plain", "words"), Warn, "\"text/plain\"");
        check_of("", file(404, "", ""), Info, "declares no icon");
        check_of("", file(204, "", ""), Info, "declares no icon");
        check_of("", file(403, "", ""), Info, "restricted");
        check_of("", file(503, "", ""), Unverified, "503");
        check_of("", vec![cut(extra(KIND, PATH, 200, "", "words"), BodyCut::Size)], Unverified, "64 KB");
        check_of("", [vec![missing(200, "<p>a")], file(200, "", "<p>b")].concat(), Unverified, "missing addresses");
        check_of("", Vec::new(), Unverified, "not requested");
    }

    #[test]
    fn a_rule_against_googles_image_crawler_is_told() {
        let robots = |text: &str| extra(WantKind::RobotsTxt, "/robots.txt", 200, "text/plain", text);
        let with = |text: &str| [vec![robots(text)], file(200, "", png(48, 48))].concat();
        check_of("", with("User-agent: Googlebot-Image\nDisallow: /fav"), Warn, "line 2: \"Disallow: /fav\"");
        check_of("", with("User-agent: Googlebot\nDisallow: /"), Warn, "line 2");
        check_of("", with("User-agent: *\nDisallow: /favicon.ico"), Warn, "line 2");
        check_of("", with("User-agent: Bingbot\nDisallow: /"), Pass, "48 by 48");
    }

    #[test]
    fn an_icon_at_an_address_that_is_refused_is_blocked_and_has_no_url() {
        let source = "<link rel=icon href=http://10.0.0.1/i.png>";
        let refused = failed(KIND, "http://10.0.0.1/i.png", FailureKind::AddressNotAllowed);
        let check = with_site(source, &[], vec![refused], check);
        expect(&check, Unverified, "is blocked");
        assert_eq!((check.url, check.http_status, check.content_type), (None, 0, String::new()));
    }

    #[test]
    fn the_default_icon_is_found_absent_or_unknown() {
        let icon = |source: &str, extras| with_site(source, &[], extras, default_icon);
        assert_eq!(
            icon("", file(200, "", png(16, 16))),
            DefaultIcon::Found("https://example.com/favicon.ico".to_owned())
        );
        assert_eq!(icon("", file(404, "", "")), DefaultIcon::Absent(404));
        assert_eq!(icon("", file(200, "", "<p>x")), DefaultIcon::Absent(200));
        assert_eq!(icon("", [vec![missing(200, "<p>a")], file(200, "", "<p>b")].concat()), DefaultIcon::Unknown);
        assert_eq!(icon("", file(403, "", "")), DefaultIcon::Unknown);
        assert_eq!(icon("", Vec::new()), DefaultIcon::Unknown);
        assert_eq!(icon(DECLARED, declared_file(404, "")), DefaultIcon::Unasked);
    }
}
