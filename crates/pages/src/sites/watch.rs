//! Watches of sites: the form that repeats an audit, the list, and what changed since the run before.

use axum::extract::{Request, State};
use axum::response::Response;
use model::lang::{Lang, Text, text};
use service::Services;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::site_watches::{self, SiteWatchAnswer, SiteWatchEdit, SiteWatchPays, WatchInterval};
use service::sites::{SiteChangeListed, SiteRunAnswer};

use super::{InPath, PATH, SiteVisit, form, named, severity, status_word};
use crate::reader::Reader;
use crate::response::{private, see_other};

/// The form that repeats an audit, as far as its reader may.
pub(super) enum RepeatForm {
    /// Repeats are for accounts.
    ForAccounts,
    /// Nothing pays repeats yet.
    Unpaid,
    /// The form, with what repeats cost.
    Ready(String),
}

/// A watch in the list.
pub(super) struct WatchRow {
    pub(super) watch: SiteWatchAnswer,
    pub(super) every: &'static str,
    /// State and score of the newest run.
    pub(super) last: Option<(&'static str, Option<u32>)>,
    /// What broke and what was fixed in the newest run, in words.
    pub(super) changed: Option<String>,
}

/// What changed since the run before.
pub(super) struct ChangeView {
    /// The run before.
    pub(super) since: String,
    pub(super) broke: Vec<ChangeRow>,
    pub(super) fixed: Vec<ChangeRow>,
}

/// A finding that is new or gone.
pub(super) struct ChangeRow {
    pub(super) class: &'static str,
    pub(super) word: &'static str,
    pub(super) change: SiteChangeListed,
}

impl RepeatForm {
    /// For the report of a run; `None` for a run of a watch.
    pub(super) fn of(visit: &SiteVisit, run: &SiteRunAnswer) -> Option<Self> {
        const NOTHING: Text = text("Its audits are free.", "As auditorias dele são grátis.");
        const TRIAL: Text =
            text("Its audits are free in your trial.", "As auditorias dele são grátis no seu período de teste.");
        const CREDIT: Text = text(
            "Each audit costs at most {price} USD, paid with the credit in this browser.",
            "Cada auditoria custa no máximo US$ {preco}, pagos com o crédito deste navegador.",
        );
        if run.watch.is_some() {
            return None;
        }
        if !matches!(visit.cx.caller.identity, Identity::Session(_)) {
            return Some(Self::ForAccounts);
        }
        let (paid_by, most) = site_watches::terms(&visit.cx, run.max_pages, run.spending.max_usd);
        let words = match paid_by {
            SiteWatchPays::Nobody => return Some(Self::Unpaid),
            SiteWatchPays::Nothing => NOTHING.into(),
            SiteWatchPays::Trial => TRIAL.into(),
            SiteWatchPays::Credit => CREDIT.phrase(&most.values()),
        };
        Some(Self::Ready(words.in_lang(visit.reader.lang).to_owned()))
    }
}

/// The watches of the caller; none for whom may have none.
pub(super) async fn rows(visit: &SiteVisit) -> Result<Vec<WatchRow>, ServiceError> {
    let Ok(owner) = site_watches::owner(&visit.cx) else { return Ok(Vec::new()) };
    let watches = site_watches::list(&visit.cx.services, &owner).await?;
    let lang = visit.reader.lang;
    let row = |(watch, last): &(store::SiteWatchRecord, Option<store::SiteRunRecord>)| {
        let watch = SiteWatchAnswer::of(&visit.cx, watch, last.as_ref())?;
        let last = watch.last.as_ref();
        Ok(WatchRow {
            every: every_word(watch.every).in_lang(lang),
            last: last.map(|last| (status_word(last.status).in_lang(lang), last.score)),
            changed: last.and_then(|last| Some(changed_words(last.broke?, last.fixed?, lang))),
            watch,
        })
    };
    watches.iter().map(row).collect()
}

fn every_word(every: WatchInterval) -> Text {
    match every {
        WatchInterval::Daily => text("daily", "todo dia"),
        WatchInterval::Weekly => text("weekly", "toda semana"),
    }
}

fn changed_words(broke: usize, fixed: usize, lang: Lang) -> String {
    const CHANGED: Text =
        text("{broke} new, {fixed} fixed", "{broke} {broke|novo|novos}, {fixed} {fixed|corrigido|corrigidos}");
    let phrase = CHANGED.phrase(&[("broke", broke.into()), ("fixed", fixed.into())]);
    phrase.in_lang(lang).to_owned()
}

impl ChangeView {
    /// Of a run that was compared with the one before.
    pub(super) fn of(run: &SiteRunAnswer, lang: Lang) -> Option<Self> {
        let changes = run.changes.as_ref()?;
        let row = |change: &SiteChangeListed| {
            let (class, word) = severity(change.severity, lang);
            ChangeRow { class, word, change: change.clone() }
        };
        let (broke, fixed) = (changes.broke.iter().map(row).collect(), changes.fixed.iter().map(row).collect());
        Some(Self { since: changes.since.clone(), broke, fixed })
    }
}

/// Repeats an audit.
pub(crate) async fn repeat(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let (visit, fields) = form(&services, &parts, body).await?;
        let every = match fields.get("every") {
            Some("daily") => WatchInterval::Daily,
            Some("weekly") => WatchInterval::Weekly,
            _ => return Err(ServiceError::new(Code::InvalidBody)),
        };
        site_watches::repeat(&visit.cx, &named(id)?, every).await
    };
    back_to_list(&services, done.await.map(drop), reader)
}

/// Stops, resumes or deletes a watch.
pub(crate) async fn change_watch(State(services): State<Services>, id: InPath<String>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let (visit, fields) = form(&services, &parts, body).await?;
        let (owner, id) = (site_watches::owner(&visit.cx)?, named(id)?);
        let turned = |on| SiteWatchEdit { on: Some(on), ..SiteWatchEdit::default() };
        match fields.get("action") {
            Some("stop") => site_watches::change(&visit.cx, &owner, &id, turned(false)).await.map(drop),
            Some("resume") => site_watches::change(&visit.cx, &owner, &id, turned(true)).await.map(drop),
            Some("delete") => site_watches::delete(&services, &owner, &id).await,
            _ => Err(ServiceError::new(Code::InvalidBody)),
        }
    };
    back_to_list(&services, done.await, reader)
}

fn back_to_list(services: &Services, done: Result<(), ServiceError>, reader: Reader) -> Response {
    match done {
        Ok(()) => private(see_other(&format!("{PATH}?lang={}#watches", reader.lang.tag()))),
        Err(error) => crate::error::page(services, &error, reader),
    }
}
