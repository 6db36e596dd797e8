//! What the name of an image file says of the picture: that it is a logo, stands in for another, or is a small copy.

use url::Url;

/// What a picture is by its name, where that is no picture of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedImage {
    /// The sign of a site or company.
    Logo,
    /// What a system shows while there is no picture.
    Placeholder,
    /// A copy of so many pixels in width and height.
    Copy(u32, u32),
}

/// Words of a logo, parted from others at what is no letter or digit.
const LOGO: [&str; 4] = ["logo", "logos", "logotype", "logotipo"];
/// Words of a placeholder.
const PLACEHOLDER: [&str; 6] = ["placeholder", "blank", "spacer", "transparent", "noimage", "dummy"];
/// Pairs of words of a placeholder.
const PLACEHOLDER_PAIRS: [(&str, &str); 7] = [
    ("no", "image"),
    ("no", "photo"),
    ("no", "thumb"),
    ("no", "thumbnail"),
    ("default", "image"),
    ("default", "thumbnail"),
    ("image", "placeholder"),
];

/// Pixels of a side from which two numbers at the end of a name are a size: below they are a ratio, as in `rye-16x9.jpg`.
const LEAST_SIDE: u32 = 32;

/// What the last part of an address's path says; `None` where it says nothing of the kind.
pub(crate) fn by_name(url: &Url) -> Option<NamedImage> {
    let path = url.path().to_ascii_lowercase();
    let file = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let words: Vec<&str> = stem.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let is_pair = |pair: &[&str]| matches!(pair, [a, b] if PLACEHOLDER_PAIRS.contains(&(a, b)));
    if stem == "1x1" || has(&PLACEHOLDER) || words.windows(2).any(is_pair) {
        return Some(NamedImage::Placeholder);
    }
    if has(&LOGO) {
        return Some(NamedImage::Logo);
    }
    let (width, height) = words.last()?.split_once('x')?;
    let (width, height) = (width.parse().ok()?, height.parse().ok()?);
    (width >= LEAST_SIDE && height >= LEAST_SIDE).then_some(NamedImage::Copy(width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_logos_placeholders_and_copies_from_pictures() {
        for (path, expected) in [
            ("/img/the-mill-logo.svg", Some(NamedImage::Logo)),
            ("/Logo_2x.png", Some(NamedImage::Logo)),
            ("/assets/placeholder.png", Some(NamedImage::Placeholder)),
            ("/no-image.jpg", Some(NamedImage::Placeholder)),
            ("/rye-150x150.jpg", Some(NamedImage::Copy(150, 150))),
            ("/1x1.gif", Some(NamedImage::Placeholder)),
            ("/rye-1x1.jpg", None),
            ("/rye-16x9.jpg", None),
            ("/rye.jpg", None),
            ("/logos/rye.jpg", None),
            ("/catalogo.jpg", None),
            ("/vi/abc/maxresdefault.jpg", None),
            ("/no-knead-bread.jpg", None),
            ("/", None),
        ] {
            let url = Url::parse("https://example.com").unwrap().join(path).unwrap();
            assert_eq!(by_name(&url), expected, "{path}");
        }
    }
}
