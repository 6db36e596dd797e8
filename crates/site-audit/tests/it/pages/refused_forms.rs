//! Every form with a field to fill in, sent with what is refused: it comes back with the sentence and everything that was typed,
//! but for secrets, in both languages and without a script.

use std::collections::BTreeSet;

use serde_json::json;
use service::config::SecretText;
use testkit::TestDatabase;

use super::forms::{Document, Form, Forms, found, pattern, use_form};
use crate::api::accounts::start_with;
use crate::api::accounts::token as mailed;
use crate::api::people::{self, Browser};
use crate::api::tabs::{BAD, Page};
use crate::app::{Response, TestApp};
use crate::payments::{Shop, pix};

testkit::on_both_databases! {
    whatever_was_typed_is_in_the_form_that_was_refused,
    without_mail_the_forms_keep_an_address,
    a_credit_that_is_refused_is_asked_for_where_it_was,
}

const LANGS: [(&str, &str); 2] = [("en", "Error:"), ("pt-BR", "Erro:")];

/// What comes of a field when its form is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kept {
    /// It holds what was typed.
    Typed,
    /// It is empty, and the page has what was typed nowhere.
    Secret,
    /// A file, which no page can put back.
    File,
}

/// A form that is filled in, and refused.
#[derive(Debug)]
struct Refusal {
    page: String,
    form: &'static str,
    /// What the form does there, where several are sent to one address.
    does: &'static str,
    fields: Vec<(&'static str, String, Kept)>,
    /// Boxes that are not ticked.
    unticked: &'static [&'static str],
    status: u16,
    /// The field that the sentence describes; empty for the form as a whole.
    at: &'static str,
}

fn refusal(page: &str, form: &'static str, status: u16, at: &'static str) -> Refusal {
    Refusal { page: page.to_owned(), form, does: "", fields: Vec::new(), unticked: &[], status, at }
}

impl Refusal {
    fn that(self, does: &'static str) -> Self {
        Self { does, ..self }
    }

    fn typed(self, name: &'static str, value: &str) -> Self {
        self.field(name, value, Kept::Typed)
    }

    fn secret(self, name: &'static str, value: &str) -> Self {
        self.field(name, value, Kept::Secret)
    }

    fn file(self, name: &'static str, content: &str) -> Self {
        self.field(name, content, Kept::File)
    }

    fn unticked(self, unticked: &'static [&'static str]) -> Self {
        Self { unticked, ..self }
    }

    fn field(mut self, name: &'static str, value: &str, kept: Kept) -> Self {
        self.fields.push((name, value.to_owned(), kept));
        self
    }

    fn key(&self) -> String {
        format!("{} {}", self.form, self.does)
    }

    /// Whether a form shows what was typed.
    fn is_kept_by(&self, form: &Form) -> bool {
        let shown = |name: &str| form.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        self.fields.iter().all(|(name, value, kept)| match kept {
            Kept::Typed => shown(name) == Some(value.as_str()),
            Kept::Secret => shown(name).is_some_and(str::is_empty),
            Kept::File => shown(name).is_some(),
        }) && self.unticked.iter().all(|name| shown(name).is_none())
    }

    async fn try_on(&self, reader: &mut Browser<'_>) {
        for (lang, error) in LANGS {
            let mark = if self.page.contains('?') { '&' } else { '?' };
            let page = format!("{}{mark}lang={lang}", self.page);
            let shown = reader.get(&page).await;
            let forms = Document::of(&shown).forms(&page);
            let mut form = forms.into_iter().find(|form| form.pattern() == self.form && does(form, self.does));
            let form = form.as_mut().unwrap_or_else(|| panic!("{page} has no {}: {}", self.key(), shown.body));
            for (name, value, _) in &self.fields {
                form.fields.retain(|(known, _)| known != name);
                form.fields.push(((*name).to_owned(), value.clone()));
            }
            form.fields.retain(|(name, _)| !self.unticked.contains(&name.as_str()));
            if !self.does.is_empty() {
                form.fields.retain(|(name, _)| name != "do");
                form.fields.push(("do".to_owned(), self.does.to_owned()));
            }
            let answer = form.send(reader).await;
            self.assert_answer(&answer, lang, error);
        }
    }

    fn assert_answer(&self, answer: &Response, lang: &str, error: &str) {
        let told = format!("{} in {lang}: {} {}", self.key(), answer.status, short(&answer.body));
        assert_eq!((answer.status, answer.header("content-language")), (self.status, lang), "{told}");
        let document = Document::of(answer);
        let title = document.elements(html::NodeId::DOCUMENT, "title").into_iter().next().unwrap();
        assert!(document.text(title).starts_with(error), "{told}");
        let forms = document.forms(&self.page);
        let again = forms.iter().find(|form| form.pattern() == self.form && self.is_kept_by(form));
        let again = again.unwrap_or_else(|| {
            let shown = forms.iter().filter(|form| form.pattern() == self.form).map(|form| &form.fields);
            panic!("what was typed is lost: {:?}; {told}", shown.collect::<Vec<_>>());
        });
        for (_, secret, _) in self.fields.iter().filter(|(.., kept)| *kept == Kept::Secret) {
            assert!(!answer.body.contains(secret.as_str()), "{secret}: {told}");
        }
        let alerts = document.elements(html::NodeId::DOCUMENT, "p").into_iter();
        let alerts: Vec<_> = alerts.filter(|id| document.attribute(*id, "role").as_deref() == Some("alert")).collect();
        let [alert] = alerts[..] else { panic!("{} alerts: {told}", alerts.len()) };
        assert!(document.text(alert).len() > 10, "{told}");
        if !self.at.is_empty() {
            let fields = ["input", "select", "textarea"].into_iter();
            let mut fields = fields.flat_map(|name| document.elements(again.element, name));
            let field = fields.find(|id| document.attribute(*id, "name").as_deref() == Some(self.at)).unwrap();
            let described = document.attribute(field, "aria-describedby").unwrap_or_default();
            let alert = document.attribute(alert, "id").unwrap();
            assert!(described.split(' ').any(|id| id == alert), "{} is described by {described}: {told}", self.at);
        }
    }
}

fn does(form: &Form, wanted: &str) -> bool {
    // A form with several buttons is found by its first.
    wanted.is_empty() || form.does() == wanted || (form.does() == "verify" && ["page", "diff"].contains(&wanted))
}

/// The beginning of a page; a source that was typed may have megabytes.
fn short(body: &str) -> String {
    body.chars().take(20_000).collect()
}

/// Forms that people fill in.
fn filled_in(forms: &Forms) -> BTreeSet<String> {
    let forms = forms.values().filter(|form| form.is_post && !form.typed.is_empty());
    forms.map(|form| format!("{} {}", form.pattern(), form.does())).collect()
}

fn assert_each_is_tried(reader: &str, forms: &Forms, refusals: &[Refusal]) {
    let tried: BTreeSet<String> = refusals.iter().map(Refusal::key).collect();
    // The form for an email address on a report has two buttons.
    let is_tried =
        |key: &String| tried.contains(key) || tried.contains(&format!("{} ", key.rsplit_once(' ').unwrap().0));
    let missing: Vec<_> = filled_in(forms).into_iter().filter(|key| !is_tried(key)).collect();
    assert!(missing.is_empty(), "no refusal of {missing:?} of {reader}");
}

/// Audits a page and follows it: the paths of the report and of the followed page.
async fn settled(reader: &mut Browser<'_>, page: &Page) -> (String, String) {
    let place = |answer: Response| {
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.header("location").split('?').next().unwrap().to_owned()
    };
    let report = place(use_form(reader, "/", "/", &[("url", &page.url())]).await);
    let tab = place(use_form(reader, "/workspace", "/workspace", &[("url", &page.url())]).await);
    (report, tab)
}

fn of_everybody(page: &Page) -> Vec<Refusal> {
    let ftp = "ftp://example.com/";
    vec![
        refusal("/", "POST /", 400, "url").typed("url", ftp),
        refusal("/compare", "POST /compare", 400, "second").typed("first", &page.url()).typed("second", ftp),
        refusal("/contact?tipo=parceria", "POST /contact", 400, "email")
            .typed("name", "Ana <b>")
            .typed("email", "ana")
            .typed("message", "</textarea>\"Olá")
            .typed("empresa", "Pão"),
        refusal("/sites", "POST /sites", 400, "include")
            .typed("url", "http://example.com/\"")
            .typed("max_pages", "7")
            .typed("include", "(")
            .typed("exclude", "/b\n/c"),
        refusal("/sites", "POST /sites", 400, "max_pages").typed("url", ftp).typed("max_pages", "many"),
        refusal("/sites", "POST /sites", 400, "url").typed("url", ftp).typed("max_pages", "7"),
        refusal("/workspace", "POST /workspace", 400, "url").typed("url", ftp),
        refusal("/credit", "POST /credit", 401, "token").secret("token", "cred_mistyped"),
        refusal("/credit/pix?usd=5", "POST /credit/pix", 400, "email")
            .file("comprovante", "%PDF-1")
            .typed("nome", "Ana \"Lima\"")
            .typed("email", "ana"),
        refusal("/credit/pix", "POST /credit/pix", 415, "comprovante").file("comprovante", "text").typed("nome", "Ana"),
        refusal("/operator", "POST /operator", 401, "token").secret("token", "mistyped"),
    ]
}

fn of_strangers() -> Vec<Refusal> {
    vec![
        refusal("/conta/global", "POST /conta/global", 401, "password")
            .typed("email", "nobody@example.com")
            .secret("password", "a mistyped one"),
        refusal("/conta/global/register", "POST /conta/global/register", 400, "email").typed("email", "ana"),
        refusal("/conta/global/reset", "POST /conta/global/reset", 400, "email").typed("email", "ana"),
    ]
}

/// Of who has a report and follows its page.
fn of_owners(report: &str, tab: &str) -> Vec<Refusal> {
    let other = "<title>Another page</title>\n<p>\"&amp;";
    let verify = "POST /reports/{id}/verify";
    let long = "x".repeat(41);
    vec![
        refusal(report, verify, 400, "html").that("page").typed("html", other),
        refusal(report, verify, 400, "html").that("diff").typed("html", other),
        refusal(report, verify, 400, "url").that("audit").typed("url", "ftp://example.com/"),
        refusal(&format!("{tab}/settings"), "POST /workspace/{id}/settings", 400, "tags")
            .typed("alias", "Bread \"daily\"")
            .typed("tags", &long)
            .typed("note", "one\n\ntwo"),
        refusal(&format!("{tab}/settings"), "POST /workspace/{id}/settings", 400, "alias")
            .typed("alias", &"x".repeat(101))
            .typed("note", "kept"),
        refusal(&format!("{tab}/snooze?code=title_missing"), "POST /workspace/{id}/snooze", 400, "until")
            .typed("reason", "Next <sprint>")
            .typed("until", "2020-01-31"),
        refusal(&format!("{tab}/snooze?code=title_missing"), "POST /workspace/{id}/snooze", 400, "reason")
            .typed("reason", "")
            .typed("until", "2026-02-20"),
    ]
}

/// Of who is signed in. `links`: paths of mailed links, to make an account and to set a password.
fn of_accounts(tab: &str, own: &str, organization: &str, links: [&str; 2]) -> Vec<Refusal> {
    let one = format!("/conta/organizations/{organization}");
    let settings = format!("{tab}/settings");
    let of_one = "POST /conta/organizations/{id}";
    vec![
        refusal(links[0], "POST /conta/global/complete", 400, "password")
            .secret("password", "tooshort")
            .typed("display_name", "Bo \"Lima\""),
        refusal(links[1], "POST /conta/global/password", 400, "password").secret("password", "tooshort"),
        refusal("/conta", "POST /conta/profile", 400, "time_zone")
            .typed("name", "Ana Lima")
            .typed("time_zone", "Nowhere")
            .typed("locale", "pt-BR")
            .typed("theme", "dark"),
        refusal("/conta/avatar", "POST /conta/avatar", 400, "image").file("image", "text"),
        refusal("/conta/keys", "POST /conta/keys", 400, "name")
            .typed("name", &"x".repeat(61))
            .typed("organization", organization),
        refusal("/conta/keys", "POST /conta/keys", 403, "organization")
            .typed("name", "Robot")
            .typed("organization", organization),
        refusal("/conta/organizations", "POST /conta/organizations", 400, "name").typed("name", &"x".repeat(81)),
        refusal(&one, of_one, 400, "name").that("rename").typed("name", &"x".repeat(81)),
        refusal(&one, of_one, 400, "email").that("invite").typed("email", "bo").typed("role", "admin"),
        refusal(&one, of_one, 409, "").that("role").typed("member", own).typed("role", "member"),
        refusal("/conta/email", "POST /conta/email", 400, "email").typed("email", "ana"),
        refusal("/conta/delete", "POST /conta/delete", 400, "email").typed("email", "bo@example.com"),
        refusal("/conta/password", "POST /conta/password", 401, "current")
            .secret("current", "a mistyped one")
            .secret("password", "brown sparrow flies home"),
        refusal("/conta/proof", "POST /conta/proof", 401, "password").secret("password", "a mistyped one"),
        refusal("/conta/factor", "POST /conta/factor", 401, "code").secret("code", "not a code"),
        refusal("/workspace/webhooks", "POST /workspace/webhooks", 400, "url")
            .typed("url", "ftp://example.com/")
            .typed("run.finished", "on")
            .unticked(&["watch.alert"]),
        refusal("/workspace/webhooks", "POST /workspace/webhooks", 400, "")
            .typed("url", "https://example.com/")
            .unticked(&["watch.alert", "run.finished"]),
        refusal(&settings, "POST /workspace/{id}/settings", 400, "monitor_email")
            .typed("monitor_email", "bo")
            .typed("note", "kept")
            .unticked(&["monitor"]),
        // As many pages are watched as may be.
        refusal(&settings, "POST /workspace/{id}/settings", 409, "")
            .typed("monitor", "on")
            .typed("alias", "Bread")
            .typed("tags", "shop, spring"),
    ]
}

async fn try_all(reader: &mut Browser<'_>, refusals: &[Refusal]) {
    for refusal in refusals {
        refusal.try_on(reader).await;
    }
}

async fn whatever_was_typed_is_in_the_form_that_was_refused(database: TestDatabase) {
    let (app, mail) = start_with(database, |config| {
        pix::on(config);
        config.contact.to = Some("team@example.com".to_owned());
        config.operator.token = Some(SecretText::new(people::OPERATOR));
        // One in each language, of a source that is too long.
        config.limits.verifications_per_hour = 2;
        config.limits.watched_pages = 0;
    })
    .await;
    let page = Page::start(BAD).await;
    let seeds: Vec<String> = ["/", "/conta/global", "/operator", "/nothing"].map(str::to_owned).to_vec();
    let strangers = || [of_everybody(&page), of_strangers()].into_iter().flatten();

    let mut nobody = Browser::with_cookies(&app, &[]);
    let refusals: Vec<Refusal> = strangers().collect();
    assert_each_is_tried("nobody", &found(&mut nobody, &seeds).await, &refusals);
    try_all(&mut nobody, &refusals).await;

    let mut guest = Browser::with_cookies(&app, &[]);
    let (report, tab) = settled(&mut guest, &page).await;
    let mut refusals = of_owners(&report, &tab);
    refusals.push(refusal(&report, "POST /reports/{id}/alerts", 400, "email").typed("email", "ana"));
    let source = "<p>".repeat(700_000);
    for (status, at) in [(413, "html"), (429, "")] {
        refusals.push(refusal(&report, "POST /reports/{id}/verify", status, at).that("verify").typed("html", &source));
    }
    refusals.extend(strangers());
    assert_each_is_tried("a guest", &found(&mut guest, &seeds).await, &refusals);
    refusals.truncate(refusals.len() - strangers().count());
    try_all(&mut guest, &refusals).await;

    let account = people::account(&app, "ana").await;
    let links = links(&app, &mail).await;
    let session = people::session(&app, &account).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let (report, tab) = settled(&mut ana, &page).await;
    let acme = [("name", "Acme")];
    let made = use_form(&mut ana, "/conta/organizations", "/conta/organizations", &acme).await;
    assert_eq!((made.status, pattern(made.header("location"))), (303, "/conta/organizations/{id}".to_owned()));
    let organization = made.header("location").split(['?', '/']).nth(3).unwrap().to_owned();
    let mut refusals = of_owners(&report, &tab);
    refusals.retain(|refusal| refusal.form != "POST /reports/{id}/verify" || refusal.does != "diff");
    refusals.extend(of_accounts(&tab, &account, &organization, links.each_ref().map(String::as_str)));
    let seeds: Vec<String> = seeds.into_iter().chain(links.clone()).chain(["/conta/proof".to_owned()]).collect();
    let forms = found(&mut ana, &seeds).await;
    try_all(&mut ana, &refusals).await;
    // Tried on the guest's.
    refusals.push(refusal(&report, "POST /reports/{id}/verify", 429, "").that("verify"));
    refusals.extend(strangers());
    assert_each_is_tried("an account", &forms, &refusals);
}

/// Paths of the links of two mails: one makes an account, one sets a password.
async fn links(app: &TestApp, mail: &testkit::MailServer) -> [String; 2] {
    let mut asking = Browser::open(app).await;
    asking.post("/api/auth/register", &json!({"email": "bo@example.com"})).await;
    let register = mailed(app, mail, 1).await;
    asking.post("/api/auth/reset", &json!({"email": "ana@example.com"})).await;
    let reset = mailed(app, mail, 2).await;
    [format!("/conta/global/complete?token={register}"), format!("/conta/global/password?token={reset}")]
}

async fn without_mail_the_forms_keep_an_address(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let page = Page::start(BAD).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let (_, tab) = settled(&mut ana, &page).await;
    people::organization(&app, "00000000-0000-7000-8000-0000000000aa", &[(&account, "owner")]).await;
    let one = "/conta/organizations/00000000-0000-7000-8000-0000000000aa";
    try_all(
        &mut ana,
        &[
            refusal(one, "POST /conta/organizations/{id}", 503, "email")
                .that("invite")
                .typed("email", "bo@example.com")
                .typed("role", "owner"),
            refusal(&format!("{tab}/settings"), "POST /workspace/{id}/settings", 503, "")
                .typed("monitor", "on")
                .typed("monitor_email", "bo@example.com")
                .typed("note", "kept"),
        ],
    )
    .await;
}

async fn a_credit_that_is_refused_is_asked_for_where_it_was(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let mut nobody = Browser::with_cookies(&shop.app, &[]);
    // It leads back to the page that had it.
    let refused =
        refusal("/", "POST /credit/browser", 401, "token").secret("token", "cred_mistyped").typed("back", "/");
    refused.try_on(&mut nobody).await;
}
