//! Webhooks: endpoints of an account or organization that are told of the runs of followed pages.

mod delivery;
mod run_event;
mod signature;
mod target;

use std::time::Duration;

use model::id::Owner;
use model::lang::{Lang, text};
use model::page_event::EventKind;
use model::time::{DAY_MS, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{DeliveryRecord, DeliveryState, NewPageEvent, WebhookRecord};
use tokio::time::Instant;

use crate::audits::count_refusal;
use crate::caller::Cx;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};

pub(crate) use delivery::deliver;
pub(crate) use run_event::{Announced, AnnouncedRun, NotTold, announce};
pub use target::WebhookKind;

use run_event::{queue, sample, written};
use signature::{seal, secret_text};
use target::{address, named, shown};

/// Webhooks of one owner at most. Chosen: ten, as of API keys.
const MOST_WEBHOOKS: u32 = 10;
/// How long the secret before signs too after a rotation.
const OLD_SECRET_MS: i64 = DAY_MS;
/// Days after which an endpoint that failed all the time is disabled.
pub const FAILING_DAYS: i64 = delivery::FAILING_DAYS;
/// Rate limit: tests and new webhooks per network and hour, as each makes a request to an address of the caller's choice.
const TRIES_PER_HOUR: u32 = 60;
/// Deliveries that a list has at most.
const LISTED: u32 = 50;
/// Timeout of the look-up of a host's addresses.
const LOOK_UP: Duration = Duration::from_secs(5);

/// State of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookState {
    /// Its last delivery succeeded, or there was none yet.
    Active,
    /// Its last try failed; events are still sent.
    Failing,
    /// Every try of five days failed, or it answered 410: it gets no events until a test delivery succeeds.
    Disabled,
}

/// A webhook.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Webhook {
    /// Its id.
    pub id: String,
    /// The origin of its address, and the end of it: the rest is a secret of its receiver.
    pub url: String,
    /// The shape of its messages, by its address.
    pub kind: WebhookKind,
    /// The events that it gets.
    pub events: Vec<EventKind>,
    /// Language of its texts.
    pub lang: Lang,
    /// Its state.
    pub state: WebhookState,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when every try failed; null while the last one succeeded.
    pub failing_since: Option<Timestamp>,
    /// Since when it gets no events.
    pub disabled_at: Option<Timestamp>,
}

/// A webhook with its secret, which is shown only once.
#[derive(Debug)]
pub struct WebhookWithSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// The secret: `whsec_` and 32 bytes in base64.
    pub secret: String,
}

/// A delivery.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Delivery {
    /// Its id.
    pub id: String,
    /// Id of the event, which the receiver gets as `webhook-id`, the same with each try.
    pub webhook_id: String,
    /// The event.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// `waiting`, `delivered` or `failed`.
    pub state: DeliveryStateWord,
    /// Tries so far, of 10; a test is tried once.
    pub attempts: u32,
    /// When the next try is due; null where there is none.
    pub next_at: Option<Timestamp>,
    /// HTTP status of the last answer; null without an answer.
    pub status: Option<u16>,
    /// Why the last try failed, in a word: `status`, `address_not_allowed`, `connect`, `tls_handshake`, `time`…; null where
    /// none did.
    pub error: Option<String>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    pub ended_at: Option<Timestamp>,
}

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryStateWord {
    /// To be tried, or tried again.
    Waiting,
    /// The receiver took it.
    Delivered,
    /// Given up.
    Failed,
}

impl Webhook {
    fn of(record: &WebhookRecord) -> Result<Self, ServiceError> {
        let kind = WebhookKind::stored(&record.kind).ok_or_else(|| {
            tracing::error!(webhook.id = %record.id, "a stored webhook can't be read");
            ServiceError::new(Code::Internal)
        })?;
        let state = match (record.disabled_at, record.failing_since) {
            (Some(_), _) => WebhookState::Disabled,
            (None, Some(_)) => WebhookState::Failing,
            (None, None) => WebhookState::Active,
        };
        Ok(Self {
            id: record.id.clone(),
            url: record.shown.clone(),
            kind,
            events: record.events.split(' ').filter_map(EventKind::of).collect(),
            lang: record.lang,
            state,
            created_at: record.created_at,
            failing_since: record.failing_since,
            disabled_at: record.disabled_at,
        })
    }
}

impl Delivery {
    fn of(record: DeliveryRecord) -> Result<Self, ServiceError> {
        let kind = EventKind::of(&record.kind).ok_or_else(|| ServiceError::new(Code::Internal))?;
        Ok(Self {
            id: record.id,
            webhook_id: record.event,
            kind,
            state: match record.state {
                DeliveryState::Waiting => DeliveryStateWord::Waiting,
                DeliveryState::Delivered => DeliveryStateWord::Delivered,
                DeliveryState::Failed => DeliveryStateWord::Failed,
            },
            attempts: record.attempts,
            next_at: record.next_at,
            status: record.status,
            error: record.last_error,
            created_at: record.created_at,
            ended_at: record.ended_at,
        })
    }
}

/// The owner of a caller's webhooks and feed; [`Code::AccountRequired`] for a guest.
pub(crate) fn account_owner(cx: &Cx) -> Result<Owner, ServiceError> {
    cx.caller.required_account()
}

/// The kinds of events that a webhook gets, in a fixed order; all where none are named. [`Code::InvalidBody`] for an empty
/// list, and for `webhook.test`, which nobody subscribes to.
pub fn subscribed(named: Option<&[EventKind]>) -> Result<Vec<EventKind>, ServiceError> {
    let Some(named) = named else { return Ok(EventKind::SUBSCRIBED.to_vec()) };
    if named.is_empty() || named.contains(&EventKind::WebhookTest) {
        let why =
            text("events: use watch.alert, run.finished, or both", "events: use watch.alert, run.finished ou os dois");
        return Err(ServiceError::new(Code::InvalidBody).explained(why.into()));
    }
    Ok(EventKind::SUBSCRIBED.into_iter().filter(|kind| named.contains(kind)).collect())
}

/// The webhooks of the caller, oldest first.
pub async fn list(cx: &Cx) -> Result<Vec<Webhook>, ServiceError> {
    let owner = account_owner(cx)?;
    let records = cx.services.database().ask(|store| store.webhooks_of(&owner)).await?;
    records.iter().map(Webhook::of).collect()
}

/// Makes a webhook at an address, which has to be on the public internet. [`Code::WebhookLimit`] where there are ten.
pub async fn create(cx: &Cx, typed: &str, events: &[EventKind]) -> Result<WebhookWithSecret, ServiceError> {
    let (services, owner) = (&cx.services, account_owner(cx)?);
    spend(cx).await?;
    let url = match address(services, typed) {
        Ok(url) => url,
        Err(error) => return Err(count_refusal(cx, error).await),
    };
    if services.engine().fetcher().may_post(&url, Instant::now() + LOOK_UP).await.is_err() {
        return Err(count_refusal(cx, named(ServiceError::new(Code::AddressNotAllowed))).await);
    }
    let (id, secret) = (services.ports().id(), services.ports().entropy.bytes());
    let words: Vec<&str> = events.iter().map(|kind| kind.word()).collect();
    let record = WebhookRecord {
        kind: WebhookKind::of(&url).word().to_owned(),
        address: seal(services, &id, url.as_str().as_bytes())?,
        shown: shown(&url),
        secret: seal(services, &id, &secret)?,
        old_secret: None,
        events: words.join(" "),
        lang: cx.lang,
        created_at: services.ports().now(),
        failing_since: None,
        disabled_at: None,
        id,
        owner,
    };
    let webhook = Webhook::of(&record)?;
    if !services.database().write(|store| store.add_webhook(record, MOST_WEBHOOKS)).await? {
        return Err(ServiceError::new(Code::WebhookLimit));
    }
    tracing::info!(webhook.id = %webhook.id, "a webhook was made");
    Ok(WebhookWithSecret { webhook, secret: secret_text(&secret) })
}

/// Queues a delivery with a sample, also to a disabled webhook: when it succeeds, the webhook is active again.
pub async fn test(cx: &Cx, id: &str) -> Result<Delivery, ServiceError> {
    let services = &cx.services;
    let record = found(cx, id).await?;
    spend(cx).await?;
    let now = services.ports().now();
    let json = |lang| written(sample(services, now, lang)).map_err(|_| ServiceError::new(Code::Internal));
    let event = NewPageEvent {
        id: services.ports().id(),
        owner: record.owner.clone(),
        kind: EventKind::WebhookTest.word(),
        en: json(Lang::En)?,
        pt: json(Lang::PtBr)?,
        created_at: now,
    };
    let delivery = run_event::delivery(services, &record);
    let delivery_id = delivery.id.clone();
    services.database().write(|_| queue(services, None, event, vec![delivery])).await?;
    let queued = services.database().ask(|store| store.deliveries_of(&record.id, LISTED)).await?;
    let queued = queued.into_iter().find(|queued| queued.id == delivery_id);
    queued.map(Delivery::of).unwrap_or_else(|| Err(ServiceError::new(Code::WebhookNotFound)))
}

/// Gives a webhook a new secret. The one before signs too for a day.
pub async fn rotate(cx: &Cx, id: &str) -> Result<WebhookWithSecret, ServiceError> {
    let services = &cx.services;
    let record = found(cx, id).await?;
    let secret = services.ports().entropy.bytes();
    let sealed = seal(services, &record.id, &secret)?;
    let old_until = services.ports().now().plus_ms(OLD_SECRET_MS);
    let rotated =
        services.database().write(|store| store.rotate_webhook(&record.owner, &record.id, sealed, old_until)).await;
    rotated.map_err(unknown)?;
    tracing::info!(webhook.id = %record.id, "the secret of a webhook was rotated");
    Ok(WebhookWithSecret { webhook: Webhook::of(&record)?, secret: secret_text(&secret) })
}

/// Deletes a webhook with its deliveries.
pub async fn delete(cx: &Cx, id: &str) -> Result<(), ServiceError> {
    let (owner, id) = (account_owner(cx)?, webhook_id(id)?);
    cx.services.database().write(|store| store.delete_webhook(&owner, id)).await.map_err(unknown)?;
    tracing::info!(webhook.id = %id, "a webhook was deleted");
    Ok(())
}

/// The newest deliveries of a webhook, at most 50, newest first.
pub async fn deliveries(cx: &Cx, id: &str) -> Result<Vec<Delivery>, ServiceError> {
    let record = found(cx, id).await?;
    let records = cx.services.database().ask(|store| store.deliveries_of(&record.id, LISTED)).await?;
    records.into_iter().map(Delivery::of).collect()
}

async fn found(cx: &Cx, id: &str) -> Result<WebhookRecord, ServiceError> {
    let (owner, id) = (account_owner(cx)?, webhook_id(id)?);
    cx.services.database().ask(|store| store.webhook_of(&owner, id)).await.map_err(unknown)
}

/// Parses a webhook's id; an invalid one is "not found", without a query.
fn webhook_id(id: &str) -> Result<&str, ServiceError> {
    uuid::Uuid::try_parse(id).map(|_| id).map_err(|_| ServiceError::new(Code::WebhookNotFound))
}

fn unknown(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => ServiceError::new(Code::WebhookNotFound),
        other => other.into(),
    }
}

/// Counts a call that leads to a request to an address of the caller's choice.
async fn spend(cx: &Cx) -> Result<(), ServiceError> {
    let (services, network) = (&cx.services, cx.caller.network);
    let (database, ports) = (services.database(), services.ports());
    services.allowance().spend_hourly(database, ports, network, "webhooks", TRIES_PER_HOUR).await
}
