//! The event of a run: made from the stored report, and queued for everybody who subscribed.

use model::change::Change;
use model::id::{AuditId, Owner, TabId};
use model::lang::Lang;
use model::page_event::{EventKind, EventTab, PageEvent, PageEventData};
use model::searchable::Searchable;
use model::tab::{Run, Tab};
use model::time::Timestamp;
use store::{JobLease, NewDelivery, NewJob, NewPageEvent, RunRecord, StoreError, StoredReport, WebhookRecord};

use crate::blocking::off_worker;
use crate::error::ServiceError;
use crate::job::Job;
use crate::services::Services;
use crate::shares::report_path;
use crate::tabs::{Judgement, between};

/// Deliveries of one endpoint that wait at most; a further one is given up at once. Chosen: twice what the daily watch of
/// all pages of an account makes in a day.
const MOST_WAITING: u32 = 200;
/// Findings of each list of a change in an event at most.
const CHANGED: usize = 20;
/// Characters of the sentence on search engines in an event at most: it may quote what the page calls its type.
const SENTENCE_CHARS: usize = 300;
/// Bytes of an event at most, as Standard Webhooks recommends ("Payload structure"). The lists of a longer one are left out.
const EVENT_BYTES: usize = 20 * 1024;

/// A run to tell of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnnouncedRun<'a> {
    /// Who follows the page.
    pub owner: &'a Owner,
    /// The followed page.
    pub tab: &'a TabId,
    /// The run.
    pub audit: &'a AuditId,
    /// Whether it calls for an alert.
    pub is_alert: bool,
}

/// What became of telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announced {
    /// The event is stored, and the job that tells ended.
    Told,
    /// The lease of the job was lost.
    LeaseLost,
    /// The run can't be read: it is withheld until its payment is final, or was deleted.
    Unreadable,
    /// The page is followed no more.
    Unfollowed,
}

/// Why an event could not be made; another try may do it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotTold {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No core came free, or a report could not be written.
    #[error("the event of a run could not be made")]
    Unmade,
}

/// Stores the event of a run and queues its deliveries, together with the end of the job of `lease`.
pub(crate) async fn announce(
    services: &Services,
    lease: &JobLease,
    run: AnnouncedRun<'_>,
) -> Result<Announced, NotTold> {
    let store = services.database().store();
    let stored = match store.audit_of(run.owner, run.audit).await {
        Err(StoreError::NotFound { .. }) => return Ok(Announced::Unreadable),
        stored => stored?,
    };
    let tab = match store.tab_of(run.owner, run.tab).await {
        Err(StoreError::NotFound { .. }) => return Ok(Announced::Unfollowed),
        tab => tab?,
    };
    let before = store.run_before(run.owner, &stored).await?;
    let (kind, made_in) = (if run.is_alert { EventKind::WatchAlert } else { EventKind::RunFinished }, services.clone());
    let write = move || {
        let in_lang = |lang| written(of_run(&made_in, kind, &tab, &stored, before.as_ref(), lang)?);
        Ok::<_, NotTold>((in_lang(Lang::En)?, in_lang(Lang::PtBr)?, stored.created_at))
    };
    let (en, pt, created_at) = off_worker(write).await.map_err(|_: ServiceError| NotTold::Unmade)??;
    let event =
        NewPageEvent { id: services.ports().id(), owner: run.owner.clone(), kind: kind.word(), en, pt, created_at };
    let webhooks = store.webhooks_of(run.owner).await?;
    let wanting = webhooks.iter().filter(|webhook| webhook.disabled_at.is_none() && takes(webhook, kind));
    let deliveries = wanting.map(|webhook| delivery(services, webhook)).collect();
    let is_told = queue(services, Some(lease.clone()), event, deliveries).await?;
    Ok(if is_told { Announced::Told } else { Announced::LeaseLost })
}

/// Stores an event and queues its deliveries; `false` where the lease of the job that does it was lost.
pub(super) async fn queue(
    services: &Services,
    lease: Option<JobLease>,
    event: NewPageEvent,
    deliveries: Vec<NewDelivery>,
) -> Result<bool, StoreError> {
    let now = services.ports().now();
    services.database().store().tell(lease, event, deliveries, MOST_WAITING, now).await
}

/// A delivery to a webhook, with the webhook's one job.
pub(super) fn delivery(services: &Services, webhook: &WebhookRecord) -> NewDelivery {
    let job = Job::DeliverWebhook { webhook: webhook.id.clone() }.queued(services.ports(), None);
    let job = NewJob { id: webhook.id.clone(), ..job };
    NewDelivery { id: services.ports().id(), webhook: webhook.id.clone(), job }
}

/// Whether a webhook gets events of a kind.
fn takes(webhook: &WebhookRecord, kind: EventKind) -> bool {
    webhook.events.split(' ').any(|word| word == kind.word())
}

fn of_run(
    services: &Services,
    kind: EventKind,
    tab: &Tab,
    stored: &StoredReport,
    before: Option<&RunRecord>,
    lang: Lang,
) -> Result<PageEvent, NotTold> {
    // Only the report of an unreachable page has no summary.
    let is_reached = stored.report.summary.is_some();
    let change = match before {
        Some(before) => {
            let before = Judgement::of(before.judged()?, before.failed, lang);
            Some(between(&before, &Judgement::of_report(&stored.report, !is_reached, lang)))
        }
        None => None,
    };
    Ok(PageEvent {
        kind,
        timestamp: stored.created_at,
        data: PageEventData {
            tab: EventTab { id: tab.id.clone(), url: tab.url.clone(), alias: tab.alias.clone() },
            searchable: stored.report.searchable_in(lang).map(shortened),
            run: Run {
                audit_id: stored.id.0.clone(),
                score: is_reached.then_some(stored.report.score),
                counts: stored.report.counts,
                created_at: stored.created_at,
                change,
                alerted: kind == EventKind::WatchAlert,
                shared: stored.share_slug.as_ref().map(|slug| services.url(&report_path(slug))),
                api: services.url(&format!("/api/audits/{}", stored.id)),
            },
            report: report_page(services, &stored.id, lang),
            truncated: false,
        },
    })
}

/// A sample for test deliveries.
pub(super) fn sample(services: &Services, now: Timestamp, lang: Lang) -> PageEvent {
    let id = AuditId("019c1346-2f4c-7a51-8d6d-1f0c2b7a9e11".to_owned());
    let change =
        Change { score: Some(8), from: Some(84), to: Some(92), broke: vec![], fixed: vec![], revealed: vec![] };
    PageEvent {
        kind: EventKind::WebhookTest,
        timestamp: now,
        data: PageEventData {
            tab: EventTab {
                id: "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e10".to_owned(),
                url: "https://example.com/".to_owned(),
                alias: Some("example.com".to_owned()),
            },
            searchable: None,
            run: Run {
                audit_id: id.0.clone(),
                score: Some(92),
                counts: model::finding::Counts::default(),
                created_at: now,
                change: Some(change),
                alerted: false,
                shared: None,
                api: services.url(&format!("/api/audits/{id}")),
            },
            report: report_page(services, &id, lang),
            truncated: false,
        },
    }
}

/// The answer with a sentence of at most [`SENTENCE_CHARS`], which ends with an ellipsis where it was longer.
fn shortened(mut found: Searchable<String>) -> Searchable<String> {
    if found.text.chars().count() > SENTENCE_CHARS {
        found.text = found.text.chars().take(SENTENCE_CHARS - 1).chain(['…']).collect();
    }
    found
}

fn report_page(services: &Services, audit: &AuditId, lang: Lang) -> String {
    services.url(&format!("/reports/{audit}?lang={}", lang.tag()))
}

/// An event as JSON, within its limits.
pub(super) fn written(mut event: PageEvent) -> Result<String, NotTold> {
    let json = |event: &PageEvent| serde_json::to_string(event).map_err(|_| NotTold::Unmade);
    cut(&mut event, CHANGED);
    let short = json(&event)?;
    if short.len() <= EVENT_BYTES {
        return Ok(short);
    }
    cut(&mut event, 0);
    json(&event)
}

/// Shortens the lists of an event's change.
fn cut(event: &mut PageEvent, most: usize) {
    let Some(change) = &mut event.data.run.change else { return };
    for list in [&mut change.broke, &mut change.fixed, &mut change.revealed] {
        event.data.truncated |= list.len() > most;
        list.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::Changed;
    use model::finding::{Counts, Severity};
    use model::searchable::SearchState;

    #[test]
    fn a_sentence_that_was_cut_says_so() {
        for (chars, kept, end) in [(SENTENCE_CHARS, SENTENCE_CHARS, 'ã'), (SENTENCE_CHARS + 1, SENTENCE_CHARS, '…')]
        {
            let text = "ã".repeat(chars);
            let cut = shortened(Searchable { state: SearchState::No, reasons: vec![], text }).text;
            assert_eq!((cut.chars().count(), cut.chars().last()), (kept, Some(end)));
        }
    }

    #[test]
    fn an_event_keeps_its_size_and_says_what_it_left_out() {
        let event = |count: usize, chars: usize| {
            let code = || "title_missing".to_owned();
            let changed = Changed { code: code(), severity: Severity::Error, message: "a".repeat(chars) };
            let broke = vec![changed; count];
            PageEvent {
                kind: EventKind::WatchAlert,
                timestamp: Timestamp(0),
                data: PageEventData {
                    tab: EventTab { id: code(), url: code(), alias: None },
                    searchable: None,
                    run: Run {
                        audit_id: code(),
                        score: Some(1),
                        counts: Counts::default(),
                        created_at: Timestamp(0),
                        change: Some(Change {
                            score: None,
                            from: None,
                            to: None,
                            broke,
                            fixed: vec![],
                            revealed: vec![],
                        }),
                        alerted: true,
                        shared: None,
                        api: code(),
                    },
                    report: code(),
                    truncated: false,
                },
            }
        };
        for (count, chars, kept, is_cut) in [(3, 10, 3, false), (30, 10, 20, true), (20, 2_000, 0, true)] {
            let text = written(event(count, chars)).unwrap();
            assert!(text.len() <= EVENT_BYTES, "{}", text.len());
            let read: PageEvent = serde_json::from_str(&text).unwrap();
            let broke = read.data.run.change.unwrap().broke.len();
            assert_eq!((broke, read.data.truncated), (kept, is_cut), "{count} of {chars}");
        }
    }
}
