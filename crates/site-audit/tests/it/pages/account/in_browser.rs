//! Pages of accounts as a person meets them: in a browser, with and without scripts.

use testkit::TestDatabase;

use super::super::browser::{LOOKS, keep_picture};
use super::super::tab::{Tab, has_axe};
use super::guest;
use crate::api::accounts::factors::{code, enrolled};
use crate::api::accounts::{PASSWORD, letter, signed_up, start};
use crate::api::people;
use crate::app::TestApp;

/// Fills a field of the form that is shown.
fn fill(tab: &mut Tab, field: &str, text: &str) {
    tab.click(&format!("#{field}"));
    tab.write(text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_goes_from_guest_to_account_and_out_with_scripts() {
    a_browser_goes_from_guest_to_account_and_out(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_goes_from_guest_to_account_and_out_without_scripts() {
    a_browser_goes_from_guest_to_account_and_out(false).await;
}

async fn a_browser_goes_from_guest_to_account_and_out(runs_scripts: bool) {
    let (app, mail) = start(TestDatabase::sqlite()).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    if !runs_scripts {
        tab.disable_scripts();
    }
    // A guest follows a page.
    tab.visit("/workspace?lang=en");
    tab.submit("https://example.com/");
    assert!(tab.shown().contains("not audited yet"), "{}", tab.shown());
    // An account, from the mail's link.
    tab.visit("/conta/global/register?lang=en");
    fill(&mut tab, "email", "ana@example.com");
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Check your inbox"), "{}", tab.shown());
    let link = letter(&app, &mail, 1).await.link(&app.url("/conta/global/complete"));
    tab.visit(link.strip_prefix(&app.url("")).unwrap());
    // The other language is the same page.
    tab.load(|tab| tab.click("header a[lang=pt-BR]"));
    assert!(tab.shown().contains("Criar conta"), "{}", tab.shown());
    tab.load(|tab| tab.click("header a[lang=en]"));
    fill(&mut tab, "password", "password123");
    tab.load(|tab| tab.press("Enter"));
    assert_eq!(tab.status(), 400);
    assert!(tab.shown().contains("most common passwords"), "{}", tab.shown());
    fill(&mut tab, "password", PASSWORD);
    tab.load(|tab| tab.press("Enter"));
    // What the guest had becomes the account's.
    assert!(tab.shown().contains("Followed pages: 1"), "{}", tab.shown());
    tab.load(|tab| tab.click("main button"));
    assert!(tab.shown().contains("Imported to your account"), "{}", tab.shown());
    tab.load(|tab| tab.click("main a.button"));
    assert!(tab.shown().contains("Your account") && tab.shown().contains("ana@example.com"), "{}", tab.shown());
    // A second factor, of the secret that the page shows.
    tab.load(|tab| tab.click("a[href*=\"/conta/factor?\"]"));
    let secret = tab.text("document.querySelector('code').innerText").replace(' ', "");
    fill(&mut tab, "code", &code(&app, &secret));
    tab.load(|tab| tab.press("Enter"));
    let codes = tab.text("document.querySelector('.block code').innerText");
    assert_eq!(codes.lines().count(), 10, "{codes}");
    let recovery = codes.lines().next().unwrap().to_owned();
    tab.load(|tab| tab.click("main a.button"));
    assert!(tab.shown().contains("Two-factor authentication turned on"), "{}", tab.shown());
    // A key, for a program.
    tab.load(|tab| tab.click("main a[href*=\"/conta/keys?\"]"));
    fill(&mut tab, "name", "build server");
    tab.load(|tab| tab.press("Enter"));
    let key = tab.text("document.querySelector('.done code').innerText");
    let answer = curl(&["--header", &format!("x-api-key: {key}"), &app.url("/api/tabs")]);
    let tabs: serde_json::Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert_eq!(tabs["tabs"][0]["url"], "https://example.com/");
    // Out, and in again with a recovery code.
    tab.visit("/conta?lang=en");
    tab.load(|tab| tab.click("form[action*=\"/conta/out\"] button"));
    fill(&mut tab, "email", "ana@example.com");
    fill(&mut tab, "password", PASSWORD);
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Two-factor authentication"), "{}", tab.shown());
    fill(&mut tab, "code", &recovery);
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Sessions"), "{}", tab.shown());
    tab.load(|tab| tab.click("form[action*=\"/conta/out\"] button"));
    tab.visit("/conta?lang=en");
    assert_eq!(tab.text("location.pathname"), "/conta/global");
    assert_eq!(tab.complaints(), [""; 0]);
}

/// What curl prints.
fn curl(arguments: &[&str]) -> String {
    let done = std::process::Command::new("curl").args(["--silent", "--show-error"]).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_set_and_removed_without_scripts() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| ()).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ana.png");
    let png = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, crate::api::avatar::PNG).unwrap();
    std::fs::write(&file, png).unwrap();
    tab.disable_scripts();
    tab.set_cookie("mm-auth", &session.token);
    tab.visit("/conta/avatar?lang=en");
    assert!(tab.shown().contains("No picture yet."), "{}", tab.shown());
    tab.choose_file("#image", &file);
    tab.load(|tab| tab.click("form[enctype] button"));
    assert_eq!(tab.value("document.querySelector('img.avatar').naturalWidth"), 256);
    std::fs::write(&file, vec![0; 6 * 1_048_576]).unwrap();
    tab.choose_file("#image", &file);
    tab.load(|tab| tab.click("form[enctype] button"));
    assert!(tab.status() == 400 && tab.shown().contains("at most 2 MB"), "{}", tab.shown());
    tab.load(|tab| tab.click("form[action*=remove] button"));
    assert!(tab.shown().contains("No picture yet."), "{}", tab.shown());
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_accounts_have_no_barriers() {
    let (app, mail) = start(TestDatabase::sqlite()).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    if !has_axe() {
        return;
    }
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let look_at = |paths: &[&str], tab: &mut Tab| {
        let mut found = Vec::new();
        for path in paths {
            for lang in ["en", "pt-BR"] {
                tab.visit(&format!("{path}?lang={lang}"));
                assert_eq!((tab.status(), tab.text("document.documentElement.lang")), (200, lang.to_owned()), "{path}");
                for look in LOOKS {
                    tab.look(look);
                    let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
                    found.extend(problems.map(|problem| format!("{path} {lang} {look:?}: {problem}")));
                    keep_picture(tab, &format!("{}-{lang}-{}-{}", path.replace('/', "-"), look.scheme, look.width));
                }
            }
        }
        assert_eq!(found, [""; 0]);
    };
    look_at(&["/conta/global", "/conta/global/register", "/conta/global/reset"], &mut tab);
    tab.set_cookie("mm-auth", browser.token());
    look_at(&["/conta", "/conta/factor", "/conta/password", "/conta/proof", "/conta/sessions/end-all"], &mut tab);
    look_at(&["/conta/avatar", "/conta/email", "/conta/delete"], &mut tab);
    let kept = guest(&app).await.guest().unwrap().to_owned();
    tab.set_cookie("mm-guest", &kept);
    look_at(&["/conta", "/conta/claim"], &mut tab);
    enrolled(&app, &mut browser).await;
    tab.set_cookie("mm-auth", browser.token());
    look_at(&["/conta", "/conta/factor/remove", "/conta/recovery-codes"], &mut tab);
}
