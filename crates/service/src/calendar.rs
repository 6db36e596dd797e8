//! The calendar of an owner: until when certificates, security.txt files, structured data and the like of the followed pages are
//! valid, as their latest audits found them, and links that wait for an answer.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use model::expiry::ExpiryKind;
use model::id::Owner;
use model::lang::{Lang, Text, text};
use model::time::{DAY_MS, Timestamp};
use render::calendar::{CalendarDate, CalendarHead, icalendar};
use render::shown;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use store::{TabExpiries, WaitingLink};

use crate::caller::Cx;
use crate::error::ServiceError;
use crate::feed;
use crate::services::Services;

/// How long a date stays after it passed, in milliseconds: 30 days, so that what was missed is seen.
const PASSED_MS: i64 = 30 * DAY_MS;
/// Dates of a calendar at most, the earliest: two of each page that one owner may follow.
const MOST: usize = 1_000;

/// What ends (TipoDeVencimento).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalendarKind {
    /// The TLS certificate of a followed page.
    Certificate,
    /// The `security.txt` of its site.
    SecurityTxt,
    /// Search engines remove the page (`unavailable_after`).
    UnavailableAfter,
    /// The page goes away (`Sunset` header).
    Sunset,
    /// Its structured data is no longer valid.
    StructuredData,
    /// The link that confirms an address for alerts.
    WatchLink,
}

/// A date (Vencimento).
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CalendarEntry {
    /// Its id, which stays while the date moves.
    pub id: String,
    /// When, UTC.
    pub at: Timestamp,
    /// What ends.
    pub kind: CalendarKind,
    /// What ends, and of which page, for people.
    pub title: String,
    /// For structured data: type and property, such as `Offer.priceValidUntil`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The followed page.
    pub tab_id: String,
    /// Its address.
    pub url: String,
    /// The audit that found the date; absent for links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<String>,
    /// When that was, or null for links.
    pub found_at: Option<Timestamp>,
}

/// The dates of an owner's followed pages (Calendario).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Calendar {
    /// Earliest first, at most 1,000; those that passed within the last 30 days included.
    pub entries: Vec<CalendarEntry>,
}

/// The calendar of the caller.
pub async fn calendar(cx: &Cx) -> Result<Calendar, ServiceError> {
    let owner = cx.caller.required_owner()?;
    Ok(Calendar { entries: entries(&cx.services, &owner, cx.lang).await? })
}

/// The calendar at the address of a feed, as iCalendar; an error as [`feed::read`].
pub async fn read(services: &Services, token: &str, lang: Lang) -> Result<String, ServiceError> {
    const TITLE: Text = text("{product}: dates of followed pages", "{product}: datas das páginas seguidas");
    let feed = feed::at(services, token).await?;
    let now = services.ports().now();
    let product = &services.config().product.name;
    let dates: Vec<CalendarDate> = entries(services, &feed.owner, lang)
        .await?
        .into_iter()
        .map(|entry| CalendarDate {
            id: entry.id,
            found_at: entry.found_at.unwrap_or(now),
            day: entry.at.day(),
            title: entry.title,
            text: format!("{}\n{}", entry.url, shown::minute(entry.at, lang)),
            url: match entry.audit_id {
                Some(audit) => services.url(&format!("/reports/{audit}")),
                None => services.url(&format!("/workspace/{}", entry.tab_id)),
            },
        })
        .collect();
    let title = TITLE.phrase(&[("product", product.as_str().into())]);
    Ok(icalendar(&CalendarHead { title: title.in_lang(lang), product }, &dates, lang))
}

async fn entries(services: &Services, owner: &Owner, lang: Lang) -> Result<Vec<CalendarEntry>, ServiceError> {
    let now = services.ports().now();
    let found = services.database().ask(|store| store.expiries_of(owner)).await?;
    let links = services.database().ask(|store| store.waiting_links_of(owner, now)).await?;
    let mut entries: Vec<CalendarEntry> = found.into_iter().flat_map(|tab| of_tab(tab, lang)).collect();
    entries.extend(links.into_iter().map(|link| of_link(link, lang)));
    entries.retain(|entry| entry.at.0 >= now.0.saturating_sub(PASSED_MS));
    entries.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    entries.truncate(MOST);
    Ok(entries)
}

fn of_tab(tab: TabExpiries, lang: Lang) -> Vec<CalendarEntry> {
    // Dates of one kind are told apart by their order, so that each keeps its id when it moves.
    let mut counts: BTreeMap<(ExpiryKind, Option<String>), u32> = BTreeMap::new();
    let page = tab.alias.clone().unwrap_or_else(|| tab.url.clone());
    let entry = |expiry: model::expiry::Expiry| {
        let count = counts.entry((expiry.kind, expiry.property.clone())).or_default();
        *count += 1;
        let kind = CalendarKind::from(expiry.kind);
        CalendarEntry {
            id: entry_id(&tab.tab.0, kind, expiry.property.as_deref(), *count),
            at: expiry.at,
            kind,
            title: kind.title(&page, expiry.property.as_deref(), lang),
            property: expiry.property,
            tab_id: tab.tab.0.clone(),
            url: tab.url.clone(),
            audit_id: Some(tab.audit.0.clone()),
            found_at: Some(tab.audited_at),
        }
    };
    tab.expiries.clone().into_iter().map(entry).collect()
}

fn of_link(link: WaitingLink, lang: Lang) -> CalendarEntry {
    let page = link.alias.unwrap_or_else(|| link.url.clone());
    CalendarEntry {
        id: entry_id(&link.tab.0, CalendarKind::WatchLink, None, 1),
        at: link.expires_at,
        kind: CalendarKind::WatchLink,
        title: CalendarKind::WatchLink.title(&page, None, lang),
        property: None,
        tab_id: link.tab.0,
        url: link.url,
        audit_id: None,
        found_at: None,
    }
}

/// An id that stays the same for the same thing: half of a digest, in hexadecimal.
fn entry_id(tab: &str, kind: CalendarKind, property: Option<&str>, count: u32) -> String {
    let digest = Sha256::digest(format!("{tab} {kind:?} {} {count}", property.unwrap_or_default()));
    let mut id = HEXLOWER.encode(&digest);
    id.truncate(32);
    id
}

impl CalendarKind {
    /// What ends, and of which page.
    fn title(self, page: &str, property: Option<&str>, lang: Lang) -> String {
        let title: Text = match self {
            Self::Certificate => text("TLS certificate expires: {page}", "Certificado TLS expira: {page}"),
            Self::SecurityTxt => text("security.txt expires: {page}", "security.txt expira: {page}"),
            Self::UnavailableAfter => text(
                "Page leaves search (unavailable_after): {page}",
                "Página sai da busca (unavailable_after): {page}",
            ),
            Self::Sunset => text(
                "Page becomes unavailable (Sunset header): {page}",
                "Página fica indisponível (cabeçalho Sunset): {page}",
            ),
            Self::StructuredData => text("{property} ends: {page}", "{property} termina: {page}"),
            Self::WatchLink => text(
                "Link to confirm the address for alerts expires: {page}",
                "Link que confirma o endereço dos alertas expira: {page}",
            ),
        };
        let values = [("page", shown::printable(page).into()), ("property", property.unwrap_or_default().into())];
        title.phrase(&values).in_lang(lang).to_owned()
    }
}

impl From<ExpiryKind> for CalendarKind {
    fn from(kind: ExpiryKind) -> Self {
        match kind {
            ExpiryKind::Certificate => Self::Certificate,
            ExpiryKind::SecurityTxt => Self::SecurityTxt,
            ExpiryKind::UnavailableAfter => Self::UnavailableAfter,
            ExpiryKind::Sunset => Self::Sunset,
            ExpiryKind::StructuredData => Self::StructuredData,
        }
    }
}
