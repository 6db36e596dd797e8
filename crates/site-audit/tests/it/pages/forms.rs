//! Every form of every page, sent as the page gives it by every kind of reader: none is taken for another site's.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use html::{Kind, NodeId, Options, Tree};
use serde_json::json;
use testkit::TestDatabase;
use url::Url;

use crate::api::accounts::start;
use crate::api::accounts::token as mailed;
use crate::api::people::{self, Browser};
use crate::api::tabs::{GOOD, Page};
use crate::app::{Response, TestApp};

testkit::on_both_databases! {
    every_form_of_every_page_is_taken_from_every_reader,
    the_widget_s_form_asks_a_signed_in_reader_once_more,
}

const FORM: &str = "application/x-www-form-urlencoded";
/// What ends the session that sends it: sent last.
const ENDS: [&str; 2] = ["/conta/out", "/conta/sessions/end-all"];
/// Forms that everybody finds, by where they are sent.
const EVERYBODYS: [&str; 7] = [
    "GET /checks",
    "GET /tools",
    "POST /",
    "POST /conta/global",
    "POST /conta/global/register",
    "POST /theme",
    "POST /workspace",
];
/// Those of who has a report and a tab.
const OWNERS: [&str; 5] = [
    "GET /workspace/{id}/compare",
    "POST /reports/{id}/share",
    "POST /workspace/{id}/close",
    "POST /workspace/{id}/run",
    "POST /workspace/{id}/settings",
];
/// Those of a guest who has a report.
const GUESTS: [&str; 1] = ["POST /reports/{id}/alerts"];
/// Those of who is signed in.
const ACCOUNTS: [&str; 19] = [
    "POST /conta/avatar",
    "POST /conta/avatar/remove",
    "POST /conta/claim",
    "POST /conta/delete",
    "POST /conta/email",
    "POST /conta/factor",
    "POST /conta/global/complete",
    "POST /conta/global/password",
    "POST /conta/keys",
    "POST /conta/keys/revoke",
    "POST /conta/organizations",
    "POST /conta/organizations/{id}",
    "POST /conta/out",
    "POST /conta/password",
    "POST /conta/profile",
    "POST /conta/proof",
    "POST /conta/sessions/end",
    "POST /conta/sessions/end-all",
    "POST /workspace/{id}/watch",
];

/// A form as a browser would send it untouched.
#[derive(Debug, Clone)]
pub(super) struct Form {
    /// The page that has it.
    pub(super) page: String,
    pub(super) is_post: bool,
    action: String,
    is_multipart: bool,
    pub(super) fields: Vec<(String, String)>,
    /// Names of the fields that a person fills in.
    pub(super) typed: BTreeSet<String>,
    /// Its element in the document of the page.
    pub(super) element: NodeId,
}

impl Form {
    /// Where it is sent, without what differs from one thing to the next.
    pub(super) fn pattern(&self) -> String {
        format!("{} {}", if self.is_post { "POST" } else { "GET" }, pattern(&self.action))
    }

    /// What it does there, where that is said.
    pub(super) fn does(&self) -> &str {
        self.fields.iter().find(|(name, _)| name == "do").map_or("", |(_, does)| does)
    }

    pub(super) async fn send(&self, reader: &mut Browser<'_>) -> Response {
        let encoded = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.fields).finish();
        if !self.is_post {
            return reader.get(&format!("{}?{encoded}", self.action)).await;
        }
        if !self.is_multipart {
            return reader.form(&self.action, FORM, &encoded).await;
        }
        let part = |(name, value): &(String, String)| {
            format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let body = self.fields.iter().map(part).collect::<String>() + "--x--\r\n";
        reader.form(&self.action, "multipart/form-data; boundary=x", &body).await
    }
}

/// A path without its query; ids are all alike, and so are the checks and the tools.
pub(super) fn pattern(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut before = "";
    let part = |part| {
        let is_one_of_many =
            uuid::Uuid::try_parse(part).is_ok() || (matches!(before, "checks" | "tools") && !part.is_empty());
        before = part;
        if is_one_of_many { "{id}" } else { part }
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The document of a page, and what its links and forms lead to.
pub(super) struct Document {
    tree: Tree,
}

impl Document {
    pub(super) fn of(page: &Response) -> Self {
        Self { tree: html::parse(page.body.clone(), &Options::default()) }
    }

    pub(super) fn attribute(&self, id: NodeId, name: &str) -> Option<String> {
        self.tree.attribute(id, name).map(|found| found.value().to_owned())
    }

    pub(super) fn elements(&self, root: NodeId, name: &str) -> Vec<NodeId> {
        self.tree
            .descendants(root)
            .filter(|id| self.tree.kind(*id) == Kind::Element && self.tree.is(*id, name))
            .collect()
    }

    /// What an element says.
    pub(super) fn text(&self, id: NodeId) -> String {
        self.tree.descendants(id).flat_map(|node| self.tree.texts(node)).collect()
    }

    /// Paths of ours.
    fn links(&self, page: &str) -> Vec<String> {
        let base = Url::parse("http://ours.invalid").unwrap().join(page).unwrap();
        let hrefs = self.elements(NodeId::DOCUMENT, "a").into_iter().filter_map(|id| self.attribute(id, "href"));
        let urls = hrefs.filter_map(|href| base.join(&href).ok()).filter(|url| url.host_str() == base.host_str());
        urls.map(|url| url[url::Position::BeforePath..url::Position::AfterQuery].to_owned()).collect()
    }

    /// Forms that work without a script.
    pub(super) fn forms(&self, page: &str) -> Vec<Form> {
        let mut forms = Vec::new();
        for id in self.elements(NodeId::DOCUMENT, "form") {
            let is_post = self.attribute(id, "method").as_deref() == Some("post");
            let action = self.attribute(id, "action");
            if self.attribute(id, "hidden").is_some() || (is_post && action.is_none()) {
                continue;
            }
            let own = page.split('?').next().unwrap_or_default().to_owned();
            let is_multipart = self.attribute(id, "enctype").is_some();
            let (page, action) = (page.to_owned(), action.unwrap_or(own));
            let (fields, typed) = (self.fields(id), self.typed(id));
            forms.push(Form { page, is_post, action, is_multipart, fields, typed, element: id });
        }
        forms
    }

    fn fields(&self, form: NodeId) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        let value = |id| self.attribute(id, "value").unwrap_or_default();
        for id in self.elements(form, "input") {
            let kind = self.attribute(id, "type").unwrap_or_default();
            let is_off = matches!(kind.as_str(), "checkbox" | "radio") && self.attribute(id, "checked").is_none();
            fields.extend(self.attribute(id, "name").filter(|_| !is_off).map(|name| (name, value(id))));
        }
        for id in self.elements(form, "select") {
            let options = self.elements(id, "option");
            let chosen = options.iter().find(|option| self.attribute(**option, "selected").is_some());
            let chosen = chosen.or(options.first()).map(|option| value(*option));
            fields.extend(self.attribute(id, "name").zip(chosen));
        }
        for id in self.elements(form, "textarea") {
            fields.extend(self.attribute(id, "name").map(|name| (name, self.text(id))));
        }
        // A form with several buttons is sent by its first.
        let button = self.elements(form, "button").into_iter().next();
        fields.extend(button.and_then(|id| self.attribute(id, "name").map(|name| (name, value(id)))));
        fields
    }

    /// Names of the fields that a person fills in.
    fn typed(&self, form: NodeId) -> BTreeSet<String> {
        let is_shown = |id: &NodeId| {
            self.attribute(*id, "type").as_deref() != Some("hidden") && self.attribute(*id, "hidden").is_none()
        };
        let fields = ["input", "select", "textarea"].into_iter().flat_map(|name| self.elements(form, name));
        fields.filter(is_shown).filter_map(|id| self.attribute(id, "name")).collect()
    }
}

/// Forms by the page that has them, where they are sent, and what they do there, where that is said.
pub(super) type Forms = BTreeMap<(String, String, String), Form>;

/// Every form that a reader finds, beginning at some pages and following every link; of pages that are alike, of one.
pub(super) async fn found(reader: &mut Browser<'_>, seeds: &[String]) -> Forms {
    let mut to_visit: VecDeque<String> = seeds.iter().cloned().collect();
    let mut visited = BTreeSet::new();
    let mut forms = BTreeMap::new();
    while let Some(path) = to_visit.pop_front() {
        if path.starts_with("/api/") || !visited.insert(pattern(&path)) {
            continue;
        }
        let page = reader.get(&path).await;
        if page.status == 303 {
            to_visit.push_back(page.header("location").to_owned());
        }
        if !page.header("content-type").starts_with("text/html") {
            continue;
        }
        assert!([200, 400, 404].contains(&page.status), "{path}: {} {}", page.status, page.body);
        let document = Document::of(&page);
        to_visit.extend(document.links(&path));
        for form in document.forms(&path) {
            let does = form.does().to_owned();
            forms.entry((pattern(&path), form.pattern(), does)).or_insert(form);
        }
    }
    forms
}

/// Sends what a page of ours has, with what is typed into it, and follows where it leads.
pub(super) async fn use_form(reader: &mut Browser<'_>, page: &str, action: &str, typed: &[(&str, &str)]) -> Response {
    let shown = reader.get(page).await;
    let forms = Document::of(&shown).forms(page);
    let mut form = forms.into_iter().find(|form| pattern(&form.action) == action).unwrap_or_else(|| {
        panic!("{page} has no form for {action}: {}", shown.body);
    });
    for (name, value) in typed {
        form.fields.retain(|(known, _)| known != name);
        form.fields.push(((*name).to_owned(), (*value).to_owned()));
    }
    form.send(reader).await
}

/// Audits the page, and follows it with two runs.
pub(super) async fn settle_in(reader: &mut Browser<'_>, page: &Page) {
    let url = page.url();
    assert_eq!(use_form(reader, "/tools/canonical", "/", &[("url", &url)]).await.status, 303);
    let opened = use_form(reader, "/workspace", "/workspace", &[("url", &url)]).await;
    assert_eq!(opened.status, 303, "{}", opened.body);
    let tab = opened.header("location").to_owned();
    assert_eq!(use_form(reader, &tab, "/workspace/{id}/run", &[]).await.status, 303);
}

/// Sends every form of a reader; where those are sent that there are.
async fn send_all(reader: &mut Browser<'_>, forms: Forms) -> BTreeSet<String> {
    for (form, what) in forms.values().map(|form| (form, form.pattern())) {
        if ENDS.iter().any(|end| form.action.starts_with(end)) {
            continue;
        }
        let answer = form.send(reader).await;
        let is_taken = ![403, 405].contains(&answer.status) && answer.status < 500;
        assert!(is_taken, "{what} of {}: {} {}", form.page, answer.status, answer.body);
    }
    forms.into_keys().map(|(_, pattern, _)| pattern).collect()
}

fn assert_all(found: &BTreeSet<String>, wanted: &[&str]) {
    let missing: Vec<_> = wanted.iter().filter(|wanted| !found.contains(**wanted)).collect();
    assert!(missing.is_empty(), "no page has {missing:?}, only {found:?}");
}

async fn every_form_of_every_page_is_taken_from_every_reader(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let page = Page::start(GOOD).await;
    let mut seeds: Vec<String> =
        ["/", "/conta/global", "/r/0000000000000000000000", "/embed", "/nothing"].map(str::to_owned).to_vec();

    let mut nobody = Browser::with_cookies(&app, &[]);
    let forms = found(&mut nobody, &seeds).await;
    assert_all(&send_all(&mut nobody, forms).await, &EVERYBODYS);

    let mut guest = Browser::with_cookies(&app, &[]);
    settle_in(&mut guest, &page).await;
    let forms = found(&mut guest, &seeds).await;
    assert_all(&send_all(&mut guest, forms).await, &[&EVERYBODYS[..], &OWNERS, &GUESTS].concat());

    // Links of mails, opened where somebody is signed in.
    let mut asking = Browser::open(&app).await;
    asking.post("/api/auth/register", &json!({"email": "bo@example.com"})).await;
    seeds.push(format!("/conta/global/complete?token={}", mailed(&app, &mail, 1).await));
    let account = people::account(&app, "ana").await;
    asking.post("/api/auth/reset", &json!({"email": "ana@example.com"})).await;
    seeds.push(format!("/conta/global/password?token={}", mailed(&app, &mail, 2).await));
    seeds.extend(["/conta/proof", "/conta/claim"].map(str::to_owned));

    let session = people::session(&app, &account).await;
    people::with_second_factor(&app, &session).await;
    let other = people::session(&app, &account).await;
    let kept = guest.guest().unwrap().to_owned();
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token), ("mm-guest", &kept)]);
    settle_in(&mut ana, &page).await;
    assert_eq!(use_form(&mut ana, "/conta/keys", "/conta/keys", &[("name", "x")]).await.status, 200);
    let organization = [("name", "Acme")];
    assert_eq!(use_form(&mut ana, "/conta/organizations", "/conta/organizations", &organization).await.status, 303);
    set_picture(&app, &session).await;
    let forms = found(&mut ana, &seeds).await;
    let everything = [&EVERYBODYS[..3], &EVERYBODYS[5..], &OWNERS, &ACCOUNTS].concat();
    let of_ends: Vec<Form> =
        forms.values().filter(|form| ENDS.iter().any(|end| form.action.starts_with(end))).cloned().collect();
    assert!(ENDS.iter().all(|end| of_ends.iter().any(|form| form.action.starts_with(end))), "{of_ends:?}");
    assert_all(&send_all(&mut ana, forms).await, &everything);
    drop(other);
    for form in of_ends {
        let session = people::session(&app, &account).await;
        let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
        let ended = use_form(&mut ana, &form.page, &pattern(&form.action), &[]).await;
        assert_eq!((ended.status, ana.token()), (303, ""), "{form:?}: {}", ended.body);
    }
}

async fn set_picture(app: &TestApp, session: &people::SignedIn) {
    let body = json!({ "image": crate::api::avatar::PNG }).to_string();
    let call = crate::app::Call::new("PUT", "/api/auth/avatar").body(&body);
    assert_eq!(app.call(session.page(app, call)).await.status, 200);
}

async fn the_widget_s_form_asks_a_signed_in_reader_once_more(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let page = Page::start(GOOD).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let body = url::form_urlencoded::Serializer::new(String::new()).append_pair("url", &page.url()).finish();
    let asked = ana.form("/", FORM, &body).await;
    assert_eq!((asked.status, asked.header("cache-control")), (200, "no-store"));
    assert!(asked.body.contains(&page.url()) && !asked.body.contains("role=\"alert\""), "{}", asked.body);
    let mut form = Document::of(&asked).forms("/").into_iter().find(|form| pattern(&form.action) == "/").unwrap();
    assert_eq!(form.send(&mut ana).await.status, 303);
    // A token that is there and wrong is no oversight.
    form.fields.iter_mut().filter(|(name, _)| name == "csrf").for_each(|(_, value)| value.push('x'));
    assert_eq!(form.send(&mut ana).await.status, 403);
}
