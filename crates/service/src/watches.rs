//! Daily watches: settings, schedule, and alert addresses.

mod alert;

use model::id::{Owner, TabId};
use model::lang::{Text, text};
use model::tab::Tab;
use model::time::{DAY_MS, Timestamp};
use store::{AlertTo, Changing, DueWatch, LinkPurpose, StoreError, TabChange, WatchLink};
use url::Url;
use uuid::Uuid;

use crate::accounts::address::Address;
use crate::caller::Cx;
use crate::credential::{is_random_token, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::services::Services;
use crate::tabs;

pub(crate) use alert::{Alerted, STOP_LINK_MS, alert, lang_of, link_token};

use alert::question;

/// Rate limit: confirmation mails for alert addresses per network and hour. Chosen: ten, so that they can't be used to
/// send mail to strangers.
const QUESTIONS_PER_HOUR: u32 = 10;
/// Lifetime of a confirmation link.
const QUESTION_MS: i64 = 7 * DAY_MS;
/// Watches queued per round of the scheduler at most.
const QUEUED_AT_ONCE: u32 = 500;

/// Changes to a tab; `None` leaves a field as it is.
#[derive(Debug, Default)]
pub struct TabEdit {
    /// Its name; `Some(None)` removes it.
    pub alias: Option<Option<String>>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// What its owner writes down; `Some(None)` removes it.
    pub note: Option<Option<String>>,
    /// Whether it is the active tab.
    pub active: Option<bool>,
    /// Whether its page is watched.
    pub monitor: Option<bool>,
    /// Where alerts go: an address, or `Some(None)` for the account's own.
    pub alert_email: Option<Option<String>>,
}

/// An edit as it was sent: `None` for a field that was not.
#[derive(Debug, Default)]
pub struct SentEdit<'a> {
    /// Its name.
    pub alias: Option<Option<&'a str>>,
    /// Words to find it by.
    pub tags: Option<&'a [String]>,
    /// What its owner writes down.
    pub note: Option<Option<&'a str>>,
    /// Whether it is the active tab.
    pub active: Option<bool>,
    /// Whether its page is watched.
    pub monitor: Option<bool>,
    /// Where alerts go.
    pub alert_email: Option<Option<&'a str>>,
}

impl TabEdit {
    /// The edit of a call; an error where no field was sent, or one is no good.
    pub fn sent(sent: &SentEdit<'_>) -> Result<Self, ServiceError> {
        let SentEdit { alias, tags, note, active, monitor, alert_email } = *sent;
        let has_text = alias.is_some() || tags.is_some() || note.is_some() || alert_email.is_some();
        if !has_text && active.is_none() && monitor.is_none() {
            const NOTHING: Text = text(
                "the body changes nothing: send alias, tags, note, active, monitor or monitor_email",
                "o corpo não muda nada: envie alias, tags, note, active, monitor ou monitor_email",
            );
            return Err(ServiceError::new(Code::InvalidBody).explained(NOTHING.into()));
        }
        Ok(Self {
            alias: alias.map(tabs::alias_of).transpose()?,
            tags: tags.map(tabs::tags_of).transpose()?,
            note: note.map(tabs::note_of).transpose()?,
            active,
            monitor,
            alert_email: alert_email.map(alert_address).transpose()?,
        })
    }
}

/// Parses an alert address; `None` for the account's own.
pub fn alert_address(typed: Option<&str>) -> Result<Option<String>, ServiceError> {
    let address = typed.unwrap_or_default().trim();
    if address.is_empty() {
        return Ok(None);
    }
    const SHAPE: Text = text(
        "monitor_email: use an address such as ana@example.com",
        "monitor_email: use um endereço como ana@example.com",
    );
    let refused = |_| ServiceError::new(Code::InvalidBody).explained(SHAPE.into());
    Address::parse(address).map(|address| Some(address.typed)).map_err(refused)
}

/// Applies changes to a tab of the caller.
pub async fn change(cx: &Cx, owner: &Owner, tab: &Tab, edit: TabEdit) -> Result<Tab, ServiceError> {
    let watches = edit.monitor == Some(true) || matches!(edit.alert_email, Some(Some(_)));
    if watches && matches!(owner, Owner::Guest(_)) {
        return Err(ServiceError::new(Code::AccountRequired));
    }
    let id = tabs::tab_id(&tab.id)?;
    let watch = match edit.monitor {
        // A watch that continues keeps its time of day.
        Some(true) if tab.monitor => None,
        Some(true) => Some(Some(next_slot(&id, cx.services.ports().now()))),
        Some(false) => Some(None),
        None => None,
    };
    let alert = match edit.alert_email {
        Some(email) => alert_to(cx, owner, tab, email).await?,
        None => None,
    };
    let TabEdit { alias, tags, note, active, .. } = edit;
    let change = TabChange { alias, tags, note, active, watch, alert };
    let most = cx.services.config().limits.watched_pages;
    let changed = cx.services.database().write(|store| store.change_tab(owner, &id, change, most)).await;
    match changed.map_err(tabs::unknown_tab)? {
        Changing::Done(tab) => Ok(*tab),
        Changing::TooManyWatched => Err(ServiceError::new(Code::MonitorLimit)),
    }
}

/// Follows a page for an owner, and begins its daily watch.
pub async fn follow(cx: &Cx, owner: &Owner, url: &Url) -> Result<Tab, ServiceError> {
    let tab = tabs::open(cx, owner, url, None).await?;
    change(cx, owner, &tab, TabEdit { monitor: Some(true), ..TabEdit::default() }).await
}

/// How the alert address changes; `None` when it does not.
async fn alert_to(cx: &Cx, owner: &Owner, tab: &Tab, email: Option<String>) -> Result<Option<AlertTo>, ServiceError> {
    let services = &cx.services;
    let Some(email) = email else { return Ok(tab.monitor_email.is_some().then_some(AlertTo::Account)) };
    if tab.monitor_email.as_deref() == Some(email.as_str()) && tab.monitor_email_confirmed {
        return Ok(None);
    }
    let own = services.database().ask(|store| store.email_of(owner)).await?;
    if own.is_some_and(|own| own.to_lowercase() == email.to_lowercase()) {
        return Ok(Some(AlertTo::Account));
    }
    if services.mailer().is_none() {
        return Err(ServiceError::new(Code::MailUnavailable));
    }
    let refused = |why| ServiceError::new(Code::InvalidBody).explained(why);
    Address::parse(&email)?.must_be_reachable(services, "monitor_email").await.map_err(refused)?;
    let (network, what) = (cx.caller.network, "questions of watches");
    services.allowance().spend_hourly(services.database(), services.ports(), network, what, QUESTIONS_PER_HOUR).await?;
    let token = link_token(services.ports());
    let mail = question(&services.sender(), &email, &tab.url, &token, cx.lang);
    Ok(Some(AlertTo::Other {
        email,
        token_digest: token_digest(&token),
        expires_at: services.ports().now().plus_ms(QUESTION_MS),
        question: Job::SendMail(mail).queued(services.ports(), None),
    }))
}

/// When a watch runs, in milliseconds after the beginning of its period. Derived from its random id, so that watches are spread
/// over the period.
fn offset(id: &str, period_ms: i64) -> i64 {
    let id = Uuid::try_parse(id).map(|id| id.as_u128()).unwrap_or_default();
    i64::try_from(id % u128::from(period_ms.unsigned_abs().max(1))).unwrap_or_default()
}

/// The latest scheduled time of a watch that runs once in a period, up to `now`.
pub(crate) fn slot_of(id: &str, period_ms: i64, now: Timestamp) -> Timestamp {
    now.plus_ms(-(now.0.saturating_sub(offset(id, period_ms))).rem_euclid(period_ms.max(1)))
}

/// The latest scheduled time of a tab's watch, up to `now`.
fn slot(tab: &TabId, now: Timestamp) -> Timestamp {
    slot_of(&tab.0, DAY_MS, now)
}

/// The next scheduled time of a tab's watch, after `now`.
fn next_slot(tab: &TabId, now: Timestamp) -> Timestamp {
    slot(tab, now).plus_ms(DAY_MS)
}

/// Queues due watches: one job per tab and day, however many servers schedule. Missed days are not made up for; one
/// run follows now.
pub(crate) async fn queue_due(services: &Services, now: Timestamp) -> Result<(), StoreError> {
    let store = services.database().store();
    for due in store.due_watches(now, QUEUED_AT_ONCE).await? {
        let slot = slot(&due.tab, now);
        let job = Job::RunWatch { tab: due.tab.clone(), day: slot.day().0 };
        let key = format!("watch:{}:{}", due.tab, slot.day().0);
        let DueWatch { tab, watch_at } = due;
        let next = next_slot(&tab, now);
        store.queue_watch(DueWatch { tab, watch_at }, next, job.queued(services.ports(), Some(key))).await?;
    }
    Ok(())
}

/// The watch that a mailed link is for, by its token; [`Code::NotFound`] when the link is unknown, replaced or expired.
pub async fn link(services: &Services, token: &str, purpose: LinkPurpose) -> Result<WatchLink, ServiceError> {
    let (digest, now) = (link_digest(token)?, services.ports().now());
    match services.database().ask(|store| store.watch_link(&digest, purpose, now)).await {
        Err(DatabaseError::NotFound) if purpose == LinkPurpose::Stop => {
            let url = services.database().ask(|store| store.site_watch_link(&digest, now)).await.map_err(of_link)?;
            Ok(WatchLink { url, email: None })
        }
        found => found.map_err(of_link),
    }
}

/// Uses a mailed link of the watch: opts in to its alerts, or stops them.
pub async fn use_link(services: &Services, token: &str, purpose: LinkPurpose) -> Result<(), ServiceError> {
    let (digest, now) = (link_digest(token)?, services.ports().now());
    match services.database().write(|store| store.use_watch_link(&digest, purpose, now)).await {
        Err(DatabaseError::NotFound) if purpose == LinkPurpose::Stop => {
            services.database().write(|store| store.stop_site_watch(&digest, now)).await.map_err(of_link)
        }
        used => used.map_err(of_link),
    }
}

/// Digest of a link's token. A malformed one needs no look-up.
fn link_digest(token: &str) -> Result<[u8; 32], ServiceError> {
    if is_random_token(token) { Ok(token_digest(token)) } else { Err(unknown_link()) }
}

fn unknown_link() -> ServiceError {
    const OVER: Text = text(
        "This link has expired or was replaced by a newer one.",
        "Este link expirou ou foi substituído por um mais novo.",
    );
    ServiceError::new(Code::NotFound).explained(OVER.into())
}

fn of_link(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => unknown_link(),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use store::JobState;

    use super::*;
    use crate::testing::{NOW, service_on};

    #[test]
    fn a_tab_is_watched_at_one_time_of_day() {
        let tab = TabId("0192f0c1-2345-7abc-8def-0123456789ab".to_owned());
        let now = Timestamp(1_769_851_800_000);
        let last = slot(&tab, now);
        assert!(last <= now && now < last.plus_ms(DAY_MS));
        assert_eq!(last.0.rem_euclid(DAY_MS), offset(&tab.0, DAY_MS));
        for (at, wanted) in
            [(last, last), (last.plus_ms(DAY_MS - 1), last), (last.plus_ms(DAY_MS), last.plus_ms(DAY_MS))]
        {
            assert_eq!((slot(&tab, at), next_slot(&tab, at)), (wanted, wanted.plus_ms(DAY_MS)));
        }
    }

    #[test]
    fn an_edit_changes_one_field_at_least() {
        let tags = ["shop".to_owned()];
        for sent in [
            SentEdit { alias: Some(None), ..SentEdit::default() },
            SentEdit { tags: Some(&tags), ..SentEdit::default() },
            SentEdit { note: Some(Some("x")), ..SentEdit::default() },
            SentEdit { active: Some(true), ..SentEdit::default() },
            SentEdit { monitor: Some(false), ..SentEdit::default() },
            SentEdit { alert_email: Some(None), ..SentEdit::default() },
        ] {
            assert!(TabEdit::sent(&sent).is_ok(), "{sent:?}");
        }
        assert_eq!(TabEdit::sent(&SentEdit::default()).unwrap_err().code, Code::InvalidBody);
    }

    #[test]
    fn an_alert_address_may_be_of_any_script() {
        let read = |typed| alert_address(typed).map_err(|error| error.detail.unwrap().en);
        assert_eq!(read(Some(" ana@bücher.example ")).unwrap().as_deref(), Some("ana@xn--bcher-kva.example"));
        assert_eq!((read(Some("  ")).unwrap(), read(None).unwrap()), (None, None));
        assert_eq!(read(Some("аня@example.com")).unwrap().as_deref(), Some("аня@example.com"));
        assert!(read(Some("ana")).unwrap_err().starts_with("monitor_email: use an address"));
    }

    #[test]
    fn times_of_day_are_spread() {
        let mut hours = [0; 24];
        for low in 0..2_400_u64 {
            // What is random in an id is its lower half.
            let id = Uuid::from_u64_pair(0x0192_f0c1_2345_7abc, low.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let hour = offset(&id.to_string(), DAY_MS) / 3_600_000;
            hours[usize::try_from(hour).unwrap()] += 1;
        }
        assert!(hours.iter().all(|&count| (50..=150).contains(&count)), "{hours:?}");
    }

    #[tokio::test]
    async fn a_round_queues_500_watches_and_the_next_one_the_rest() {
        let test = service_on(|_| {}).await;
        let insert = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 501) \
            INSERT INTO tabs (id, owner, url, created_at, monitor, watch_at, alert_agreed) \
            SELECT printf('0192f0c1-2345-7abc-8def-%012d', n), 'account:a', 'https://example.com/' || n, 0, 1, 0, 0 \
            FROM numbers";
        test.database.execute(insert).await;
        for count in [500, 501, 501] {
            queue_due(&test.services, NOW).await.unwrap();
            let waiting = test.services.database().store().jobs(JobState::Waiting, 1_000).await.unwrap();
            assert_eq!(waiting.len(), count);
        }
    }

    #[tokio::test]
    async fn a_link_that_stops_the_watch_of_a_site_agrees_to_nothing() {
        let test = service_on(|_| {}).await;
        let (services, token) = (&test.services, link_token(test.services.ports()));
        let digest: String = token_digest(&token).iter().map(|byte| format!("{byte:02x}")).collect();
        let insert = format!(
            "INSERT INTO site_watches (id, owner, url, options, days, due_at, created_at) \
             VALUES ('a watch', 'account:a', 'https://example.com/', '{{}}', 1, 0, 0); \
             INSERT INTO site_watch_links (token_digest, watch_id, expires_at) VALUES (x'{digest}', 'a watch', {})",
            NOW.plus_ms(1).0
        );
        test.database.execute(&insert).await;
        let due = async || services.database().store().due_site_watches(NOW, 10).await.unwrap().len();
        assert_eq!(link(services, &token, LinkPurpose::Agree).await.unwrap_err().code, Code::NotFound);
        assert_eq!(use_link(services, &token, LinkPurpose::Agree).await.unwrap_err().code, Code::NotFound);
        let found = link(services, &token, LinkPurpose::Stop).await.unwrap();
        assert_eq!((&*found.url, found.email, due().await), ("https://example.com/", None, 1));
        use_link(services, &token, LinkPurpose::Stop).await.unwrap();
        assert_eq!(due().await, 0);
    }
}
