//! Mail of the watch: the alert that a page got worse, and the question whether alerts may go to an address.

use askama::Template;
use audit::checks;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::change::Change;
use model::finding::Severity;
use model::fix::Fix;
use model::id::{AuditId, TabId};
use model::lang::{Lang, Text, text};
use model::report::Report;
use store::WatchedTab;

use crate::app::App;
use crate::caller::token_digest;
use crate::error::{ApiError, Code};
use crate::jobs::Job;
use crate::mail::Mail;
use crate::shown::{printable, undirected};

use super::STOP_LINK_MS;

/// Findings that an alert tells in full; it says how many more there are.
const TOLD: usize = 20;

/// A run of a watch that its owner is to hear of.
#[derive(Debug)]
pub(crate) struct Alerted<'a> {
    /// Whose page it is.
    pub(crate) watched: &'a WatchedTab,
    /// The tab.
    pub(crate) tab: &'a TabId,
    /// The run.
    pub(crate) audit: &'a AuditId,
    /// What it found.
    pub(crate) report: &'a Report,
    /// What changed, in the language of the account.
    pub(crate) change: &'a Change,
    /// Which day's run it is: one alert a day.
    pub(crate) day: i64,
}

/// The language that an account reads.
pub(crate) fn lang_of(watched: &WatchedTab) -> Lang {
    watched.locale.as_deref().and_then(Lang::from_tag).unwrap_or_default()
}

#[derive(Template)]
#[template(path = "mail_alert.txt")]
struct AlertText<'a> {
    mail: &'a AlertMail<'a>,
}

#[derive(Template)]
#[template(path = "mail_alert.html")]
struct AlertHtml<'a> {
    mail: &'a AlertMail<'a>,
}

struct AlertMail<'a> {
    lang: Lang,
    product: &'a str,
    subject: &'a str,
    url: &'a str,
    change: &'a Change,
    items: Vec<Item<'a>>,
    more: usize,
    report: String,
    history: String,
    stop: &'a str,
}

/// One finding that appeared.
struct Item<'a> {
    word: &'static str,
    title: &'static str,
    message: String,
    /// The ready fix, as it is pasted.
    snippet: Option<&'a str>,
    /// What to do.
    note: Option<&'a str>,
    address: String,
}

#[derive(Template)]
#[template(path = "mail_question.txt")]
struct QuestionText<'a> {
    mail: &'a QuestionMail<'a>,
}

#[derive(Template)]
#[template(path = "mail_question.html")]
struct QuestionHtml<'a> {
    mail: &'a QuestionMail<'a>,
}

struct QuestionMail<'a> {
    lang: Lang,
    product: &'a str,
    subject: &'a str,
    url: &'a str,
    link: &'a str,
}

impl AlertMail<'_> {
    fn t<'t>(&self, en: &'t str, pt: &'t str) -> &'t str {
        in_lang(self.lang, en, pt)
    }
}

impl QuestionMail<'_> {
    fn t<'t>(&self, en: &'t str, pt: &'t str) -> &'t str {
        in_lang(self.lang, en, pt)
    }
}

fn in_lang<'t>(lang: Lang, en: &'t str, pt: &'t str) -> &'t str {
    match lang {
        Lang::En => en,
        Lang::PtBr => pt,
    }
}

/// The alert of a run; `None` where nobody can be told: the account is gone, or an organization named no address.
pub(crate) fn alert(app: &App, alerted: &Alerted<'_>) -> Result<Option<store::Alert>, askama::Error> {
    let watched = alerted.watched;
    let Some(to) = watched.alert_email.as_ref().or(watched.account_email.as_ref()) else { return Ok(None) };
    let lang = lang_of(watched);
    let token = link_token(app);
    let stop = app.url(&format!("/watch/stop?token={token}&lang={}", lang.tag()));
    let change = alerted.change;
    let subject = subject(watched.alias.as_deref().unwrap_or(&watched.url), change, lang);
    let mail = AlertMail {
        lang,
        product: &app.config().product.name,
        subject: &subject,
        url: &watched.url,
        change,
        items: items(app, alerted, lang),
        more: change.broke.len().saturating_sub(TOLD),
        report: app.url(&format!("/reports/{}?lang={}", alerted.audit, lang.tag())),
        history: app.url(&format!("/workspace/{}/history?lang={}", alerted.tab, lang.tag())),
        stop: &stop,
    };
    let mail = Mail {
        to: to.clone(),
        subject: subject.clone(),
        text: AlertText { mail: &mail }.render()?,
        html: AlertHtml { mail: &mail }.render()?,
        unsubscribe: Some(stop.clone()),
    };
    let key = format!("alert:{}:{}", alerted.tab, alerted.day);
    Ok(Some(store::Alert {
        mail: Job::SendMail(mail).queued(app, Some(key)),
        token_digest: token_digest(&token),
        email: watched.alert_email.clone(),
        expires_at: app.ports().now().plus_ms(STOP_LINK_MS),
    }))
}

fn subject(name: &str, change: &Change, lang: Lang) -> String {
    const DROPPED: Text = text("{page}: score {from} → {to}", "{page}: nota {from} → {to}");
    const GONE: Text = text("{page} can't be reached", "{page} está inalcançável");
    const NEW: Text = text("{page}: new findings", "{page}: novos achados");
    let page = ("page", printable(name).into());
    let phrase = match (change.from, change.to) {
        (Some(from), Some(to)) if to < from => DROPPED.phrase(&[page, ("from", from.into()), ("to", to.into())]),
        (_, None) => GONE.phrase(&[page]),
        _ => NEW.phrase(&[page]),
    };
    phrase.in_lang(lang).to_owned()
}

/// What is new, worst first, with its fix.
fn items<'a>(app: &App, alerted: &'a Alerted<'a>, lang: Lang) -> Vec<Item<'a>> {
    const ERROR: Text = text("Error", "Erro");
    const WARNING: Text = text("Warning", "Aviso");
    const NOTE: Text = text("Note", "Nota");
    let fix_of = |code: &str| alerted.report.fixes.iter().find(|fix: &&Fix| fix.code == code);
    let told = alerted.change.broke.iter().take(TOLD);
    told.map(|changed| {
        let check = checks::find(&changed.code);
        let fix = fix_of(&changed.code);
        let word = match changed.severity {
            Severity::Error => ERROR,
            Severity::Warn => WARNING,
            Severity::Info => NOTE,
        };
        Item {
            word: word.in_lang(lang),
            title: check.map_or("", |check| check.title.in_lang(lang)),
            message: undirected(&changed.message),
            snippet: fix.and_then(|fix| fix.snippet.as_deref()),
            note: match fix.and_then(|fix| fix.note.as_ref()) {
                Some(note) => Some(note.in_lang(lang)),
                None => check.map(|check| check.how.in_lang(lang)),
            },
            address: app.url(&format!("/checks/{}?lang={}", changed.code, lang.tag())),
        }
    })
    .collect()
}

/// The mail that asks whether alerts about a page may go to an address.
pub(crate) fn question(app: &App, to: &str, url: &str, token: &str, lang: Lang) -> Result<Mail, ApiError> {
    const SUBJECT: Text = text("May {product} write to you?", "{product} pode escrever para você?");
    let product = &app.config().product.name;
    let subject = SUBJECT.phrase(&[("product", product.as_str().into())]).in_lang(lang).to_owned();
    let link = app.url(&format!("/watch/agree?token={token}&lang={}", lang.tag()));
    let mail = QuestionMail { lang, product, subject: &subject, url, link: &link };
    let rendered =
        QuestionText { mail: &mail }.render().and_then(|text| Ok((text, QuestionHtml { mail: &mail }.render()?)));
    let (text, html) = rendered.map_err(|error| {
        tracing::error!(%error, "a mail could not be made");
        ApiError::new(Code::Internal)
    })?;
    Ok(Mail { to: to.to_owned(), subject, text, html, unsubscribe: None })
}

/// A new token for a link in a mail.
pub(super) fn link_token(app: &App) -> String {
    URL_SAFE_NO_PAD.encode(app.ports().entropy.bytes())
}
