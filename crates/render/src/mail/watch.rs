//! Mail of the daily watch: the alert that a page got worse, and the question whether alerts may go to an address.

use askama::Template;
use audit::checks;
use audit::score::most_urgent;
use model::change::Change;
use model::finding::{Finding, Severity};
use model::fix::Fix;
use model::id::{AuditId, TabId};
use model::lang::{Lang, Text, text};
use model::report::Report;

use super::{Mail, Sender};
use crate::edits;
use crate::shown::{made_in, printable, undirected, without_controls};

/// Findings that an alert lists; the rest is a count.
const SHOWN: usize = 20;

/// A watched run that got worse: the input of an alert.
#[derive(Debug)]
pub struct WatchAlert<'a> {
    /// Where the mail goes.
    pub to: &'a str,
    /// Name of the page: its alias, or its address.
    pub name: &'a str,
    /// The page's address.
    pub url: &'a str,
    /// The followed page.
    pub tab: &'a TabId,
    /// The run.
    pub audit: &'a AuditId,
    /// What the run found.
    pub report: &'a Report,
    /// What changed, in `lang`.
    pub change: &'a Change,
    /// The language of the account.
    pub lang: Lang,
    /// Token of the link that ends these alerts.
    pub stop_token: &'a str,
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
    /// What is said of a page that no search engine can show.
    alarm: Option<&'a str>,
    change: &'a Change,
    items: Vec<AlertItem<'a>>,
    more: usize,
    report: String,
    history: String,
    stop: &'a str,
}

/// One finding that appeared.
struct AlertItem<'a> {
    word: &'static str,
    title: &'static str,
    message: String,
    /// The ready fix: what goes, and what comes.
    snippet: Option<String>,
    /// What to do.
    note: Option<&'a str>,
    /// Where to do it in the page's system.
    made_in: Option<String>,
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

/// The mail of an alert.
pub fn alert(sender: &Sender<'_>, alert: &WatchAlert<'_>) -> Result<Mail, askama::Error> {
    let (lang, change) = (alert.lang, alert.change);
    let stop = sender.url(&format!("/watch/stop?token={}&lang={}", alert.stop_token, lang.tag()));
    let subject = subject(alert.name, change, lang);
    let mail = AlertMail {
        lang,
        product: sender.product,
        subject: &subject,
        url: alert.url,
        alarm: alert.report.alarm(lang),
        change,
        items: items(sender, alert),
        more: change.broke.len().saturating_sub(SHOWN),
        report: sender.url(&format!("/reports/{}?lang={}", alert.audit, lang.tag())),
        history: sender.url(&format!("/workspace/{}/history?lang={}", alert.tab, lang.tag())),
        stop: &stop,
    };
    Ok(Mail {
        to: alert.to.to_owned(),
        text: without_controls(AlertText { mail: &mail }.render()?),
        html: Some(without_controls(AlertHtml { mail: &mail }.render()?)),
        subject: subject.clone(),
        unsubscribe: Some(stop.clone()),
        reply_to: None,
    })
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

/// New findings, the most urgent first, with their fixes.
fn items<'a>(sender: &Sender<'_>, alert: &'a WatchAlert<'a>) -> Vec<AlertItem<'a>> {
    let lang = alert.lang;
    const ERROR: Text = text("Error", "Erro");
    const WARNING: Text = text("Warning", "Aviso");
    const NOTE: Text = text("Note", "Nota");
    let Report { findings, fixes, .. } = alert.report;
    let new = |(finding, fix): (&'a Finding, &'a Fix)| {
        let changed = alert.change.broke.iter().find(|changed| changed.code == finding.code)?;
        Some((changed, fix))
    };
    let shown = most_urgent(findings, fixes).filter_map(new).take(SHOWN);
    shown
        .map(|(changed, fix)| {
            let check = checks::find(&changed.code);
            let word = match changed.severity {
                Severity::Error => ERROR,
                Severity::Warn => WARNING,
                Severity::Info => NOTE,
            };
            AlertItem {
                word: word.in_lang(lang),
                title: check.map_or("", |check| check.title.in_lang(lang)),
                message: undirected(&changed.message),
                snippet: Some(fix).filter(|fix| fix.file.is_none()).and_then(|fix| edits::ready(fix, lang)),
                note: match &fix.note {
                    Some(note) => Some(note.in_lang(lang)),
                    None => check.map(|check| check.how.in_lang(lang)),
                },
                made_in: fix.place.as_ref().map(|place| made_in(place, lang)),
                address: sender.url(&format!("/checks/{}?lang={}", changed.code, lang.tag())),
            }
        })
        .collect()
}

/// The mail that asks whether alerts about a page may go to an address.
pub fn question(sender: &Sender<'_>, to: &str, url: &str, token: &str, lang: Lang) -> Result<Mail, askama::Error> {
    const SUBJECT: Text = text("May {product} write to you?", "{product} pode escrever para você?");
    let product = sender.product;
    let subject = SUBJECT.phrase(&[("product", product.into())]).in_lang(lang).to_owned();
    let link = sender.url(&format!("/watch/agree?token={token}&lang={}", lang.tag()));
    let mail = QuestionMail { lang, product, subject: &subject, url, link: &link };
    let (text, html) = (QuestionText { mail: &mail }.render()?, QuestionHtml { mail: &mail }.render()?);
    Ok(Mail { to: to.to_owned(), subject, text, html: Some(html), unsubscribe: None, reply_to: None })
}
