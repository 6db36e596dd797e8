//! Passkeys and organizations in a real browser; its authenticator is simulated (Web Authentication, level 3, §11).

use testkit::TestDatabase;

use super::browser::{LOOKS, keep_picture};
use super::tab::{Tab, has_axe};
use crate::api::people;
use crate::app::TestApp;

/// A tab in which somebody is signed in; `None` where there is no browser.
async fn signed_in() -> Option<(TestApp, Tab)> {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    // Browsers bind passkeys to names, not to addresses.
    let mut tab = Tab::open(&format!("http://localhost:{}", app.address().port()))?;
    tab.set_cookie("mm-auth", &session.token);
    Some((app, tab))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_is_added_and_signed_in_with() {
    let Some((_app, mut tab)) = signed_in().await else { return };
    tab.add_authenticator();
    tab.visit("/conta/passkeys?lang=en");
    tab.click("#name");
    tab.write("laptop");
    tab.load(|tab| tab.click("#add-passkey button"));
    assert!(tab.shown().contains("laptop"), "{}", tab.shown());
    tab.forget_cookies();
    tab.visit("/conta/passkey?lang=en");
    tab.load(|tab| tab.click("#use-passkey button"));
    assert!(tab.shown().contains("ana@example.com"), "{}", tab.shown());
    assert_eq!(tab.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_and_an_organization_are_made_without_a_script() {
    let Some((_app, mut tab)) = signed_in().await else { return };
    tab.visit("/conta/keys?lang=en");
    tab.click("#name");
    tab.write("build server");
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("mmk_") && tab.shown().contains("build server"), "{}", tab.shown());
    tab.visit("/conta/organizations?lang=en");
    tab.click("#name");
    tab.write("Acme");
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Acme") && tab.shown().contains("ana@example.com"), "{}", tab.shown());
    let path = tab.text("location.pathname");
    for page in ["/conta/keys", "/conta/passkeys", "/conta/organizations", "/conta/delete", path.as_str()] {
        for lang in ["en", "pt-BR"] {
            for look in LOOKS {
                tab.look(look);
                tab.visit(&format!("{page}?lang={lang}"));
                let view = page.rsplit('/').next().unwrap_or_default();
                keep_picture(&mut tab, &format!("conta-{view}-{lang}-{}-{}", look.scheme, look.width));
                assert_eq!(tab.overflows(), Vec::<String>::new(), "{page} {lang} {look:?}");
                if has_axe() {
                    assert_eq!(tab.barriers(), Vec::<String>::new(), "{page} {lang} {look:?}");
                }
            }
        }
    }
}
