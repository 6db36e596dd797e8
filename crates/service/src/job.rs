//! Background jobs as stored in the queue of the database.

use std::time::Duration;

use lab::request::TEST_TIME;
use model::id::{AccountId, AuditId, TabId};
use model::lang::Lang;
use render::mail::Mail;
use serde::{Deserialize, Serialize};
use store::NewJob;

use crate::ports::Ports;
use crate::traces;

/// Tries of a mail: a day, with backoff. Chosen: an outage of the mail server is noticed within a day.
const MAIL_TRIES: u32 = 30;
/// Tries of a watch's run: over an hour, with backoff, after which a page counts as unreachable, and some more for
/// faults of our own.
const WATCH_TRIES: u32 = 10;
/// Tries to tell of a run, over some hours, with backoff: a run that is paid for can be read once its payment is final.
const ANNOUNCE_TRIES: u32 = 10;
/// Tries of an endpoint's job. Each delivery counts its own tries, so this only bounds crashes one after the other.
const DELIVER_TRIES: u32 = 1_000;
/// Tries of a lab test: one, one more after trouble, and one after a restart in the middle.
const LAB_TRIES: u32 = 3;
/// Timeout of a job, unless it takes longer by its nature.
const JOB_TIME: Duration = Duration::from_secs(90);
/// Timeout of a lab test: that of the measurement, and time to store its result.
const LAB_TIME: Duration = Duration::from_secs(TEST_TIME.as_secs() + 15);
/// What a lease outlasts the job's timeout by, so that no live server outlasts its own lease.
const LEASE_MARGIN: Duration = Duration::from_secs(30);
/// Tries of a seat of a run over a site: each ends with progress, and counts from one again, so this only bounds crashes and
/// outages one after the other.
const SITE_TRIES: u32 = 20;
/// Timeout of one turn of a seat: above the first page with all sitemaps, and above one page that waits for a core. Both have
/// their own timeouts.
const SITE_TIME: Duration = Duration::from_secs(600);
/// Lease of a seat, which renews it while it works: a dead server's seat is taken by another soon.
const SITE_LEASE: Duration = Duration::from_secs(45);
/// Tries of a purge and of a publication; another is queued every hour.
const PURGE_TRIES: u32 = 5;

/// A job as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum Job {
    /// Send a mail.
    SendMail(Mail),
    /// Send a message of the contact form to the team.
    SendContact(Mail),
    /// Send the password reset link that an operator scheduled.
    SendReset {
        /// The account.
        account: AccountId,
    },
    /// Run a watch: audit the tab's page, and alert its owner when it got worse.
    RunWatch {
        /// The tab.
        tab: TabId,
        /// Day of the run, since 1970-01-01.
        day: i64,
    },
    /// Begin the run of a watch of a site.
    BeginSiteWatch {
        /// The watch.
        watch: String,
        /// When the run was due, in milliseconds since 1970-01-01.
        slot: i64,
    },
    /// Measure the page of a lab test.
    RunLab {
        /// The test's own id.
        run: String,
        /// Language of titles and displayed values.
        lang: Lang,
    },
    /// Ask for pages of a site, one at a time.
    RunSite {
        /// The run's id.
        run: String,
        /// The seat: each asks for one page at a time.
        seat: u32,
    },
    /// Tell subscribers of a run of a followed page.
    AnnounceRun {
        /// Who follows the page, as an owner is written.
        owner: String,
        /// The tab.
        tab: TabId,
        /// The run.
        audit: AuditId,
        /// Whether the run calls for an alert.
        is_alert: bool,
    },
    /// Make the deliveries of a webhook that are due. Its id is the webhook's.
    DeliverWebhook {
        /// The webhook.
        webhook: String,
    },
    /// Delete rows past their retention.
    Purge,
    /// Publish the statistics.
    PublishShowcase {
        /// The hour, counted from 1970-01-01T00:00Z.
        hour: i64,
    },
}

/// A lane of the queue. Slow jobs of one lane don't delay another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Mail.
    Mail,
    /// Messages of the contact form, which anybody may send: a flood of them holds up no other mail.
    Contact,
    /// Audits.
    Audit,
    /// Lab tests.
    Lab,
    /// Runs over sites.
    Site,
    /// Webhooks.
    Webhook,
    /// Housekeeping.
    Upkeep,
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Mail, Self::Contact, Self::Audit, Self::Lab, Self::Site, Self::Webhook, Self::Upkeep];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Contact => "contact",
            Self::Audit => "audit",
            Self::Lab => "lab",
            Self::Site => "site",
            Self::Webhook => "webhook",
            Self::Upkeep => "upkeep",
        }
    }

    /// Concurrency limit per server. Lab tests have a lower one where their provider does.
    pub(crate) fn at_once(self) -> usize {
        match self {
            Self::Mail | Self::Audit | Self::Lab => 4,
            Self::Site | Self::Webhook => 8,
            Self::Contact | Self::Upkeep => 1,
        }
    }

    /// Timeout of a job.
    pub(crate) fn job_time(self) -> Duration {
        match self {
            Self::Lab => LAB_TIME,
            Self::Site => SITE_TIME,
            Self::Mail | Self::Contact | Self::Audit | Self::Webhook | Self::Upkeep => JOB_TIME,
        }
    }

    /// Lease of a claimed job. Jobs of a dead server are claimed by others after it.
    pub(crate) fn lease(self) -> Duration {
        match self {
            Self::Site => SITE_LEASE,
            _ => self.job_time() + LEASE_MARGIN,
        }
    }
}

impl Job {
    /// The job as a row to queue, due now, in the trace of what queues it. `key` makes it unique, forever.
    pub fn queued(&self, ports: &Ports, key: Option<String>) -> NewJob {
        let now = ports.now();
        let payload = serde_json::to_string(self).expect("it holds texts and numbers under names, which are JSON");
        let (id, lane) = (ports.id(), self.lane().word());
        NewJob { id, lane, unique_key: key, payload, run_at: now, created_at: now, traceparent: traces::traceparent() }
    }

    /// Description for the operator; `None` when this version does not know the job.
    pub fn described(payload: &str) -> Option<String> {
        Some(match serde_json::from_str(payload).ok()? {
            Self::SendMail(mail) => format!("mail to {}: {}", mail.to, mail.subject),
            Self::SendContact(mail) => format!("contact message to {}", mail.to),
            Self::SendReset { account } => format!("link for a new password of account {account}"),
            Self::RunWatch { tab, .. } => format!("watch of tab {tab}"),
            Self::BeginSiteWatch { watch, .. } => format!("run of the watch {watch} of a site"),
            Self::RunLab { run, .. } => format!("lab test {run}"),
            Self::RunSite { run, seat } => format!("seat {seat} of run {run} over a site"),
            Self::AnnounceRun { audit, .. } => format!("tell subscribers of run {audit}"),
            Self::DeliverWebhook { webhook } => format!("deliveries of webhook {webhook}"),
            Self::Purge => "forget what is past its time".to_owned(),
            Self::PublishShowcase { .. } => "publish the statistics".to_owned(),
        })
    }

    pub(crate) fn lane(&self) -> Lane {
        match self {
            Self::SendMail(_) | Self::SendReset { .. } => Lane::Mail,
            Self::SendContact(_) => Lane::Contact,
            Self::RunWatch { .. } | Self::BeginSiteWatch { .. } => Lane::Audit,
            Self::RunLab { .. } => Lane::Lab,
            Self::RunSite { .. } => Lane::Site,
            Self::AnnounceRun { .. } | Self::DeliverWebhook { .. } => Lane::Webhook,
            Self::Purge | Self::PublishShowcase { .. } => Lane::Upkeep,
        }
    }

    pub(crate) fn tries(&self) -> u32 {
        match self {
            Self::SendMail(_) | Self::SendContact(_) | Self::SendReset { .. } => MAIL_TRIES,
            Self::RunWatch { .. } | Self::BeginSiteWatch { .. } => WATCH_TRIES,
            Self::RunLab { .. } => LAB_TRIES,
            Self::RunSite { .. } => SITE_TRIES,
            Self::AnnounceRun { .. } => ANNOUNCE_TRIES,
            Self::DeliverWebhook { .. } => DELIVER_TRIES,
            Self::Purge | Self::PublishShowcase { .. } => PURGE_TRIES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_tried_as_often_as_the_contract_says() {
        let run = || "r".to_owned();
        let watch = Job::RunWatch { tab: TabId(run()), day: 0 };
        let announcement = Job::AnnounceRun { owner: run(), tab: TabId(run()), audit: AuditId(run()), is_alert: false };
        for (job, lane, tries) in [
            (Job::SendReset { account: AccountId(run()) }, Lane::Mail, 30),
            (watch, Lane::Audit, 10),
            (Job::RunLab { run: run(), lang: Lang::En }, Lane::Lab, 3),
            (Job::RunSite { run: run(), seat: 1 }, Lane::Site, 20),
            (announcement, Lane::Webhook, 10),
            (Job::DeliverWebhook { webhook: run() }, Lane::Webhook, 1_000),
            (Job::Purge, Lane::Upkeep, 5),
            (Job::PublishShowcase { hour: 0 }, Lane::Upkeep, 5),
        ] {
            assert_eq!((job.lane(), job.tries()), (lane, tries), "{job:?}");
        }
    }

    /// No lease ends before the timeout of its job, except a seat's, which is renewed.
    #[test]
    fn lanes_keep_their_times() {
        for (lane, at_once, job_s, lease_s) in [
            (Lane::Mail, 4, 90, 120),
            (Lane::Contact, 1, 90, 120),
            (Lane::Audit, 4, 90, 120),
            (Lane::Lab, 4, 135, 165),
            (Lane::Site, 8, 600, 45),
            (Lane::Webhook, 8, 90, 120),
            (Lane::Upkeep, 1, 90, 120),
        ] {
            let times = (lane.job_time().as_secs(), lane.lease().as_secs());
            assert_eq!((lane.at_once(), times), (at_once, (job_s, lease_s)), "{lane:?}");
        }
    }

    #[test]
    fn a_job_is_described_and_what_is_none_is_not() {
        assert_eq!(Job::described(r#"{"job":"purge"}"#).as_deref(), Some("forget what is past its time"));
        for payload in ["", "{}", r#"{"job":"lunch"}"#] {
            assert_eq!(Job::described(payload), None, "{payload}");
        }
    }
}
