//! The embeddable widget: options, their defaults, and its HTML snippet.

use audit::escape::attribute;
use data_encoding::HEXLOWER;
use serde::Serialize;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::services::Services;
use render::shown;

/// Characters of a brand at most. Chosen: one line of the narrowest widget.
pub const BRAND_CHARACTERS: usize = 40;
/// Width range of the fluid widget, in CSS pixels. Chosen: from a sidebar to a text column.
pub const WIDTHS: [u32; 2] = [240, 640];
/// Path of the loader script.
pub const LOADER_PATH: &str = "/embed.js";
/// Path of the widget.
pub const PATH: &str = "/embed";
/// The product's colour.
const OWN_COLOUR: BrandColour = BrandColour([0x07, 0x57, 0xba]);

/// Requested options, unparsed.
#[derive(Debug, Clone, Copy, Default)]
pub struct WidgetOptions<'a> {
    /// The heading.
    pub brand: Option<&'a str>,
    /// The colour of the button.
    pub color: Option<&'a str>,
    /// `auto`, `light` or `dark`.
    pub theme: Option<&'a str>,
    /// The initial address.
    pub url: Option<&'a str>,
}

/// The options in force; invalid ones fall back to defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widget {
    /// The heading, plain text.
    pub brand: String,
    /// The button's colour; `None` for the product's, which has a light and a dark form.
    colour: Option<BrandColour>,
    /// Light, dark, or the visitor's system setting.
    pub theme: WidgetTheme,
    /// The initial address.
    pub url: Option<Url>,
}

/// How the widget looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WidgetTheme {
    /// The visitor's system setting.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BrandColour([u8; 3]);

impl Widget {
    /// Parses the options. Invalid ones are ignored; a long brand is truncated.
    pub fn new(services: &Services, options: WidgetOptions<'_>) -> Self {
        let brand = options.brand.map(shortened).filter(|brand| !brand.is_empty());
        Self {
            brand: brand.unwrap_or_else(|| services.config().product.name.clone()),
            colour: options.color.and_then(BrandColour::parse),
            theme: match options.theme {
                Some("light") => WidgetTheme::Light,
                Some("dark") => WidgetTheme::Dark,
                _ => WidgetTheme::Auto,
            },
            // An address that can't be audited is not filled in.
            url: options.url.and_then(|url| services.engine().fetcher().intake(url).ok()),
        }
    }

    /// The button's colour, `#rrggbb`.
    pub fn color(&self) -> String {
        self.colour.unwrap_or(OWN_COLOUR).hex()
    }

    /// The theme as an attribute of the root element; `None` for the system's.
    pub fn theme_word(&self) -> Option<&'static str> {
        match self.theme {
            WidgetTheme::Auto => None,
            WidgetTheme::Light => Some("light"),
            WidgetTheme::Dark => Some("dark"),
        }
    }

    /// The CSS rule of a custom colour. It needs no escaping: only hex digits and our own text.
    pub fn rule(&self) -> Option<String> {
        let colour = self.colour?;
        Some(format!(":root{{--brand:{};--on-brand:{}}}", colour.hex(), colour.text_on_it().hex()))
    }

    /// Name and value of options that differ from the default.
    fn chosen(&self, product: &str) -> Vec<(&'static str, String)> {
        let brand = (self.brand != product).then(|| self.brand.clone());
        let choices = [
            ("brand", brand),
            ("color", self.colour.map(BrandColour::hex)),
            ("theme", self.theme_word().map(str::to_owned)),
            ("url", self.url.as_ref().map(Url::to_string)),
        ];
        choices.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// Absolute URL of the widget.
    pub fn address(&self, services: &Services) -> String {
        let query = Serializer::new(String::new()).extend_pairs(self.chosen(&services.config().product.name)).finish();
        if query.is_empty() { services.url(PATH) } else { services.url(&format!("{PATH}?{query}")) }
    }

    /// The script element that embeds the widget, with a link for readers without scripts.
    pub fn snippet(&self, services: &Services, link: &str) -> String {
        let mut snippet = format!("<script async src=\"{}\"", attribute(&services.url(LOADER_PATH)));
        for (name, value) in self.chosen(&services.config().product.name) {
            snippet.push_str(&format!(" data-{name}=\"{}\"", attribute(&value)));
        }
        let form = self.form_address(services);
        snippet + &format!("></script><noscript><a href=\"{}\">{}</a></noscript>", attribute(&form), attribute(link))
    }

    /// Absolute URL of the home page with its form filled in.
    pub fn form_address(&self, services: &Services) -> String {
        match &self.url {
            Some(url) => {
                let query = Serializer::new(String::new()).append_pair("url", url.as_str()).finish();
                services.url(&format!("/?{query}"))
            }
            None => services.url("/"),
        }
    }
}

/// A brand for display: one line, bidi-isolated, truncated.
fn shortened(brand: &str) -> String {
    let shown: String =
        brand.chars().filter(|c| !shown::turns(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = shown.split_whitespace().collect();
    words.join(" ").chars().take(BRAND_CHARACTERS).collect()
}

impl BrandColour {
    /// Parses `#rgb` or `#rrggbb`.
    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        let values: Vec<u8> =
            digits.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect::<Option<_>>()?;
        match *values {
            [r, g, b] => Some(Self([r * 17, g * 17, b * 17])),
            [r, r2, g, g2, b, b2] => Some(Self([r * 16 + r2, g * 16 + g2, b * 16 + b2])),
            _ => None,
        }
    }

    fn hex(self) -> String {
        format!("#{}", HEXLOWER.encode(&self.0))
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = self.0.map(|value| {
            let part = f64::from(value) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        let [red, green, blue] = linear;
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Contrast ratio (WCAG 2.2).
    fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The readable text colour: black or white, whichever contrasts more. At least 4.58:1 on any colour.
    fn text_on_it(self) -> Self {
        let (black, white) = (Self([0; 3]), Self([255; 3]));
        if self.contrast(black) > self.contrast(white) { black } else { white }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_hex_only() {
        for (text, hex) in [
            ("#0a8", Some("#00aa88")),
            ("#A1b2C3", Some("#a1b2c3")),
            ("red", None),
            ("#12", None),
            ("#1234", None),
            ("#12345g", None),
            ("#12345678", None),
            ("#fff;} body{display:none", None),
            ("#é00", None),
            ("", None),
        ] {
            assert_eq!(BrandColour::parse(text).map(BrandColour::hex).as_deref(), hex, "{text}");
        }
    }

    #[test]
    fn text_is_readable_on_every_colour() {
        for red in (0..=255).step_by(5) {
            for green in (0..=255).step_by(5) {
                for blue in (0..=255).step_by(5) {
                    let colour = BrandColour([red, green, blue]);
                    assert!(colour.contrast(colour.text_on_it()) >= 4.5, "{}", colour.hex());
                }
            }
        }
    }

    #[test]
    fn a_brand_is_a_short_line_of_text() {
        assert_eq!(shortened("  Ann\n&\t<b>Co\u{202e}</b> "), "Ann & <b>Co</b>");
        assert_eq!(shortened(&"é".repeat(100)).chars().count(), BRAND_CHARACTERS);
        assert_eq!(shortened("\u{0}\u{202e}"), "");
    }
}
