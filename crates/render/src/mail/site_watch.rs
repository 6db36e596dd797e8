//! Mail of watches of sites: what broke since the run before, and why a run did not begin or failed.

use askama::Template;
use model::lang::{Lang, Text, text};
use site::{ChangeGroup, ChangeSummary, title_of};

use super::letters::Letter;
use super::{Mail, MailFrame, Sender, look};
use crate::shown::{printable, undirected};

/// Findings that a mail names of what broke; the rest is a count.
const BROKE_SHOWN: usize = 15;
/// The same of what was fixed.
const FIXED_SHOWN: usize = 5;

/// A run that found something worse: the input of an alert.
#[derive(Debug)]
pub struct SiteWatchAlert<'a> {
    /// Where the mail goes.
    pub to: &'a str,
    /// Address of the first page.
    pub url: &'a str,
    /// The run.
    pub run: &'a str,
    /// Scores of the run before and of this one.
    pub scores: (Option<u32>, Option<u32>),
    /// What changed.
    pub changes: &'a ChangeSummary,
    /// The language of the reader.
    pub lang: Lang,
    /// Token of the link that stops the watch.
    pub stop_token: &'a str,
}

#[derive(Template)]
#[template(path = "mail_site_watch.txt")]
struct SiteWatchText<'a> {
    frame: MailFrame<'a>,
    mail: &'a SiteWatchMail<'a>,
}

#[derive(Template)]
#[template(path = "mail_site_watch.html")]
struct SiteWatchHtml<'a> {
    frame: MailFrame<'a>,
    mail: &'a SiteWatchMail<'a>,
}

struct SiteWatchMail<'a> {
    lang: Lang,
    url: &'a str,
    scores: (Option<u32>, Option<u32>),
    broke: Vec<ChangeLine>,
    fixed: Vec<ChangeLine>,
    /// How many more broke and were fixed than are named; `None` for none.
    more_broke: Option<String>,
    more_fixed: Option<String>,
    report: String,
    stop: &'a str,
}

/// A finding on pages of one template.
struct ChangeLine {
    word: &'static str,
    /// Class and light colour of the word.
    class: &'static str,
    color: &'static str,
    title: String,
    /// The template and how many pages, or the one page.
    place: String,
}

impl SiteWatchMail<'_> {
    fn t<'t>(&self, en: &'t str, pt: &'t str) -> &'t str {
        match self.lang {
            Lang::En => en,
            Lang::PtBr => pt,
        }
    }
}

/// The mail of what broke.
pub fn alert(sender: &Sender<'_>, alert: &SiteWatchAlert<'_>) -> Result<Mail, askama::Error> {
    const NEW: Text =
        text("{site}: {count} new {count|finding|findings}", "{site}: {count} {count|achado novo|achados novos}");
    let (lang, changes) = (alert.lang, alert.changes);
    let stop = sender.stop(alert.stop_token, lang);
    let count = changes.broke.len();
    let subject = NEW.phrase(&[("site", printable(&host(alert.url)).into()), ("count", count.into())]);
    let subject = subject.in_lang(lang);
    let mail = SiteWatchMail {
        lang,
        url: alert.url,
        scores: alert.scores,
        broke: lines(&changes.broke, BROKE_SHOWN, lang),
        fixed: lines(&changes.fixed, FIXED_SHOWN, lang),
        more_broke: more(changes.broke.len(), BROKE_SHOWN, lang),
        more_fixed: more(changes.fixed.len(), FIXED_SHOWN, lang),
        report: sender.url(&format!("/sites/{}?lang={}", alert.run, lang.tag())),
        stop: &stop,
    };
    let frame = MailFrame { lang: lang.tag(), subject, product: sender.product, home: sender.base_url };
    let (text, html) = (SiteWatchText { frame, mail: &mail }, SiteWatchHtml { frame, mail: &mail });
    Mail::alert(alert.to, subject, &stop, &text, &html)
}

/// The mail that a run of a watch did not begin or failed, which is sent once.
pub fn trouble(sender: &Sender<'_>, to: &str, url: &str, why: Text, stop_token: &str, lang: Lang) -> Mail {
    const SUBJECT: Text = text("A scheduled site audit did not run", "Uma auditoria de site agendada não rodou");
    const ABOUT: Text = text("Site: {url}", "Site: {url}");
    const ONCE: Text = text(
        "You will not receive this email again until a scheduled audit of this site has worked.",
        "Você não receberá este e-mail de novo até que uma auditoria agendada deste site funcione.",
    );
    const VIEW: Text = text("View your site audits", "Ver as suas auditorias de sites");
    const STOP: Text = text("Stop watching this site", "Parar de monitorar este site");
    let about = ABOUT.phrase(&[("url", printable(url).into())]);
    let letter = Letter::new(sender, SUBJECT, vec![about, why.into()])
        .link(VIEW, sender.url("/sites"))
        .link(STOP, sender.url(&format!("/watch/stop?token={stop_token}")))
        .note(ONCE);
    Mail { unsubscribe: Some(sender.stop(stop_token, lang)), ..letter.to(to, lang) }
}

/// Host and port of an address.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
}

fn more(all: usize, shown: usize, lang: Lang) -> Option<String> {
    const MORE: Text = text("{count} more in the report", "Mais {count} no relatório");
    let left = all.saturating_sub(shown);
    (left > 0).then(|| MORE.phrase(&[("count", left.into())]).in_lang(lang).to_owned())
}

fn lines(groups: &[ChangeGroup], most: usize, lang: Lang) -> Vec<ChangeLine> {
    const TEMPLATE: Text = text(
        "{count} {count|page|pages} with the template of {template}",
        "{count} {count|página|páginas} com o template de {template}",
    );
    const PAGES: Text =
        text("{url} and {more} {more|other page|other pages}", "{url} e {more} {more|outra página|outras páginas}");
    let place = |group: &ChangeGroup| {
        let first = group.urls.first().cloned().unwrap_or_default();
        let phrase = match &group.template {
            Some(template) if group.total > 1 => {
                TEMPLATE.phrase(&[("count", group.total.into()), ("template", template.as_str().into())])
            }
            _ if group.total > 1 => PAGES.phrase(&[("url", first.into()), ("more", (group.total - 1).into())]),
            _ => return undirected(&first),
        };
        undirected(phrase.in_lang(lang))
    };
    let line = |group: &ChangeGroup| {
        let (class, color) = look(group.severity);
        let title = title_of(&group.code).in_lang(lang).to_owned();
        ChangeLine { word: group.severity.name().in_lang(lang), class, color, title, place: place(group) }
    };
    groups.iter().take(most).map(line).collect()
}

#[cfg(test)]
mod tests {
    use model::finding::Severity;

    use super::*;

    fn group(n: usize, severity: Severity, total: usize, template: Option<&str>) -> ChangeGroup {
        ChangeGroup {
            severity,
            code: "broken_internal_link".to_owned(),
            template: template.map(str::to_owned),
            total,
            urls: vec![format!("https://example.com/{n}")],
        }
    }

    fn written(lang: Lang, broke: Vec<ChangeGroup>, fixed: Vec<ChangeGroup>) -> Mail {
        let sender = Sender { product: "Site Audit", base_url: "https://audit.example" };
        let changes = ChangeSummary { broke, fixed, ..ChangeSummary::default() };
        let (to, url, run, stop_token) = ("ana@example.com", "https://example.com/", "id", "token");
        let scores = (Some(90), Some(84));
        alert(&sender, &SiteWatchAlert { to, url, run, scores, changes: &changes, lang, stop_token }).unwrap()
    }

    #[test]
    fn a_mail_names_at_most_twenty_findings_and_counts_the_rest() {
        let many = |count| (0..count).map(|n| group(n, Severity::Error, 1, None)).collect::<Vec<_>>();
        let mail = written(Lang::En, many(18), many(6));
        assert_eq!(mail.subject, "example.com: 18 new findings");
        assert_eq!(mail.text.matches("* Error:").count(), 20, "{}", mail.text);
        for part in
            ["3 more in the report", "1 more in the report", "90 → 84", "https://audit.example/sites/id?lang=en"]
        {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
        let stop = "https://audit.example/watch/stop?token=token&lang=en";
        assert_eq!(mail.unsubscribe.as_deref(), Some(stop));
        let html = mail.html.unwrap();
        assert!(mail.text.contains(stop) && html.contains("/sites/id?lang=en"));
        // What was fixed has its severity in both.
        assert_eq!(html.matches("Error:</strong>").count(), 20, "{html}");
        for heading in ["New findings", "Fixed"] {
            assert!(
                mail.text.contains(&format!("\n{heading}\n")) && html.contains(&format!(">{heading}</h2>")),
                "{html}"
            );
        }
    }

    #[test]
    fn a_template_is_told_once() {
        let broke = vec![group(0, Severity::Warn, 7, Some("/product/…")), group(1, Severity::Info, 3, None)];
        let mail = written(Lang::PtBr, broke, Vec::new());
        assert_eq!(mail.subject, "example.com: 2 achados novos");
        for part in ["7 páginas com o template de /product/…", "https://example.com/1 e 2 outras páginas"] {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
        assert!(!mail.text.contains("Corrigido"), "{}", mail.text);
    }

    #[test]
    fn a_run_that_did_not_begin_is_told_with_a_link_that_stops() {
        let sender = Sender { product: "Site Audit", base_url: "https://audit.example" };
        let why = text("The credit is gone.", "O crédito acabou.");
        let mail = trouble(&sender, "ana@example.com", "https://example.com/", why, "token", Lang::En);
        for part in ["The credit is gone.", "https://example.com/", "/watch/stop?lang=en&token=token"] {
            assert!(mail.text.contains(part), "{part}: {}", mail.text);
        }
        assert!(mail.unsubscribe.is_some());
    }
}
