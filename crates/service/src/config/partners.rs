//! Keys about partners and sponsors.

use std::borrow::Cow;

use model::dates;
use model::lang::Lang;
use model::money::Micros;
use model::time::Day;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What is offered to partners and sponsors. Texts are one text for both languages, or a table `{ en = "…", pt = "…" }`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Partners")]
pub struct PartnerSettings {
    /// `true` shows the page `/partners` and answers `GET /api/partners`; by default both are 404 and linked nowhere.
    pub enabled: bool,
    /// Description of the offer.
    pub description: LocalText,
    /// Audience of the pages.
    pub audience: LocalText,
    /// What sponsors can't influence.
    pub policy: LocalText,
    /// Places where a sponsor is shown, in the file only: tables of `id`, `name`, `where`, `format`, `exclusive`, `measurement`, `price_usd_30d`, `price_usd_90d`, `price_usd_365d`, `available`.
    #[schemars(with = "Vec<String>")]
    pub placements: Vec<PlacementSetting>,
    /// All placements together, in the file only: at most one table of `name`, `description`, `price_usd_30d`.
    #[schemars(with = "Vec<String>")]
    pub house_bundle: Vec<BundleSetting>,
    /// Partnerships, in the file only: tables of `name`, `url`, `description`.
    #[schemars(with = "Vec<String>")]
    pub partnerships: Vec<PartnershipSetting>,
    /// Sponsors, in the file only: tables of `id`, `name`, `url`, `line`, `placements`, `from`, `until` (days such as `2026-12-31`, UTC, both included). One of the future waits; one whose time is over disappears.
    #[schemars(with = "Vec<String>")]
    pub sponsors: Vec<SponsorSetting>,
}

/// A text in both languages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalText {
    en: String,
    pt: String,
}

/// A text as it is written in the file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenText {
    Both(String),
    Each { en: String, pt: String },
}

impl LocalText {
    /// The text in a language.
    pub fn in_lang(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::PtBr => &self.pt,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.en.is_empty() && self.pt.is_empty()
    }
}

impl<'de> Deserialize<'de> for LocalText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = WrittenText::deserialize(deserializer);
        match written.map_err(|_| D::Error::custom("expected a text, or a table of en and pt"))? {
            WrittenText::Both(text) => Ok(Self { en: text.clone(), pt: text }),
            WrittenText::Each { en, pt } => Ok(Self { en, pt }),
        }
    }
}

impl Serialize for LocalText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (en, pt) = (self.en.clone(), self.pt.clone());
        if en == pt { en.serialize(serializer) } else { WrittenText::Each { en, pt }.serialize(serializer) }
    }
}

impl JsonSchema for LocalText {
    fn schema_name() -> Cow<'static, str> {
        "LocalText".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// A day of the calendar, `2026-12-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CalendarDay(pub Day);

impl<'de> Deserialize<'de> for CalendarDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let read = || {
            let [year, month, day] = <[&str; 3]>::try_from(text.split('-').collect::<Vec<_>>()).ok()?;
            dates::day(dates::digits(year, 4)?, dates::digits(month, 2)?, dates::digits(day, 2)?)
        };
        read().map(Self).ok_or_else(|| D::Error::custom(format!("{text:?} is not a day such as 2026-12-31")))
    }
}

impl Serialize for CalendarDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A place where a sponsor is shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementSetting {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: LocalText,
    /// Where it is.
    #[serde(rename = "where")]
    pub place: LocalText,
    /// What is shown.
    pub format: LocalText,
    /// One sponsor at a time.
    #[serde(default)]
    pub exclusive: bool,
    /// What is measured of it.
    #[serde(default)]
    pub measurement: LocalText,
    /// Price of 30 days.
    pub price_usd_30d: Option<Micros>,
    /// Price of 90 days.
    pub price_usd_90d: Option<Micros>,
    /// Price of 365 days.
    pub price_usd_365d: Option<Micros>,
    /// Whether it is free to be taken; by default it is.
    #[serde(default = "yes")]
    pub available: bool,
}

/// All placements together.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleSetting {
    /// Its name.
    pub name: LocalText,
    /// What is in it.
    pub description: LocalText,
    /// Price of 30 days.
    pub price_usd_30d: Option<Micros>,
}

/// A partnership.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartnershipSetting {
    /// The partner's name.
    pub name: String,
    /// The partner's site.
    pub url: String,
    /// What is done together.
    pub description: LocalText,
}

/// A sponsor.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SponsorSetting {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its site.
    pub url: String,
    /// One line about it.
    pub line: LocalText,
    /// Ids of its placements.
    #[serde(default)]
    pub placements: Vec<String>,
    /// Its first day.
    pub from: CalendarDay,
    /// Its last day.
    pub until: CalendarDay,
}

fn yes() -> bool {
    true
}

impl PartnerSettings {
    /// What fits no type: ids that are known, and addresses that a browser may follow.
    pub(super) fn validate(&self) -> Result<(), (&'static str, &'static str)> {
        let is_id = |id: &str| {
            !id.is_empty() && id.len() <= 60 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        let is_known = |id: &String| self.placements.iter().any(|placement| placement.id == *id);
        let is_web = |url: &str| url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !self.placements.iter().all(|placement| is_id(&placement.id)) {
            return Err(("partners.placements", "id must have at most 60 letters, digits, hyphens and underscores"));
        }
        if self.house_bundle.len() > 1 {
            return Err(("partners.house_bundle", "can have at most one table"));
        }
        if !self.partnerships.iter().all(|partnership| is_web(&partnership.url)) {
            return Err(("partners.partnerships", "url must be an http or https URL"));
        }
        for sponsor in &self.sponsors {
            if !is_id(&sponsor.id) || !is_web(&sponsor.url) {
                return Err(("partners.sponsors", "must be an id of letters and digits, and an http or https URL"));
            }
            if !sponsor.placements.iter().all(is_known) {
                return Err(("partners.sponsors", "placements must be ids of partners.placements"));
            }
            if sponsor.until < sponsor.from {
                return Err(("partners.sponsors", "until is not before from"));
            }
        }
        Ok(())
    }
}
