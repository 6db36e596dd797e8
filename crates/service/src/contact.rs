//! The contact form: messages to the team, by mail.
//!
//! A message is stored before the call is answered, and sent by a job. Messages of one network take turns, ten seconds
//! apart; one that comes faster waits for its turn and is sent then.

mod fields;
mod form;

use render::mail::contact::ContactMessage;
use store::{ContactLimits, ContactQueued};

use crate::accounts::address::reachable;
use crate::caller::Cx;
use crate::counting::Event;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::services::Services;

pub use fields::{BUDGETS, Choice, DURATIONS, EMAIL_CHARS, KINDS, MEANS, MESSAGE_CHARS, NAME_CHARS, TEXT_CHARS};
pub use form::ContactForm;

/// Seconds between two messages of a network (IPv4 /24, IPv6 /48). Chosen: slower than a flood, faster than a person writes.
const SPACING_S: u32 = 10;
/// Messages of a network that may wait. Chosen: the last of them is sent after some three minutes.
const WAITING_PER_NETWORK: u32 = 20;
/// Messages that may wait in all. Chosen: more than a team reads in a day, and at most 10 MB of text.
const WAITING: u32 = 1_000;

/// Turns and limits of messages.
const LIMITS: ContactLimits =
    ContactLimits { spacing_ms: SPACING_S as i64 * 1_000, per_network: WAITING_PER_NETWORK, in_all: WAITING };

/// Milliseconds after which a turn no longer delays the next.
pub(crate) const TURN_MS: i64 = LIMITS.spacing_ms;

/// Milliseconds that turns of a network may last together. After midnight (UTC) yesterday's key of a network is compared for so
/// long, so yesterday's salt is kept for so long.
pub(crate) const TURNS_MS: i64 = TURN_MS * WAITING_PER_NETWORK as i64;

/// Whether messages can be sent: the team has a mailbox, and this server a mail server.
pub fn is_configured(services: &Services) -> bool {
    team(services).is_ok()
}

/// The team's mailbox; [`Code::ContactUnconfigured`] without one, or without a mail server.
fn team(services: &Services) -> Result<&str, ServiceError> {
    let to = services.config().contact.to.as_deref().filter(|_| services.mailer().is_some());
    to.ok_or_else(|| ServiceError::new(Code::ContactUnconfigured))
}

/// Takes a message and queues its mail to the team. The error of a field has a code of its own; the first one counts.
/// [`Code::RateLimited`] and [`Code::ContactQueueFull`] where too many wait.
pub async fn send(cx: &Cx, form: &ContactForm) -> Result<(), ServiceError> {
    let services = &cx.services;
    let to = team(services)?;
    let partners = &services.config().partners;
    let placements: Vec<&str> =
        partners.placements.iter().filter(|_| partners.enabled).map(|placement| placement.id.as_str()).collect();
    let message: ContactMessage = form.message(&placements)?;
    // Where the team's answer goes.
    reachable(services, &message.email).await?;
    let job = Job::SendContact(message.mail(&services.sender(), to, cx.lang)).queued(services.ports(), None);
    let (database, ports) = (services.database(), services.ports());
    let (network, yesterday) = services.allowance().wide_keys(database, ports, cx.caller.network, TURNS_MS).await?;
    match database.write(|store| store.queue_contact(job, network, yesterday, LIMITS)).await? {
        ContactQueued::Accepted { .. } => {
            cx.count(&Event::Contact);
            Ok(())
        }
        ContactQueued::NetworkFull => Err(ServiceError::new(Code::RateLimited).retry_after(SPACING_S)),
        ContactQueued::QueueFull => Err(ServiceError::new(Code::ContactQueueFull).retry_after(60)),
    }
}

#[cfg(test)]
mod tests;
