//! Delivery of events to a webhook: one after the other, with tries over three days.

use std::time::Duration;

use fetch::{GuardedPost, NotPosted};
use model::page_event::{EventKind, PageEvent};
use model::time::{DAY_MS, Timestamp};
use render::event;
use store::{AfterTry, DueDelivery, EndedTry, StoreError};
use tokio::time::Instant;
use url::Url;

use super::signature::{signatures, unseal};
use super::target::WebhookKind;
use crate::services::Services;

/// Timeout of a try. Standard Webhooks recommends 15 to 30 seconds ("Delivery").
const TRY_TIME: Duration = Duration::from_secs(15);
/// How long a job begins new tries, so that slow endpoints leave room for others.
const WORK_TIME: Duration = Duration::from_secs(30);
/// Seconds from a failed try to the next: the schedule that Standard Webhooks recommends ("Deliverability and reliability").
const WAITS: [i64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// The longest wait that a receiver can ask for with `Retry-After`, in seconds.
const LONGEST_WAIT: u32 = 86_400;
/// How long every try of an endpoint may fail before it is disabled. Chosen: longer than all tries of one event.
pub(super) const FAILING_DAYS: i64 = 5;

/// How a try ended.
#[derive(Debug, Clone, Copy, Default)]
struct Answer {
    status: Option<u16>,
    /// Why it failed, a stable word; `None` where the receiver took the message.
    error: Option<&'static str>,
    retry_after: Option<u32>,
}

/// Makes the deliveries of a webhook that are due, one after the other.
pub(crate) async fn deliver(services: &Services, webhook: &str) -> Result<(), StoreError> {
    let until = Instant::now() + WORK_TIME;
    while Instant::now() < until {
        let due = services.database().store().due_delivery(webhook, services.ports().now()).await?;
        let Some(due) = due else { return Ok(()) };
        attempt(services, &due).await?;
    }
    Ok(())
}

/// One try.
async fn attempt(services: &Services, due: &DueDelivery) -> Result<(), StoreError> {
    let (store, now) = (services.database().store(), services.ports().now());
    let Ok(event) = serde_json::from_str::<PageEvent>(&due.body) else {
        tracing::error!(delivery.id = %due.id, "a stored event can't be read");
        return end(services, due, due.attempts, Answer { error: Some("unreadable"), ..Answer::default() }, None).await;
    };
    // A test is tried once: whoever asked for it looks at the answer.
    let waits = if event.kind == EventKind::WebhookTest { &[][..] } else { &WAITS };
    let wait_after = |tries: u32| waits.get(usize::try_from(tries).ok()?.checked_sub(1)?).copied();
    if due.attempts > 0 && wait_after(due.attempts).is_none() {
        // The server that began the last try ended in the middle.
        return end(services, due, due.attempts, Answer { error: Some("interrupted"), ..Answer::default() }, None)
            .await;
    }
    let tries = due.attempts + 1;
    let again = wait_after(tries).map(|seconds| now.plus_ms(seconds * 1_000));
    if !store.begin_try(due, again.unwrap_or(now)).await? {
        return Ok(());
    }
    let answer = post(services, due, &event, now).await;
    let again = again.map(|at| at.max(asked_for(answer, now)));
    end(services, due, tries, answer, again).await
}

/// The time that a receiver asked to wait for.
fn asked_for(answer: Answer, now: Timestamp) -> Timestamp {
    now.plus_ms(i64::from(answer.retry_after.unwrap_or_default().min(LONGEST_WAIT)) * 1_000)
}

/// Records a try.
async fn end(
    services: &Services,
    due: &DueDelivery,
    tries: u32,
    answer: Answer,
    again: Option<Timestamp>,
) -> Result<(), StoreError> {
    let now = services.ports().now();
    // "410 Gone" asks for no more messages.
    let is_gone = answer.status == Some(410);
    let after = match (answer.error, again) {
        (None, _) => AfterTry::Delivered,
        (Some(_), Some(at)) if !is_gone => AfterTry::Again(at),
        (Some(_), _) => AfterTry::GivenUp,
    };
    let ended = EndedTry {
        delivery: due.id.clone(),
        webhook: due.webhook.id.clone(),
        attempt: tries,
        status: answer.status,
        error: answer.error,
        after,
        failing_too_long: (!is_gone).then(|| now.plus_ms(-FAILING_DAYS * DAY_MS)),
        now,
    };
    let is_disabled = services.database().store().end_try(ended).await?;
    let (status, error) = (answer.status, answer.error);
    tracing::info!(webhook.id = %due.webhook.id, delivery.id = %due.id, tries, status, error, "tried a webhook");
    if is_disabled {
        tracing::warn!(webhook.id = %due.webhook.id, "a webhook failed for too long and was disabled");
    }
    Ok(())
}

/// Sends a message, in the shape that its receiver takes.
async fn post(services: &Services, due: &DueDelivery, event: &PageEvent, now: Timestamp) -> Answer {
    let webhook = &due.webhook;
    let failed = |error| Answer { error: Some(error), ..Answer::default() };
    let opened = |sealed: &[u8]| unseal(services, &webhook.id, sealed);
    let address = opened(&webhook.address).and_then(|address| Url::parse(std::str::from_utf8(&address).ok()?).ok());
    let current = opened(&webhook.secret);
    let (Some(url), Some(secret)) = (address, current) else {
        tracing::error!(webhook.id = %webhook.id, "a webhook can't be decrypted: auth.secret is another one");
        return failed("undecryptable");
    };
    let old = webhook.old_secret.as_ref().filter(|(_, until)| now < *until);
    let secrets: Vec<Vec<u8>> =
        [Some(secret), old.and_then(|(sealed, _)| opened(sealed))].into_iter().flatten().collect();
    let json = match WebhookKind::stored(&webhook.kind) {
        Some(WebhookKind::Slack) => event::slack(event, webhook.lang).to_string(),
        Some(WebhookKind::Discord) => event::discord(event, webhook.lang).to_string(),
        Some(WebhookKind::Standard) | None => due.body.clone(),
    };
    let fields = [
        ("webhook-id", due.event.clone()),
        ("webhook-timestamp", now.seconds().to_string()),
        ("webhook-signature", signatures(&secrets, &due.event, now, &json)),
    ];
    let post = GuardedPost { url: &url, json, fields: &fields };
    match services.engine().fetcher().post_guarded(post, Instant::now() + TRY_TIME).await {
        Ok(answer) => Answer {
            status: Some(answer.status),
            error: (!(200..300).contains(&answer.status)).then_some("status"),
            retry_after: answer.retry_after,
        },
        Err(NotPosted::Refused) => failed("address_not_allowed"),
        Err(NotPosted::NoAnswer(reason)) => failed(reason),
    }
}
