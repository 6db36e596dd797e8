//! The picture of the page: one that shows what it is about, and not its site.

use url::Url;

use super::content::is_boilerplate;
use super::{EvidenceSource, Resolved, best, stated};
use crate::facts::content_images::{SMALL, is_stand_in, later, stands_in};
use crate::facts::document::Element;
use crate::facts::evidence::{DataImage, DataSubject};
use crate::facts::image_room::side;
use crate::facts::known::Facts;
use crate::facts::measured_images::measured_sides;
use crate::facts::page::Html;
use crate::facts::url_identity::same_page;

/// Pixels in width from which networks show a large picture.
const LARGE: u32 = 600;
/// Pixels in height below which Facebook takes no picture (Sharing, "Image requirements"): a banner.
const LEAST_HEIGHT: u32 = SMALL;
/// Words in the name of a file that is no picture of a page's subject, parted at what is no letter or digit.
const OTHER_FILES: [&str; 31] = [
    "logo",
    "logos",
    "logotype",
    "placeholder",
    "blank",
    "spacer",
    "transparent",
    "1x1",
    "pixel",
    "tracking",
    "loading",
    "loader",
    "lazy",
    "dummy",
    "noimage",
    "default",
    "avatar",
    "gravatar",
    "icon",
    "icons",
    "favicon",
    "sprite",
    "badge",
    "button",
    "banner",
    "banners",
    "ad",
    "ads",
    "advert",
    "qrcode",
    "qrcodes",
];

/// An image, and its width and height in pixels where the page or the file says them.
#[derive(Debug)]
pub(crate) struct ResolvedImage {
    /// Its absolute address.
    pub(crate) resolved: Resolved,
    /// Width and height.
    pub(crate) sides: Option<(u32, u32)>,
}

/// The image of the page: of the social tags, else of structured data, else the first large one of the content.
pub(crate) fn of_page(facts: &Facts<'_>, html: &Html) -> Option<ResolvedImage> {
    let social = ["og:image", "og:image:url", "og:image:secure_url"].iter().find_map(|key| stated(html, key));
    let social = social.and_then(|address| tagged(html, &address, EvidenceSource::SocialImage));
    if let Some(resolved) = social.clone().filter(Resolved::is_ready) {
        return Some(ResolvedImage { resolved, sides: facts.social_image_size() });
    }
    let mut all: Vec<ResolvedImage> =
        social.into_iter().map(|resolved| ResolvedImage { resolved, sides: facts.social_image_size() }).collect();
    all.extend(html.subject().image.as_ref().and_then(|image| of_data(html, image)));
    let tags =
        [(stated(html, "twitter:image"), EvidenceSource::TwitterImage), (image_link(html), EvidenceSource::ImageLink)];
    let tags = tags.into_iter().filter_map(|(address, source)| tagged(html, &address?, source));
    all.extend(tags.map(|resolved| ResolvedImage { resolved, sides: None }));
    all.extend(of_content(facts, html));
    let chosen = best(all.iter().map(|image| image.resolved.clone()))?;
    all.into_iter().find(|image| image.resolved == chosen)
}

fn image_link(html: &Html) -> Option<String> {
    html.links_rel("image_src").find_map(|link| link.href.clone())
}

/// An ampersand that was escaped twice, as it is read: no address means it.
const ESCAPED_TWICE: &str = "&amp;";

/// The address without what was escaped twice.
fn absolute(html: &Html, address: &str) -> Option<Url> {
    let url = html.resolve(&address.replace(ESCAPED_TWICE, "&"));
    url.filter(|url| !address.trim().is_empty() && matches!(url.scheme(), "http" | "https"))
}

/// An image that a tag names; one that is a logo or a placeholder by its name is a draft, and so is a corrected address.
fn tagged(html: &Html, address: &str, source: EvidenceSource) -> Option<Resolved> {
    let url = absolute(html, address)?;
    let is_certain = is_picture(&url) && !address.contains(ESCAPED_TWICE);
    Some(if is_certain { Resolved::high(url, source) } else { Resolved::low(url, source) })
}

fn of_data(html: &Html, image: &DataImage) -> Option<ResolvedImage> {
    let url = absolute(html, &image.address)?;
    let (width, height) = image.sides;
    let is_small = width.or(height).is_some() && [width, height].into_iter().flatten().any(|side| side < SMALL);
    if is_small || !is_picture(&url) {
        return None;
    }
    // An address that was escaped twice is corrected there too: `jsonld_entities_escaped`.
    Some(ResolvedImage { resolved: Resolved::high(url, DataSubject::SOURCE), sides: width.zip(height) })
}

/// Whether an address may be of a picture of the page's subject: neither a logo, a placeholder or an icon by its name, nor a
/// drawing that networks don't show, nor smaller than they take as its name says.
pub(crate) fn is_picture(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    let file = path.rsplit('/').next().unwrap_or_default();
    let is_other = file.split(|c: char| !c.is_alphanumeric()).any(|word| OTHER_FILES.contains(&word));
    let is_drawing = file.ends_with(".svg") || file.ends_with(".ico");
    let is_of_others = url
        .host_str()
        .is_some_and(|host| host.contains("gravatar.") || ["ad.", "ads."].iter().any(|start| host.starts_with(start)));
    !is_other && !is_drawing && !is_of_others && sides_of_name(file).is_none_or(|(w, h)| w.min(h) >= SMALL)
}

/// Width and height as systems write them into the names of smaller copies: `rye-150x150.jpg`.
fn sides_of_name(file: &str) -> Option<(u32, u32)> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.split(['-', '_']).find_map(|part| {
        let (width, height) = part.split_once('x')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    })
}

/// The first large image of the content. Certain inside of what the markup calls the content, and where it is the only large
/// one; a picture that leads to another page may be of that one.
fn of_content(facts: &Facts<'_>, html: &Html) -> Option<ResolvedImage> {
    let body = html.document.body()?;
    let content = html.content();
    let within = content.unwrap_or(body);
    let is_within =
        |image: Element<'_>| content.is_none_or(|content| image.ancestors().any(|around| around == content));
    let mut large = html
        .elements(&html.images)
        .filter(|image| !html.listed.is_unseen(*image) && !html.listed.is_around(*image))
        .filter_map(|image| Some((image, large_sides(facts, html, image)?, address_of(html, image)?)))
        .filter(|(image, _, url)| is_picture(url) && is_within(*image) && !is_ornament(*image, within));
    let (image, (width, height), url) = large.next()?;
    let is_certain = !leads_elsewhere(html, image) && (content.is_some() || large.next().is_none());
    let resolved = match is_certain {
        true => Resolved::high(url, EvidenceSource::ContentImage),
        false => Resolved::medium(url, EvidenceSource::ContentImage),
    };
    Some(ResolvedImage { resolved, sides: height.map(|height| (width, height)) })
}

/// Whether an image stands in a menu, an advertisement, a box of the author or the like; `figure` is no such part.
fn is_ornament(image: Element<'_>, within: Element<'_>) -> bool {
    let holder = image.ancestors().take_while(|around| *around != within).find(|around| !is_frame(*around));
    let names =
        ["class", "id", "alt"].into_iter().filter_map(|name| image.attribute(name)).map(str::to_ascii_lowercase);
    let is_logo = names.into_iter().any(|name| name.contains("logo") || name.contains("avatar"));
    is_logo || holder.is_some_and(|holder| is_boilerplate(holder, within))
}

fn is_frame(element: Element<'_>) -> bool {
    matches!(element.name(), "figure" | "picture" | "a" | "p")
}

/// Whether the image is the link to another page than this, and not to a larger copy of itself.
fn leads_elsewhere(html: &Html, image: Element<'_>) -> bool {
    let link = image.ancestors().find(|around| around.is("a"));
    let url = link.and_then(|link| html.resolve(link.attribute("href")?));
    url.is_some_and(|url| {
        let path = url.path().to_ascii_lowercase();
        let is_image = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif"].iter().any(|end| path.ends_with(end));
        !is_image && !same_page(&url, &html.url)
    })
}

/// The address of an image's file, also where a script is to load it.
pub(crate) fn address_of(html: &Html, image: Element<'_>) -> Option<Url> {
    let stated = match is_stand_in(image) {
        false => image.attribute("src").filter(|src| !stands_in(src)),
        true => later(image).filter(|(name, _)| !name.ends_with("srcset")).map(|(_, address)| address),
    };
    absolute(html, stated.or_else(|| widest(image).map(|(_, address)| address))?)
}

/// The widest file of the image's `srcset`, or of the one that a script is to give it, with its width in pixels.
fn widest(image: Element<'_>) -> Option<(u32, &str)> {
    let set = match is_stand_in(image) {
        false => image.attribute("srcset"),
        true => later(image).filter(|(name, _)| name.ends_with("srcset")).map(|(_, set)| set),
    };
    let candidates = set?.split(", ").filter_map(|candidate| {
        let (address, width) = candidate.trim().rsplit_once(char::is_whitespace)?;
        Some((width.strip_suffix('w')?.parse::<u32>().ok()?, address.trim()))
    });
    candidates.max_by_key(|(width, _)| *width)
}

/// Sides of an image at least as large as networks ask for, as its tag declares, else as its file was measured. A height
/// that nobody states is no reason against it.
fn large_sides(facts: &Facts<'_>, html: &Html, image: Element<'_>) -> Option<(u32, Option<u32>)> {
    let file = facts.largest_image();
    let measured = || measured_sides(html, image, file.as_ref()?);
    let width = side(image, "width").or_else(|| Some(measured()?.0)).or_else(|| Some(widest(image)?.0))?;
    let height = side(image, "height").or_else(|| Some(measured()?.1));
    (width >= LARGE && height.is_none_or(|height| height >= LEAST_HEIGHT)).then_some((width, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example;
    use crate::facts::site_files::SiteFiles;
    use crate::facts::walk::Page;

    fn image(source: &str) -> Option<(String, EvidenceSource, bool)> {
        let capture = example::page(example::PAGE_URL, source);
        let page = Page::read(&capture);
        let files = SiteFiles::read(&capture, &page);
        let facts = Facts::new(&capture, &page, &files);
        let found = of_page(&facts, facts.markup().unwrap())?.resolved;
        let ready = found.is_ready();
        Some((found.value.trim_start_matches("https://example.com").to_owned(), found.source, ready))
    }

    fn content(body: &str) -> Option<(String, bool)> {
        image(&format!("<main>{body}</main>")).map(|(url, source, ready)| {
            assert_eq!(source, EvidenceSource::ContentImage);
            (url, ready)
        })
    }

    #[test]
    fn logos_placeholders_pixels_and_small_images_are_none() {
        for other in [
            "<img src=/logo.png width=800 height=400>",
            "<img src=/img/site-logo-2.png width=800 height=400>",
            "<img src=/a.png class=custom-logo width=800 height=400>",
            "<img src=/placeholder.jpg width=800 height=400>",
            "<img src='data:image/gif;base64,R0' width=800 height=400>",
            "<img src=/pixel.gif width=1 height=1>",
            "<img src=/a-150x150.jpg width=800>",
            "<img src=/a.jpg width=800 height=90>",
            "<img src=/a.svg width=800 height=400>",
            "<aside><img src=/a.jpg width=800 height=400></aside>",
            "<div class=sponsor><img src=/a.jpg width=800 height=400></div>",
            "<img src=/a.jpg width=300 height=200>",
        ] {
            assert_eq!(content(other), None, "{other}");
        }
    }

    #[test]
    fn the_first_large_image_of_the_content_is_certain() {
        let rye = || Some(("/rye.jpg".to_owned(), true));
        assert_eq!(content("<img src=/logo.png width=700 height=300><img src=/rye.jpg width=800 height=400>"), rye());
        assert_eq!(content("<img src=/blank.gif data-src=/rye.jpg width=800 height=400>"), rye());
        assert_eq!(content("<img src=/rye.jpg srcset='/s.jpg 300w, /l.jpg 1200w'>"), rye());
        const SET: &str = "srcset='/s.jpg 300w, /rye.jpg 1200w'";
        assert_eq!(content(&format!("<img {SET}>")), rye());
        assert_eq!(content(&format!("<img src=/blank.gif {SET} width=800>")), rye());
        assert_eq!(content(&format!("<img src=/blank.gif data-{SET}>")), rye());
        assert_eq!(content("<img src=/blank.gif srcset='/s.jpg 1x, /l.jpg 2x' width=800>"), None);
        assert_eq!(content("<a href=/full/rye.jpg><img src=/rye.jpg width=800></a>"), rye());
        let teaser = "<a href=/wheat><img src=/rye.jpg width=800></a>";
        assert_eq!(content(teaser), Some(("/rye.jpg".to_owned(), false)));
        let two = "<img src=/rye.jpg width=800><img src=/b.jpg width=800>";
        assert_eq!(image(two), Some(("/rye.jpg".to_owned(), EvidenceSource::ContentImage, false)));
    }

    #[test]
    fn what_tags_and_data_name_comes_first() {
        let large = "<main><img src=/rye.jpg width=800></main>";
        let tag = image(&format!("<meta property=og:image content=/a.jpg>{large}"));
        assert_eq!(tag, Some(("/a.jpg".to_owned(), EvidenceSource::SocialImage, true)));
        let logo = image(&format!("<meta property=og:image content=/logo.png>{large}"));
        assert_eq!(logo, Some(("/rye.jpg".to_owned(), EvidenceSource::ContentImage, true)));
        let data = "<script type=application/ld+json>{\"@type\":\"Article\",\"headline\":\"Rye\",\"image\":\
            {\"url\":\"/d.jpg\",\"width\":1200,\"height\":630}}</script>";
        assert_eq!(image(data), Some(("/d.jpg".to_owned(), EvidenceSource::StructuredData, true)));
        let of_organization =
            "<script type=application/ld+json>{\"@type\":\"Organization\",\"image\":\"/o.jpg\"}</script>";
        assert_eq!(image(of_organization), None);
    }
}
