//! The rendered page: a real run of Lighthouse on a page whose script changes title and canonical, as everybody is told of it.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use ::lab::lighthouse::programs::Programs;
use serde_json::{Value, json};
use service::config::{Config, LabProvider};
use service::jobs;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::{cookie, form};
use crate::app::{Call, TestApp};

/// Where `cargo xtask test` installs the npm packages.
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/npm");

const PAGE: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Blue chairs</title>
<meta name="viewport" content="width=device-width"><link rel="canonical" href="/"></head><body><h1>Chairs</h1>
<p>Made to order.</p><script>
document.title = 'Red chairs'; document.querySelector('link').href = '/red';</script></body></html>"#;

/// Sets the local provider of a configuration; `None`, with a line, where a program is missing.
#[expect(clippy::print_stdout, reason = "tests say what they pass over")]
async fn local() -> Option<impl FnOnce(&mut Config)> {
    let (folder, browser) = (PathBuf::from(PACKAGES), testkit::browser::program());
    let found = Programs::find(&folder, browser.as_deref()).versions().await;
    if browser.is_none() || found.iter().any(|found| !found.is_usable) {
        println!("passed over, a lab test: not all programs are installed: {found:?}");
        return None;
    }
    // Chromium does not run as root with its sandbox.
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    Some(move |config: &mut Config| {
        config.lab.provider = LabProvider::Lighthouse;
        (config.lab.folder, config.lab.chromium) = (Some(folder), browser);
        (config.lab.sandbox, config.lab.rendered) = (!is_root, true);
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_scripts_change_is_told_with_both_values_and_the_score_stays() {
    let Some(local) = local().await else { return };
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(PAGE),
        _ => SiteAnswer::missing(),
    });
    let site = site.await;
    let app = TestApp::start(TestDatabase::sqlite(), local).await;
    let sent = app.call(form(&site.url("/"))).await;
    let (path, cookie) = (sent.header("location").to_owned(), cookie(sent.header("set-cookie")));
    let token = cookie.split_once('=').unwrap().1.to_owned();
    let api = path.split('?').next().unwrap().replace("/reports/", "/api/audits/");
    let get = async |path: &str, lang: &str| {
        app.call(Call::get(path).token(&token).header("accept-language", lang)).await.json()
    };
    let before = get(&api, "en").await;
    assert!(before["summary"].get("rendered").is_none());
    let lab = format!("{api}/lab");
    // A machine with much else to do may need more than the time of a run; six runs an hour are allowed.
    while get(&lab, "en").await["lab"]["mobile"]["status"] != "finished" {
        let begun = app.call(Call::new("POST", &lab).body("{}").token(&token)).await;
        assert_eq!(begun.status, 202, "{}", begun.body);
        assert_eq!(jobs::work_off(&app.app).await.unwrap(), 1);
    }

    let mut after = get(&api, "en").await;
    let rendered = after["summary"]["rendered"].clone();
    let part = |name: &str, source: &str, rendered: &str| json!({"part": name, "source": source, "rendered": rendered});
    let differences =
        json!([part("canonical", &site.url("/"), &site.url("/red")), part("title", "Blue chairs", "Red chairs")]);
    assert_eq!(rendered["desktop"], Value::Null);
    assert_eq!((&rendered["mobile"]["url"], &rendered["mobile"]["differences"]), (&json!(site.url("/")), &differences));
    let finding = &rendered["mobile"]["finding"];
    assert_eq!((&finding["code"], &finding["severity"]), (&json!("rendered_differs"), &json!("warn")));
    let message = "Scripts change 2 parts of the page that search engines read: canonical URL, title.";
    assert_eq!(finding["message"], message);
    assert_eq!(get(&lab, "en").await["rendered"], rendered);
    let portuguese = get(&api, "pt-BR").await["summary"]["rendered"]["mobile"]["finding"]["message"].clone();
    assert_eq!(portuguese, "Scripts alteram 2 partes da página que os buscadores leem: URL canônica, título.");
    for part in ["lab", "rendered"] {
        after["summary"].as_object_mut().unwrap().remove(part);
    }
    assert_eq!(after, before, "neither score nor findings");

    let page = async |path: &str| app.call(Call::get(path).header("cookie", &cookie)).await.body;
    let report = page(&format!("{}?lang=en", path.split('?').next().unwrap())).await;
    assert!(report.contains("<th scope=\"row\">title</th><td>Blue chairs</td><td>Red chairs</td>"), "{report}");
    assert!(report.contains(message) && report.contains("<img src=\"data:image/jpeg;base64,"), "{report}");
    let markdown = page(&format!("{}/audit.md?lang=en", path.split('?').next().unwrap())).await;
    assert!(markdown.contains("- title: Blue chairs in the HTML, Red chairs after scripts\n"), "{markdown}");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "get_lab_tests", "arguments": {"id": api.rsplit('/').next()}}});
    let told = app
        .call(
            Call::new("POST", "/mcp").token(&token).header("content-type", "application/json").body(&call.to_string()),
        )
        .await;
    assert!(told.body.contains("rendered_differs"), "{}", told.body);
}
