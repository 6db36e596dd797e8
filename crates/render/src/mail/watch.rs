//! Mail of the daily watch: the alert that a page got worse, and the confirmation request to another address.

use askama::Template;
use audit::checks;
use audit::score::most_urgent;
use model::change::Change;
use model::finding::Finding;
use model::fix::Fix;
use model::id::{AuditId, TabId};
use model::lang::{Lang, Text, text};
use model::report::Report;

use super::letters::Letter;
use super::{Mail, MailFrame, Sender, look};
use crate::edits;
use crate::shown::{made_in, printable, undirected};

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
    frame: MailFrame<'a>,
    mail: &'a AlertMail<'a>,
}

#[derive(Template)]
#[template(path = "mail_alert.html")]
struct AlertHtml<'a> {
    frame: MailFrame<'a>,
    mail: &'a AlertMail<'a>,
}

struct AlertMail<'a> {
    lang: Lang,
    url: &'a str,
    /// The alarm of a page that no search engine can show.
    alarm: Option<&'a str>,
    change: &'a Change,
    items: Vec<AlertItem>,
    more: usize,
    report: String,
    history: String,
    stop: &'a str,
}

/// One finding that appeared.
struct AlertItem {
    word: &'static str,
    /// Class and light colour of the word.
    class: &'static str,
    color: &'static str,
    title: &'static str,
    message: String,
    /// The ready fix: what goes, and what comes.
    snippet: Option<String>,
    /// What to do.
    note: Option<String>,
    /// Where to do it in the page's system.
    made_in: Option<String>,
    address: String,
}

impl AlertMail<'_> {
    fn t<'t>(&self, en: &'t str, pt: &'t str) -> &'t str {
        match self.lang {
            Lang::En => en,
            Lang::PtBr => pt,
        }
    }
}

/// The mail of an alert.
pub fn alert(sender: &Sender<'_>, alert: &WatchAlert<'_>) -> Result<Mail, askama::Error> {
    let (lang, change) = (alert.lang, alert.change);
    let stop = sender.stop(alert.stop_token, lang);
    let subject = subject(alert.name, change, lang);
    let mail = AlertMail {
        lang,
        url: alert.url,
        alarm: alert.report.alarm(lang),
        change,
        items: items(sender, alert),
        more: change.broke.len().saturating_sub(SHOWN),
        report: sender.url(&format!("/reports/{}?lang={}", alert.audit, lang.tag())),
        history: sender.url(&format!("/workspace/{}/history?lang={}", alert.tab, lang.tag())),
        stop: &stop,
    };
    let frame = MailFrame { lang: lang.tag(), subject: &subject, product: sender.product, home: sender.base_url };
    let (text, html) = (AlertText { frame, mail: &mail }, AlertHtml { frame, mail: &mail });
    Mail::alert(alert.to, &subject, &stop, &text, &html)
}

fn subject(name: &str, change: &Change, lang: Lang) -> String {
    const DROPPED: Text = text("{page}: score {from} → {to}", "{page}: nota {from} → {to}");
    const GONE: Text = text("{page} can't be reached", "{page} está fora do ar");
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
fn items<'a>(sender: &Sender<'_>, alert: &'a WatchAlert<'a>) -> Vec<AlertItem> {
    let lang = alert.lang;
    let Report { findings, fixes, .. } = alert.report;
    let new = |(finding, fix): (&'a Finding, &'a Fix)| {
        let changed = alert.change.broke.iter().find(|changed| changed.code == finding.code)?;
        Some((finding, changed, fix))
    };
    let shown = most_urgent(findings, fixes).filter_map(new).take(SHOWN);
    shown
        .map(|(finding, changed, fix)| {
            let check = checks::find(&changed.code);
            let (class, color) = look(changed.severity);
            AlertItem {
                word: changed.severity.name().in_lang(lang),
                class,
                color,
                title: check.map_or("", |check| check.title.in_lang(lang)),
                message: undirected(&changed.message),
                snippet: Some(fix).filter(|fix| fix.file.is_none()).and_then(|fix| edits::ready(fix, lang)),
                note: match &fix.note {
                    Some(note) => Some(titled(note.in_lang(lang), &finding.causes, lang)),
                    None => check.map(|check| check.how.in_lang(lang).to_owned()),
                },
                made_in: fix.place.as_ref().map(|place| made_in(place, lang)),
                address: sender.url(&format!("/checks/{}?lang={}", changed.code, lang.tag())),
            }
        })
        .collect()
}

/// A note with the titles of findings in the place of their codes, which a reader of mail does not know.
fn titled(note: &str, codes: &[String], lang: Lang) -> String {
    let is_of_code = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::with_capacity(note.len());
    let mut rest = note;
    while !rest.is_empty() {
        let (word, tail) = rest.split_at(rest.find(|c: char| !is_of_code(c)).unwrap_or(rest.len()));
        let check = checks::find(word).filter(|_| codes.iter().any(|code| code == word));
        match check {
            Some(check) => out.push_str(&format!("“{}”", check.title.in_lang(lang))),
            None => out.push_str(word),
        }
        let (between, tail) = tail.split_at(tail.find(is_of_code).unwrap_or(tail.len()));
        out.push_str(between);
        rest = tail;
    }
    out
}

/// The confirmation request to an address that alerts about a page should go to.
pub fn question(sender: &Sender<'_>, url: &str, token: &str) -> Letter {
    const SUBJECT: Text = text("Confirm alerts about a page", "Confirme os alertas de uma página");
    const ABOUT: Text = text(
        "Someone who watches this page wants to send its alerts to you: {url}",
        "Alguém que monitora esta página quer enviar os alertas dela a você: {url}",
    );
    const TERM: Text = text(
        "To receive them, confirm within 7 days. Alerts are sent at most once a day, only when the page gets worse.",
        "Para recebê-los, confirme em até 7 dias. Os alertas são enviados no máximo uma vez por dia, só quando a página piora.",
    );
    const RECEIVE: Text = text("Receive alerts", "Receber alertas");
    const IGNORE: Text = text(
        "If you do not want them, ignore this email: you will receive no other.",
        "Se não quiser recebê-los, ignore este e-mail: você não receberá outro.",
    );
    Letter::new(sender, SUBJECT, vec![ABOUT.phrase(&[("url", url.into())]), TERM.into()])
        .link(RECEIVE, sender.url(&format!("/watch/agree?token={token}")))
        .note(IGNORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_name_findings_by_their_titles() {
        let codes = ["title_missing".to_owned(), "h1_missing".to_owned()];
        let note = "Pode revelar título: title_missing, h1_missing. Não og_title_missing, nem viewport_missing.";
        let told = titled(note, &codes, Lang::PtBr);
        let title = |code: &str| checks::find(code).unwrap().title.pt;
        let wanted = format!(
            "Pode revelar título: “{}”, “{}”. Não og_title_missing, nem viewport_missing.",
            title("title_missing"),
            title("h1_missing")
        );
        assert_eq!(told, wanted);
        assert_eq!(titled("", &codes, Lang::En), "");
    }
}
