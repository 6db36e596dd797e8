//! The private feed of an owner's events. Whoever knows its address can read it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::lang::{Lang, Text, text};
use model::page_event::{EventKind, PageEvent};
use model::time::Timestamp;
use render::event::{FeedEntry, FeedHead, atom};
use schemars::JsonSchema;
use serde::Serialize;
use store::{FeedRecord, PageEventRecord};

use crate::blocking::off_worker;
use crate::caller::Cx;
use crate::credential::{is_random_token, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::webhooks::account_owner;

/// Entries of a feed at most: a day of watches of all pages that an account may watch by default.
const ENTRIES: u32 = 50;
/// Path of feeds; the token follows.
pub const PATH: &str = "/feeds/";

/// Whether there is a feed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FeedState {
    /// Whether there is one.
    pub exists: bool,
    /// When its address was made; null without one.
    pub created_at: Option<Timestamp>,
}

/// The feed of the caller. Its address is not told again.
pub async fn state(cx: &Cx) -> Result<FeedState, ServiceError> {
    let owner = account_owner(cx)?;
    let feed = cx.services.database().ask(|store| store.feed_of(&owner)).await?;
    Ok(FeedState { exists: feed.is_some(), created_at: feed.map(|feed| feed.created_at) })
}

/// The secret addresses of a feed.
#[derive(Debug, Clone)]
pub struct FeedAddresses {
    /// Runs, as Atom.
    pub feed: String,
    /// Dates, as iCalendar.
    pub calendar: String,
}

/// Makes the caller's feed, or gives it another address; the addresses, which are told this once.
pub async fn renew(cx: &Cx) -> Result<FeedAddresses, ServiceError> {
    let (services, owner) = (&cx.services, account_owner(cx)?);
    let token = URL_SAFE_NO_PAD.encode(services.ports().entropy.bytes());
    let (digest, created_at) = (token_digest(&token), services.ports().now());
    let feed = FeedRecord { id: services.ports().id(), owner, created_at };
    services.database().write(|store| store.renew_feed(&feed, &digest)).await?;
    let address = |file: &str| services.url(&format!("{PATH}{token}{file}?lang={}", cx.lang.tag()));
    Ok(FeedAddresses { feed: address(""), calendar: address("/calendar.ics") })
}

/// Deletes the caller's feed. Idempotent.
pub async fn delete(cx: &Cx) -> Result<(), ServiceError> {
    let owner = account_owner(cx)?;
    Ok(cx.services.database().write(|store| store.delete_feed(&owner)).await?)
}

/// The feed at an address, as Atom; [`Code::NotFound`] for an unknown or replaced one.
pub async fn read(services: &Services, token: &str, lang: Lang) -> Result<String, ServiceError> {
    let feed = at(services, token).await?;
    let except = EventKind::WebhookTest.word();
    let events = services.database().ask(|store| store.page_events_of(&feed.owner, lang, except, ENTRIES)).await?;
    let product = services.config().product.name.clone();
    off_worker(move || written(&feed, &events, &product, lang)).await?
}

/// The feed at an address; [`Code::NotFound`] for an unknown or replaced one.
pub(crate) async fn at(services: &Services, token: &str) -> Result<FeedRecord, ServiceError> {
    if !is_random_token(token) {
        return Err(ServiceError::new(Code::NotFound));
    }
    let digest = token_digest(token);
    services.database().ask(|store| store.feed_by_digest(&digest)).await.map_err(|error| match error {
        DatabaseError::NotFound => ServiceError::new(Code::NotFound),
        other => other.into(),
    })
}

fn written(feed: &FeedRecord, events: &[PageEventRecord], product: &str, lang: Lang) -> Result<String, ServiceError> {
    const TITLE: Text = text("{product}: runs of followed pages", "{product}: auditorias das páginas seguidas");
    let entry = |record: &PageEventRecord| {
        let event: PageEvent = serde_json::from_str(&record.body).map_err(|error| {
            tracing::error!(%error, event.id = %record.id, "a stored event can't be read");
            ServiceError::new(Code::Internal)
        })?;
        Ok(FeedEntry { id: record.id.clone(), event })
    };
    let entries = events.iter().map(entry).collect::<Result<Vec<_>, ServiceError>>()?;
    let title = TITLE.phrase(&[("product", product.into())]);
    let head = FeedHead { id: &feed.id, title: title.in_lang(lang), author: product, created_at: feed.created_at };
    Ok(atom(&head, &entries, lang))
}
