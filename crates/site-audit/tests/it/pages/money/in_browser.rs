//! Pages of money as a person meets them: in a browser, in every look.

use service::config::Config;
use store::PixDecision;
use testkit::TestDatabase;

use super::super::browser::{LOOKS, problems};
use super::super::tab::{Tab, has_axe};
use super::{LANGS, receipt, token};
use crate::app::{NOW, TestApp};
use crate::payments::{Shop, charging, pix};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_pays_by_pix_without_scripts() {
    let app = TestApp::start(TestDatabase::sqlite(), pix::on).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    tab.disable_scripts();
    tab.visit("/?lang=en");
    tab.load(|tab| tab.click("header a[href^=\"/pricing\"]"));
    tab.load(|tab| tab.click("main a.button:not(.second)"));
    tab.load(|tab| tab.click("main a.button"));
    tab.load(|tab| tab.click("main nav a[href*=\"usd=10\"]"));
    assert!(tab.shown().contains("Pay R$57.50"), "{}", tab.shown());
    // One that is too large, and one that is no receipt, are told on the same page.
    for (name, bytes, status, words) in [
        ("large.png", [&b"\x89PNG\r\n\x1a\n"[..], &vec![0; 3 * 1024 * 1024]].concat(), 413, "larger than 2 MB"),
        ("page.html", b"<p>paid</p>".to_vec(), 415, "photo (JPEG, PNG or WebP)"),
    ] {
        tab.choose_file("#comprovante", &file(name, &bytes));
        tab.load(|tab| tab.click("main form button"));
        assert_eq!((tab.status(), tab.text("location.search")), (status, "?usd=10&lang=en".to_owned()), "{name}");
        assert!(tab.text("document.getElementById('problem').innerText").contains(words), "{name}");
    }
    tab.choose_file("#comprovante", &file("receipt.webp", b"RIFF\x04\0\0\0WEBPVP8 "));
    tab.load(|tab| tab.click("main form button"));
    assert!(tab.text("document.querySelector('pre').innerText").starts_with("cred_"));
    tab.load(|tab| tab.click("main a.button"));
    assert!(tab.shown().contains("Under review") && tab.shown().contains("10 USD of credit"), "{}", tab.shown());
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_money_have_no_barriers() {
    if !has_axe() {
        return;
    }
    let shop = Shop::open(TestDatabase::sqlite()).await;
    let change = |config: &mut Config| {
        charging(config, &shop.facilitator.url());
        config.limits.free_audits_per_day = 10;
        pix::on(config);
    };
    let app = TestApp::start(TestDatabase::sqlite(), change).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let sent = app.call(receipt(&[("usd", "5"), ("comprovante", "%PDF-1")])).await;
    let credit = token(&sent).to_owned();
    let (_, id) = sent.body.split_once("/credit/pix/").unwrap();
    let request = format!("/credit/pix/{}", &id[..32]);
    let end_to_end_id = format!("E{}", "1".repeat(31));
    assert!(
        app.app.database().store().decide_pix(&id[..32], PixDecision::Release { end_to_end_id }, NOW).await.unwrap()
    );
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for lang in LANGS {
        for (name, path, typed) in [
            ("prices", "/pricing", None),
            ("credit", "/credit", None),
            ("balance", "/credit", Some(credit.as_str())),
            ("no-credit", "/credit", Some("cred_x")),
            ("pix", "/credit/pix", None),
            ("receipt", "/credit/pix", Some("%PDF-")),
            ("no-receipt", "/credit/pix", Some("paid")),
            ("released", request.as_str(), None),
        ] {
            tab.visit(&format!("{path}?lang={lang}"));
            match typed {
                Some(token) if path == "/credit" => {
                    tab.click("#token");
                    tab.write(token);
                    tab.load(|tab| tab.press("Enter"));
                }
                Some(content) => {
                    let path = folder.path().join(name);
                    std::fs::write(&path, format!("{content}{lang}")).unwrap();
                    tab.choose_file("#comprovante", &path);
                    tab.load(|tab| tab.click("main form button"));
                }
                None => assert_eq!(tab.status(), 200, "{name}"),
            }
            assert_eq!(tab.text("document.documentElement.lang"), lang);
            found.extend(problems(&mut tab, &format!("money-{name}-{lang}"), &LOOKS));
        }
        // The field beside a price: to be filled in, and with the credit that the browser keeps.
        tab.visit(&format!("/?lang={lang}"));
        tab.click("details.plain summary");
        found.extend(problems(&mut tab, &format!("money-field-{lang}"), &LOOKS));
        tab.click("#credit-token");
        tab.write(&credit);
        tab.load(|tab| tab.press("Enter"));
        let kept = tab.text("document.querySelector('form[action^=\"/credit/browser\"] code').innerText");
        assert_eq!(kept, credit[credit.len() - 4..]);
        found.extend(problems(&mut tab, &format!("money-kept-{lang}"), &LOOKS));
        tab.load(|tab| tab.click("button[value=remove]"));
        assert_eq!(tab.value("document.querySelector('button[value=remove]') === null"), true);
    }
    assert_eq!(found, [""; 0]);
}
