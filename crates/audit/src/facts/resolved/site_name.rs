//! What the page calls its site.

use super::{EvidenceSource, Resolved, bare};
use crate::facts::canonical;
use crate::facts::document::{Element, collapse};
use crate::facts::headings::outline;
use crate::facts::page::Html;
use crate::facts::placeholders::is_placeholder;
use crate::facts::text::is_seen;
use crate::facts::words::{parts, without_dangling_separators};

/// Characters of a site's name; a longer text is a slogan.
const LONGEST: usize = 60;
/// Signs that part a title from the site's name.
const SIGNS: [char; 12] = ['-', '|', '–', '—', '·', '•', '»', '«', '›', '‹', ':', '~'];

impl Html {
    /// The site's name: `og:site_name` or the `WebSite` node, which are meant for it; else a name that the title repeats;
    /// else what stands for an app or the organization.
    pub(crate) fn site_name(&self) -> Option<&Resolved> {
        self.resolved.site_name.get_or_init(|| read(self)).as_ref()
    }

    /// Whether this is the home page of the site, in one of its languages or at all.
    pub(crate) fn is_home(&self) -> bool {
        canonical::is_home(self.url.path()) && self.url.query().is_none()
    }
}

fn read(html: &Html) -> Option<Resolved> {
    let usable = |name: String| {
        let name = without_dangling_separators(&name).to_owned();
        let is_name = !name.is_empty() && name.chars().count() <= LONGEST && !is_placeholder(&name);
        is_name.then_some(name)
    };
    let meta = |text: Option<&str>| usable(html.as_meant(&collapse(text?)));
    if let Some(name) = meta(html.social("og:site_name")) {
        return Some(Resolved::high(name, EvidenceSource::SiteNameTag));
    }
    let subject = html.subject();
    if let Some(name) = subject.web_site.clone().and_then(usable) {
        return Some(Resolved::high(name, EvidenceSource::WebSiteNode));
    }
    let title = html.title().map(|title| html.as_meant(&title)).unwrap_or_default();
    // Two signs that agree: a name, and the title that ends or begins with it.
    let of_title = parts(&title);
    let is_part = |name: &str| {
        let is_alone = of_title.len() == 1 && !html.is_home();
        !is_alone && of_title.iter().any(|(_, part)| bare(part) == bare(name))
    };
    let lesser = [
        (meta(html.meta("application-name")), EvidenceSource::ApplicationName),
        (meta(html.meta("apple-mobile-web-app-title")), EvidenceSource::AppleTitle),
        (subject.organization.clone().and_then(usable), EvidenceSource::OrganizationNode),
    ];
    let lesser: Vec<(String, EvidenceSource)> =
        lesser.into_iter().filter_map(|(name, source)| Some((name?, source))).collect();
    if let Some((name, source)) = lesser.iter().find(|(name, _)| is_part(name)) {
        return Some(Resolved::high(name.clone(), *source));
    }
    let host = html.url.host_str().map(|host| bare(host.trim_start_matches("www."))).unwrap_or_default();
    if let Some(label) = domain_label(html)
        && let Some((_, part)) = of_title.iter().find(|(_, part)| bare(part) == label || bare(part) == host)
        && let Some(name) = usable((*part).to_owned())
    {
        return Some(Resolved::high(name, EvidenceSource::TitlePart));
    }
    let (name, source) = lesser.into_iter().next()?;
    Some(Resolved::medium(name, source))
}

/// The name in the site's domain: `themill` of `www.the-mill.com.br`.
fn domain_label(html: &Html) -> Option<String> {
    let domain = domains::registrable_domain(html.url.host_str()?)?;
    Some(bare(domain.split('.').next()?)).filter(|label| !label.is_empty())
}

/// Whether a text is nothing but the site's name, or the word for its logo.
pub(crate) fn is_site_name(html: &Html, text: &str) -> bool {
    let text = bare(text);
    let text = ["logotipo", "logo"].iter().fold(text.as_str(), |text, word| {
        let without = text.strip_suffix(word).or_else(|| text.strip_prefix(word));
        without.unwrap_or(text)
    });
    let host = html.url.host_str().map(|host| bare(host.trim_start_matches("www.")));
    text.is_empty()
        || html.site_name().is_some_and(|name| {
            let name = bare(&name.value);
            // A name that is a domain may stand there without its end.
            text == name || html.site_name().and_then(|name| label_of(&name.value)).is_some_and(|label| text == label)
        })
        || domain_label(html).is_some_and(|label| text == label)
        || host.is_some_and(|host| text == host)
}

/// A name that is a domain (`Bread.com`) without its end.
fn label_of(name: &str) -> Option<String> {
    let (label, _) = name.rsplit_once('.').filter(|(label, _)| !label.contains(char::is_whitespace))?;
    Some(bare(label)).filter(|label| !label.is_empty())
}

/// A title without the site's name at its end or beginning, and without signs that dangle there.
pub(crate) fn without_site_name(html: &Html, title: &str) -> String {
    let title = without_dangling_separators(title);
    let all = parts(title);
    let rest = match all.as_slice() {
        [.., (at, last)] if all.len() > 1 && is_site_name(html, last) => title.get(..*at),
        [(_, first), (at, _), ..] if is_site_name(html, first) => title.get(*at..),
        _ => ending_in_name(html, title),
    };
    rest.map(without_dangling_separators).filter(|rest| !rest.is_empty()).unwrap_or(title).to_owned()
}

/// A title that ends with the site's name behind a sign without white space around it (`Rye bread|The Mill`).
fn ending_in_name<'t>(html: &Html, title: &'t str) -> Option<&'t str> {
    let name = &html.site_name()?.value;
    let rest = title.strip_suffix(name.as_str())?;
    rest.ends_with(|c| SIGNS.contains(&c) || c == ' ').then_some(rest).filter(|rest| rest.trim_end().ends_with(SIGNS))
}

/// Whether a heading names the site instead of the page: its text or image is the site's name or logo. Never on the home
/// page, whose name that is.
pub(crate) fn names_the_site(html: &Html, heading: Element<'_>) -> bool {
    if html.is_home() {
        return false;
    }
    let text = html.as_meant(&html.heading_text(heading));
    if !text.is_empty() {
        // On a page below it, only the site's name leads to the home page.
        return is_site_name(html, &text) || leads_home(html, heading, &text) || ends_title(html, heading, &text);
    }
    let is_logo = |image: Element<'_>| {
        let alt = image.attribute("alt").unwrap_or_default();
        let title = html.title().map(|title| bare(&html.as_meant(&title))).unwrap_or_default();
        // A picture of the headline, whatever its file is called.
        let names_page = !bare(alt).is_empty() && title.contains(&bare(alt)) && !is_site_name(html, alt);
        let marks = ["class", "id", "src", "alt"].into_iter().filter_map(|name| image.attribute(name));
        let is_called_logo = marks.map(str::to_ascii_lowercase).any(|mark| mark.contains("logo"));
        is_site_name(html, alt) || is_called_logo && !names_page
    };
    heading.descendants().find(|below| below.is("img")).is_some_and(is_logo)
}

/// Whether a heading of the site's header is what the title ends in, behind what a heading of the content says.
fn ends_title(html: &Html, heading: Element<'_>, text: &str) -> bool {
    if !html.listed.is_around(heading) {
        return false;
    }
    let title = html.title().map(|title| html.as_meant(&title)).unwrap_or_default();
    let all = parts(&title);
    let Some(((_, end), before)) = all.split_last() else { return false };
    let is_headline = |(level, other): (u8, Element<'_>)| {
        let other_text = || bare(&html.as_meant(&html.heading_text(other)));
        level > 1 && !html.listed.is_around(other) && before.iter().any(|(_, part)| bare(part) == other_text())
    };
    bare(end) == bare(text) && outline(html).any(is_headline)
}

/// Whether all text of a heading is one link to the home page.
fn leads_home(html: &Html, heading: Element<'_>, text: &str) -> bool {
    let mut links = heading.descendants().filter(|below| below.is("a") && below.has("href"));
    let link = links.next().filter(|_| links.next().is_none());
    link.is_some_and(|link| {
        let url = link.attribute("href").and_then(|href| html.resolve(href));
        let is_home = url.is_some_and(|url| {
            url.host_str() == html.url.host_str() && url.query().is_none() && matches!(url.path(), "/" | "")
        });
        is_home && bare(&link.read_text(is_seen)) == bare(text)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, html};
    use super::*;

    fn name(source: &str) -> Option<(String, EvidenceSource, bool)> {
        html(source).site_name().map(|name| (name.value.clone(), name.source, name.is_ready()))
    }

    #[test]
    fn the_name_is_what_the_page_calls_its_site() {
        let tag = "<title>Rye</title><meta property=og:site_name content='The Mill |'>";
        assert_eq!(name(tag), Some(("The Mill".to_owned(), EvidenceSource::SiteNameTag, true)));
        let app = "<title>Rye - Mill</title><meta name=application-name content=Mill>";
        assert_eq!(name(app), Some(("Mill".to_owned(), EvidenceSource::ApplicationName, true)));
        let other = "<title>Rye</title><meta name=application-name content=App>";
        assert_eq!(name(other), Some(("App".to_owned(), EvidenceSource::ApplicationName, false)));
        let title = "<title>Rye | EXAMPLE</title>";
        assert_eq!(name(title), Some(("EXAMPLE".to_owned(), EvidenceSource::TitlePart, true)));
        assert_eq!(name("<title>Rye | Other</title>"), None);
    }

    #[test]
    fn titles_lose_the_name_and_what_dangles() {
        let html = html("<meta property=og:site_name content='The Mill'>");
        for (title, expected) in [
            ("Rye bread | The Mill", "Rye bread"),
            ("Rye bread|The Mill", "Rye bread"),
            ("The Mill: Rye bread", "The Mill: Rye bread"),
            ("The Mill - Rye bread", "Rye bread"),
            ("Rye bread |", "Rye bread"),
            ("Rye bread –", "Rye bread"),
            ("Rye bread:", "Rye bread"),
            ("| Rye bread", "Rye bread"),
            ("Grade A-", "Grade A-"),
            ("Rye - wheat", "Rye - wheat"),
            ("Rye bread - Example", "Rye bread"),
            ("The Mill", "The Mill"),
        ] {
            assert_eq!(without_site_name(&html, title), expected, "{title}");
        }
    }

    #[test]
    fn a_heading_that_is_the_logo_names_the_site() {
        const SITE: &str = "<meta property=og:site_name content='The Mill'>";
        let of = |url: &str, heading: &str| {
            let html = at(url, &format!("{SITE}{heading}"));
            let heading = html.headings.first().and_then(|(_, id)| html.element(*id)).unwrap();
            names_the_site(&html, heading)
        };
        const PAGE: &str = "https://example.com/rye";
        for heading in [
            "<h1>The Mill</h1>",
            "<h1><a href=/>THE MILL</a></h1>",
            "<h1><img src=/a.svg alt='The Mill logo'></h1>",
            "<h1><img src=/logo.svg alt='Since 1932'></h1>",
            "<h1>example.com</h1>",
        ] {
            assert!(of(PAGE, heading), "{heading}");
            assert!(!of("https://example.com/", heading), "{heading}");
        }
        for heading in ["<h1>Rye bread</h1>", "<h1>The Mill's rye bread</h1>", "<h1><img src=/rye.jpg alt=Rye></h1>"] {
            assert!(!of(PAGE, heading), "{heading}");
        }
    }
}
