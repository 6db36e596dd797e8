//! The report page: what is found on it, what is taken away from it, and what it says of the run before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::browser::Scene;
use super::{cookie, form};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_reader_takes_a_report_away_in_every_form,
    a_file_of_the_patch_is_taken_away_as_text,
    a_second_run_says_what_changed,
    findings_are_filtered_by_an_address,
    what_a_report_offers_to_paste_is_ready,
    headings_links_and_images_are_taken_away_as_tables,
    a_report_names_the_system_and_where_each_fix_is_made,
    a_noindex_is_a_decision_above_everything,
    points_of_a_page_at_0_say_what_they_are_of,
    an_old_report_leads_to_the_newest,
    structured_data_that_was_left_out_is_told,
    a_report_does_not_contradict_itself,
}

const FORM: &str = "application/x-www-form-urlencoded";
const BREAD: &str = "<!doctype html><title>=Bread</title><h1>Bread</h1><a href='/'></a>";

/// The report that a form led to, and the cookie of its reader.
async fn audited(app: &TestApp, url: &str, known: &str) -> (String, String) {
    let sent = app.call(form(url).header("cookie", known)).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    let set = sent.header("set-cookie");
    (sent.header("location").to_owned(), if set.is_empty() { known.to_owned() } else { cookie(set) })
}

async fn read(app: &TestApp, path: &str, cookie: &str) -> Response {
    app.call(Call::get(path).header("cookie", cookie)).await
}

async fn a_reader_takes_a_report_away_in_every_form(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html(BREAD)).await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/"), "").await;
    let token = cookie.split_once('=').unwrap().1.to_owned();
    let api = path.replace("/reports/", "/api/audits/");
    let shared = app.call(Call::new("POST", &format!("{api}/share")).token(&token)).await.json();
    let shared = format!("/api/shared/{}", shared["slug"].as_str().unwrap());
    let page = read(&app, &path, &cookie).await.body;
    for (file, form, media_type, part) in [
        ("audit.csv", "csv", "text/csv; charset=utf-8; header=present", ",canonical_missing,"),
        ("audit.md", "markdown", "text/markdown; charset=utf-8", "`canonical_missing`"),
        ("audit.sarif", "sarif", "application/sarif+json", "\"canonical_missing\""),
    ] {
        assert!(page.contains(&format!("href=\"{path}/{file}?lang=en\"")), "{file}: {page}");
        let taken = read(&app, &format!("{path}/{file}?lang=pt"), &cookie).await;
        assert_eq!((taken.status, taken.header("content-type")), (200, media_type));
        assert_eq!(taken.header("content-disposition"), format!("attachment; filename=\"{file}\""));
        assert_eq!((taken.header("cache-control"), taken.header("content-language")), ("no-store", "pt-BR"));
        assert!(taken.body.contains(part), "{file}: {}", taken.body);
        // The same as the API gives, to its owner and to anybody who has the public address.
        let own = app.call(Call::get(&format!("{api}?format={form}&lang=pt")).token(&token)).await;
        let public = app.call(Call::get(&format!("{shared}?format={form}&lang=pt"))).await;
        let accepted = app.call(Call::get(&format!("{shared}?lang=pt")).header("accept", media_type)).await;
        for same in [own, public, accepted] {
            assert_eq!((same.status, same.header("content-type")), (200, media_type));
            assert_eq!(same.body, taken.body, "{file}");
        }
        assert_eq!(app.call(Call::get(&format!("{path}/{file}"))).await.status, 404);
    }
    assert!(page.contains(&format!("href=\"{path}/receipt.json?lang=en\"")), "{page}");
    let receipt = read(&app, &format!("{path}/receipt.json?lang=pt"), &cookie).await;
    let same = app.call(Call::get(&format!("{api}/receipt?lang=pt")).token(&token)).await;
    assert_eq!((receipt.status, receipt.json()), (200, same.json()));
    for unknown in ["audit.exe", "audit", "files/", "files/0", "files/99", "files/x", "files/1/x"] {
        assert_eq!(read(&app, &format!("{path}/{unknown}"), &cookie).await.status, 404, "{unknown}");
    }
    let wrong = app.call(Call::get(&format!("{shared}?format=exe"))).await;
    assert_eq!((wrong.status, wrong.json()["code"].as_str()), (400, Some("invalid_parameter")));
}

async fn headings_links_and_images_are_taken_away_as_tables(database: TestDatabase) {
    const PAGE: &str = "<!doctype html><html lang=en><title>Rye bread, baked slowly</title><h1>=2+3</h1><h2>Flour, \"rye\"</h2>\
        <a href=\"htp://example.org/\">Mill</a><img src=/loaf.jpg><p>Text";
    let site = TestSite::start(|_| SiteAnswer::html(PAGE)).await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/"), "").await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    let share = Call::new("POST", &format!("{path}/share")).header("cookie", &cookie);
    assert_eq!(app.call(share).await.status, 303);
    let shared = read(&app, &path, &cookie).await.body;
    let (_, rest) = shared.split_once("/r/").unwrap();
    let shared = format!("/r/{}", rest.split(['"', '<']).next().unwrap());
    for (file, head, row) in [
        ("headings.csv", "No.,Level,Text\r\n", "2,h2,\"Flour, \"\"rye\"\"\"\r\n"),
        // What a spreadsheet would compute stays text.
        ("headings.csv", "No.,Level,Text\r\n", "1,h1,'=2+3\r\n"),
        ("links.csv", "Finding,Line,Address,Source\r\n", "htp://example.org/"),
        ("images.csv", "Finding,Line,Address,Source\r\n", "<img src=/loaf.jpg>"),
    ] {
        let address = format!("{path}/files/{file}?lang=en");
        assert!(page.contains(&format!("href=\"{address}\"")), "{address}: {page}");
        let taken = read(&app, &address, &cookie).await;
        assert_eq!((taken.status, taken.header("content-type")), (200, "text/csv; charset=utf-8; header=present"));
        assert_eq!(taken.header("content-disposition"), format!("attachment; filename=\"{file}\""));
        assert!(taken.body.starts_with(head) && taken.body.contains(row), "{file}: {}", taken.body);
        assert_eq!(read(&app, &format!("{shared}/files/{file}?lang=en"), "").await.body, taken.body);
        assert_eq!(read(&app, &address, "").await.status, 404);
        assert_ne!(read(&app, &format!("{path}/files/{file}?lang=pt"), &cookie).await.body, taken.body);
    }
    assert_eq!(read(&app, &format!("{path}/files/words.csv"), &cookie).await.status, 404);
}

async fn a_report_names_the_system_and_where_each_fix_is_made(database: TestDatabase) {
    const YOAST: &str = "<!doctype html><html lang=en><!-- This site is optimized with the Yoast SEO plugin v25.1 -->\
        <meta name=generator content='WordPress 6.8'><title>Rye bread, baked slowly</title><h1>Rye bread</h1>";
    let site = TestSite::start(|_| SiteAnswer::html(YOAST)).await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/"), "").await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    assert!(page.contains("WordPress 6.8, Yoast SEO 25.1") || page.contains("Yoast SEO 25.1, WordPress 6.8"), "{page}");
    let (_, finding) = page.split_once("id=\"f-meta_description_missing\"").unwrap();
    let (finding, _) = finding.split_once("</details>").unwrap();
    assert!(
        finding.contains("<b>Yoast SEO:</b> Edit the post or page: Yoast SEO box, SEO tab, Meta description."),
        "{finding}"
    );
    // The same in what is taken away.
    let way = "Yoast SEO: Edite o post ou a página: caixa do Yoast SEO, aba “SEO”, campo “Meta description”.";
    for file in ["audit.csv", "audit.md", "audit.sarif"] {
        let taken = read(&app, &format!("{path}/{file}?lang=pt"), &cookie).await.body;
        let steps = way.split_once(": ").unwrap().1;
        assert!(taken.contains(if file == "audit.sarif" { steps } else { way }), "{file}: {taken}");
    }
}

async fn a_noindex_is_a_decision_above_everything(database: TestDatabase) {
    const HIDDEN: &str = "<!doctype html><html lang=en><meta name=\"robots\" content=\"noindex, follow\">\
        <title>Rye bread, baked slowly</title><h1>Rye bread</h1><p>Flour and water</p>";
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/tag" => SiteAnswer::html(HIDDEN),
        "/header" => SiteAnswer::Raw(
            format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-robots-tag: none\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{BREAD}",
                BREAD.len()
            )
            .into_bytes(),
        ),
        "/bread" => SiteAnswer::html(BREAD),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let decision = |page: &str| {
        let (before, rest) = page.split_once("id=\"decision\"").unwrap_or_else(|| panic!("{page}"));
        assert!(!before.contains("class=\"score\"") && !before.contains("id=\"first\""), "{page}");
        rest.split_once("</section>").unwrap().0.to_owned()
    };
    let (path, cookie) = audited(&app, &site.url("/tag"), "").await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    let shown = decision(&page);
    for part in
        ["If the page should be found:", "content=\"<b>noindex</b>, follow\"", "content=\"<b>index</b>, follow\""]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // It is no fix among others: not to be fixed first, and in nothing that copies several.
    let first = page.split_once("id=\"first\"").unwrap().1.split_once("</ol>").unwrap().0;
    assert!(!first.contains("#f-noindex_meta"), "{first}");
    for (from, to) in [("id=\"all-fixes\"", "</span>"), ("id=\"head-tags\"", "</div>")] {
        let copied = page.split_once(from).map(|(_, rest)| rest.split_once(to).unwrap().0).unwrap_or_default();
        assert!(!copied.contains("robots"), "{copied}");
    }
    let portuguese = read(&app, &format!("{path}?lang=pt-BR"), &cookie).await.body;
    assert!(decision(&portuguese).contains("Se a página deve ser encontrada:"), "{portuguese}");
    let (path, cookie) = audited(&app, &site.url("/header"), "").await;
    let shown = decision(&read(&app, &format!("{path}?lang=en"), &cookie).await.body);
    assert!(shown.contains("Replace in the response headers") && shown.contains("index,nofollow"), "{shown}");
    let (path, cookie) = audited(&app, &site.url("/bread"), "").await;
    assert!(!read(&app, &path, &cookie).await.body.contains("id=\"decision\""));
}

async fn points_of_a_page_at_0_say_what_they_are_of(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/bad" => SiteAnswer::html(super::screens::NEGLECTED),
        "/bread" => SiteAnswer::html(BREAD),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/bad"), "").await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    assert!(page.contains("The findings cost ") && page.contains("and the score stops at 0. It rises once more than"));
    let first = page.split_once("id=\"first\"").unwrap().1.split_once("</ol>").unwrap().0;
    assert!(first.contains(" points lost</span>") && !first.contains(">+"), "{first}");
    let (path, cookie) = audited(&app, &site.url("/bread"), "").await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    assert!(page.contains("<span class=\"gain\">+8 points</span>") && !page.contains("points lost"), "{page}");
    assert!(page.contains("Ordered by what they affect:"), "{page}");
}

async fn structured_data_that_was_left_out_is_told(database: TestDatabase) {
    let site = TestSite::start(|asked| {
        let nodes = if asked.path == "/many" { 51 } else { 50 };
        let data: String = vec![r#"{"@type":"Person","name":"Ana"}"#; nodes].join(",");
        SiteAnswer::html(&format!(r#"{BREAD}<script type="application/ld+json">[{data}]</script>"#))
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/many"), "").await;
    for (lang, sentence) in [
        ("en", "Only the first 50 of 51 JSON-LD nodes were read."),
        ("pt-BR", "Só os primeiros 50 de 51 nós de JSON-LD foram lidos."),
    ] {
        let page = read(&app, &format!("{path}?lang={lang}"), &cookie).await.body;
        assert!(page.contains(sentence), "{lang}: {page}");
    }
    let (path, cookie) = audited(&app, &site.url("/all"), &cookie).await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    assert!(!page.contains("JSON-LD nodes were read"), "{page}");
}

/// What stands at the top, what the page declares and the findings agree.
async fn a_report_does_not_contradict_itself(database: TestDatabase) {
    const ELSEWHERE: &str = "<!doctype html><title>Bread</title><link rel=canonical href=https://example.org/>\
                             <script type=application/ld+json>{\"a\": 1,}</script><h1>Bread</h1>";
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(BREAD),
        "/elsewhere" => SiteAnswer::html(ELSEWHERE),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/elsewhere"), "").await;
    for (lang, sentence, declared) in [
        ("en", "its canonical asks search engines to show another one.", "1 block, not valid JSON"),
        ("pt-BR", "a canônica dela pede que os buscadores mostrem outra.", "1 bloco, JSON inválido"),
    ] {
        let page = read(&app, &format!("{path}?lang={lang}"), &cookie).await.body;
        assert!(
            page.contains("id=\"f-canonical_cross_origin\"") && page.contains("id=\"f-jsonld_syntax_error\""),
            "{page}"
        );
        assert!(page.contains(sentence) && page.contains(declared), "{lang}: {page}");
    }
    let (path, cookie) = audited(&app, &site.url("/"), &cookie).await;
    let page = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
    assert!(page.contains("Search engines can show this page: nothing blocks it."), "{page}");
}

async fn an_old_report_leads_to_the_newest(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html(BREAD)).await;
    let app = TestApp::start(database, |_| {}).await;
    let (first, cookie) = audited(&app, &site.url("/"), "").await;
    let opened = app.call(
        Call::new("POST", "/workspace")
            .header("cookie", &cookie)
            .header("content-type", FORM)
            .body(&format!("url={}", site.url("/"))),
    );
    assert_eq!(opened.await.status, 303);
    const OLD: &str = "This is not the newest audit of this page.";
    assert!(!read(&app, &first, &cookie).await.body.contains(OLD));
    app.pass(Duration::from_secs(60));
    let (second, _) = audited(&app, &site.url("/"), &cookie).await;
    let old = read(&app, &first, &cookie).await.body;
    assert!(old.contains(OLD) && old.contains(&format!("href=\"{second}?lang=en\">Open the newest")), "{old}");
    assert!(!read(&app, &second, &cookie).await.body.contains(OLD));
}

async fn a_file_of_the_patch_is_taken_away_as_text(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(BREAD),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/"), "").await;
    let patch = read(&app, &format!("{path}/patch.json"), &cookie).await.json();
    let files = patch["arquivos"].as_array().unwrap().clone();
    assert!(!files.is_empty(), "{patch}");
    let share = Call::new("POST", &format!("{path}/share")).header("cookie", &cookie);
    assert_eq!(app.call(share).await.status, 303);
    let page = read(&app, &path, &cookie).await.body;
    let (_, rest) = page.split_once("/r/").unwrap();
    let shared = format!("/r/{}", rest.split(['"', '<']).next().unwrap());
    let public = app.call(Call::get(&shared)).await.body;
    for (at, file) in files.iter().enumerate() {
        let name = file["path"].as_str().unwrap();
        for (path, page, cookie) in [(&path, &page, cookie.as_str()), (&shared, &public, "")] {
            let address = format!("{path}/files/{}", at + 1);
            assert!(page.contains(&format!("href=\"{address}\"")), "{address}: {page}");
            let taken = read(&app, &address, cookie).await;
            assert_eq!((taken.status, taken.header("content-type")), (200, "text/plain; charset=utf-8"));
            assert_eq!(taken.body, file["conteudo"].as_str().unwrap());
            let kept_as = format!("attachment; filename=\"{}\"", name.rsplit('/').next().unwrap());
            assert_eq!(taken.header("content-disposition"), kept_as);
        }
    }
    assert_eq!(read(&app, &format!("{path}/files/1"), "").await.status, 404);
    assert_eq!(read(&app, "/r/aaaaaaaaaaaaaaaaaaaa/files/1", "").await.status, 404);
}

async fn a_second_run_says_what_changed(database: TestDatabase) {
    let runs = AtomicUsize::new(0);
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/page" => SiteAnswer::html(match runs.fetch_add(1, Ordering::Relaxed) {
            0 => "<!doctype html><html lang=en><title>Bread and flour</title><title>Two</title><h1>Bread</h1>",
            _ => "<!doctype html><html lang=en><title>Bread and flour</title>",
        }),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let (first, cookie) = audited(&app, &site.url("/page"), "").await;
    let page = read(&app, &first, &cookie).await.body;
    assert!(page.contains(">just now</time>") && !page.contains("id=\"change\""), "{page}");
    assert!(page.contains("Uses one free audit: 9 left today."), "{page}");

    app.pass(Duration::from_secs(7_200));
    // As the button of the page sends it.
    let again = app.call(form(&site.url("/page")).header("cookie", &cookie)).await;
    let second = read(&app, again.header("location"), &cookie).await.body;
    let (_, change) = second.split_once("id=\"change\"").unwrap();
    assert!(change.contains(&format!("href=\"{first}?lang=en\"")), "{change}");
    let (change, rest) = change.split_once("</p>").unwrap();
    assert!(change.contains("1 fixed") && change.contains(" new"), "{change}");
    assert!(rest.contains("/checks/title_multiple?lang=en"), "{rest}");
    // What is new is marked where it stands.
    let (_, missing) = second.split_once("id=\"f-h1_missing\"").unwrap();
    assert!(missing.split_once("</summary>").unwrap().0.contains("class=\"chip new\""), "{missing}");
    // The first report stays what it was, but older.
    let page = read(&app, &first, &cookie).await.body;
    assert!(page.contains(">2 hours ago</time>") && !page.contains("id=\"change\""), "{page}");
}

async fn findings_are_filtered_by_an_address(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html(BREAD)).await;
    let app = TestApp::start(database, |_| {}).await;
    let (path, cookie) = audited(&app, &site.url("/"), "").await;
    let codes = async |query: &str| {
        let page = read(&app, &format!("{path}?{query}"), &cookie).await.body;
        let parts = page.split("<details class=\"finding ").skip(1);
        parts.map(|part| part.split('"').nth(2).unwrap().trim_start_matches("f-").to_owned()).collect::<Vec<_>>()
    };
    let all = codes("").await;
    // No link leads to a list of nothing.
    let page = read(&app, &path, &cookie).await.body;
    assert!(page.contains(" <b>") && !page.contains("<b>0</b></a>"), "{page}");
    let mut parts = Vec::new();
    for severity in ["error", "warn", "info"] {
        let part = codes(&format!("severity={severity}")).await;
        // In the order of the whole list.
        assert!(part.is_sorted_by_key(|code| all.iter().position(|known| known == code)), "{part:?} of {all:?}");
        parts.extend(part);
    }
    parts.sort();
    assert_eq!(parts, {
        let mut all = all;
        all.sort();
        all
    });
    assert_eq!(codes("q=canonical_missing&category=").await, ["canonical_missing"]);
    assert_eq!(codes("q=canonical_missing&category=images").await, [""; 0]);
    let hostile = read(&app, &format!("{path}?q=%22%3E%3Cscript%3E&severity=%22%3E&category=%3Cb%3E"), &cookie).await;
    assert!(!hostile.body.contains("\"><script>") && hostile.body.contains("Show all"), "{}", hostile.body);
}

async fn what_a_report_offers_to_paste_is_ready(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/bread" => SiteAnswer::html(BREAD),
        "/text" => SiteAnswer::page(200, "text/plain", "Bread"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    for page in ["/bread", "/text", "/gone"] {
        let (path, cookie) = audited(&app, &site.url(page), "").await;
        let report = read(&app, &format!("{path}/audit.json"), &cookie).await.json();
        let fixes = report["fixes"].as_array().unwrap();
        let is_ready = fixes.iter().any(|fix| fix["classe"] == "deterministico" && fix["arquivo"].is_null());
        assert!(is_ready || page != "/bread", "{report}");
        let shown = read(&app, &format!("{path}?lang=en"), &cookie).await.body;
        for offer in ["value=\"page\"", "Download patched page or diff"] {
            assert!(!shown.contains(offer) || is_ready, "{page}: {offer}: {shown}");
        }
        assert_eq!(shown.contains("value=\"diff\""), is_ready, "{page}: {shown}");
        assert!(!shown.contains("Nothing ready to paste") || !is_ready, "{page}: {shown}");
        assert!(!shown.contains("All ready fixes, as a prompt") || is_ready, "{page}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_filtered_and_run_again_without_scripts() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.tab.disable_scripts();
    scene.audit("/bread");
    let tab = &mut scene.tab;
    let findings = "document.querySelectorAll('.finding').length";
    let all = tab.value(findings).as_u64().unwrap();
    let first = tab.value("[...document.querySelectorAll('.first li .word')].map(e => e.innerText)");
    assert_eq!(first, serde_json::json!(["Warning", "Warning", "Error"]));
    // A button that could do nothing is not there.
    assert_eq!(tab.value("document.querySelectorAll('.block button').length"), 0);

    tab.load(|tab| tab.click(".chip.warn[href]"));
    assert_eq!(tab.value(findings), 3);
    assert_eq!(tab.value("document.querySelectorAll('.finding.warn').length"), 3);
    assert_eq!(tab.text("document.querySelector('.chips [aria-current]').innerText"), "Warnings 3");
    let title = tab.text("document.querySelector('.finding h3').innerText");
    tab.click("#q");
    tab.write(&title);
    tab.load(|tab| tab.click(".filter button"));
    let shown = tab.value(findings).as_u64().unwrap();
    assert!((1..3).contains(&shown), "{shown}");
    assert_eq!(tab.text("document.getElementById('q').value"), title);
    // What is to be mended first leads to all findings.
    tab.load(|tab| tab.click(".first a"));
    assert_eq!(tab.value(findings), all);
    assert_eq!(tab.value("document.querySelector('.finding:target') !== null"), true);

    scene.app.pass(Duration::from_secs(60));
    tab.load(|tab| tab.click(".acts button"));
    assert_eq!(tab.status(), 200);
    assert!(tab.shown().contains("Since the previous run (1 minute ago): nothing changed"), "{}", tab.shown());
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_be_pasted_can_be_copied_and_an_address_opens_its_finding() {
    const COPIED: &str = "new Promise(done => { const look = () => { const said = \
        document.querySelector('main > [role=status]:last-child').textContent; \
        if (said) done(said); else requestAnimationFrame(look); }; look(); })";
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let tab = &mut scene.tab;
    tab.allow_clipboard();
    let blocks = tab.value("document.querySelectorAll('.block').length");
    assert_eq!(tab.value("document.querySelectorAll('.block > button').length"), blocks);
    tab.click("#patch ~ details summary");
    tab.click("#patch ~ details .block button");
    assert_eq!(tab.text(COPIED), "Copied");
    let copied = tab.text("navigator.clipboard.readText()");
    assert_eq!(copied, tab.text("document.querySelector('#patch ~ details pre').textContent"));
    assert!(copied.contains("<meta name=\"description\"") || copied.contains("<meta property=\"og:"), "{copied}");
    // A browser that refuses leaves the text selected, and says so.
    tab.value("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))");
    tab.value("document.activeElement.blur()");
    tab.click("#patch ~ details .block button");
    assert!(tab.text(COPIED).contains("The text is selected"));
    assert_eq!(tab.text("getSelection().toString().trim()"), copied.trim());

    let is_open = "document.getElementById('f-llms_txt_missing').open";
    assert_eq!(tab.value(is_open), false);
    tab.value("location.hash = 'f-llms_txt_missing'");
    let opened = "new Promise(done => { const look = () => document.getElementById('f-llms_txt_missing').open \
        ? done(true) : requestAnimationFrame(look); look(); })";
    assert_eq!(tab.value(opened), true);
    assert_eq!(tab.complaints(), [""; 0]);
}
