//! The widget in a real browser, in the page of another site.

use serde_json::Value;
use testkit::{SiteAnswer, TestSite};

use super::browser::{SAID, Scene, paid};
use crate::app::{Call, Response};

/// Resolves once the widget says something that is not what it says while it runs.
const ANSWERED: &str = "new Promise(done => { const say = () => { const status = document.getElementById('status'); \
    const text = status.textContent; if (text && text !== document.getElementById('form').dataset.running) \
    { watch.disconnect(); done(text); } }; const watch = new MutationObserver(say); \
    watch.observe(document.body, { subtree: true, childList: true, characterData: true }); say(); })";

/// A site with a page per address that holds what is given, and nothing of the widget but by it.
async fn around(body: String) -> TestSite {
    let page =
        format!("<!DOCTYPE html><html lang=en><title>Partner</title><link rel=icon href=data:,><h1>Partner</h1>{body}");
    TestSite::start_at([127, 0, 0, 1].into(), move |_| SiteAnswer::html(&page)).await
}

async fn embed(scene: &Scene, query: &str) -> Value {
    let answer: Response = scene.app.call(Call::get(&format!("/api/embed?{query}"))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_widget_audits_in_the_page_of_another_site() {
    let Some(mut scene) = Scene::open(paid).await else { return };
    let address = scene.address("/bread");
    let encoded: String = url::form_urlencoded::byte_serialize(address.as_bytes()).collect();
    let offered = embed(&scene, &format!("brand=Ann+%26+Co&color=%230a8&theme=dark&url={encoded}")).await;
    let site = around(offered["snippet"].as_str().unwrap().to_owned()).await;
    let tab = &mut scene.tab;
    tab.visit_around(&site.url(""), "/");
    for (expression, wanted) in [
        ("document.querySelector('h1').textContent", "Ann & Co"),
        ("document.documentElement.dataset.theme", "dark"),
        ("getComputedStyle(document.body).backgroundColor", "rgb(14, 16, 34)"),
        ("getComputedStyle(document.querySelector('button')).backgroundColor", "rgb(0, 170, 136)"),
        ("getComputedStyle(document.querySelector('button')).color", "rgb(0, 0, 0)"),
        ("document.getElementById('url').value", &address),
    ] {
        assert_eq!(tab.value_in_frame(expression), wanted, "{expression}");
    }
    tab.value_in_frame("document.querySelector('button').click()");
    assert_eq!(tab.value_in_frame(ANSWERED), SAID);
    assert_eq!(tab.value_in_frame("document.getElementById('score').textContent.trim()"), "58of 100");
    let counts = tab.value_in_frame("document.querySelector('.counts').innerText");
    assert!(counts.as_str().unwrap().starts_with("1 error\n"), "{counts}");
    let found = tab.value_in_frame("[...document.querySelectorAll('#findings li')].map(e => e.innerText)");
    assert_eq!(found.as_array().unwrap().len(), 3);
    assert!(found[0].as_str().unwrap().trim().starts_with("Warning "), "{found}");
    // As high as what it holds.
    let height = "new Promise(done => { const frame = document.querySelector('iframe'); const look = () => \
        frame.offsetHeight > 300 ? done(frame.offsetHeight) : requestAnimationFrame(look); look(); })";
    let wanted = tab.value_in_frame("Math.ceil(document.documentElement.getBoundingClientRect().height)");
    assert_eq!(tab.value(height), wanted);

    // The full report opens for whoever made the audit, in a tab of its own, without a cookie.
    let action = tab.value_in_frame("document.getElementById('full').getAttribute('action')");
    let token = tab.value_in_frame("document.querySelector('[name=guest_token]').value");
    let (action, token) = (action.as_str().unwrap().to_owned(), token.as_str().unwrap().to_owned());
    let open = |token: &str| Call::new("POST", &action).body(&format!("guest_token={token}"));
    let report = scene.app.call(open(&token)).await;
    assert_eq!((report.status, report.header("set-cookie")), (200, ""));
    assert!(report.body.contains("Relative canonical URL") && !report.body.contains("id=\"share\""), "{}", report.body);
    for wrong in ["", "pa_x", &scene.app.guest().await] {
        assert!([401, 404].contains(&scene.app.call(open(wrong)).await.status), "{wrong}");
    }

    // The second of two free audits, and one more.
    let tab = &mut scene.tab;
    for _ in 0..2 {
        tab.value_in_frame("document.querySelector('button').click()");
        tab.value_in_frame(ANSWERED);
    }
    let spent = tab.value_in_frame("document.getElementById('status').innerText");
    assert!(spent.as_str().unwrap().contains("used up"), "{spent}");
    assert_eq!(tab.value_in_frame("document.getElementById('result').hidden"), true);
    assert_eq!(
        tab.value_in_frame("new URL(document.getElementById('form-address').href).searchParams.get('url')"),
        address
    );
    assert_eq!(tab.cookies(), Value::Array(Vec::new()));
    // The browser tells of a call that was refused, and of nothing else.
    let complaints = tab.complaints();
    let is_refusal = |line: &String| line.contains("/api/audit?lang=en") && line.contains("\"status\":402");
    assert!(complaints.iter().all(is_refusal), "{}", complaints.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_widget_takes_no_harm_from_its_options() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    let loader = scene.app.url("/embed.js");
    let markup = "&quot;&gt;&lt;/h1&gt;&lt;script&gt;top.ran = 1&lt;/script&gt;&#x202e;";
    for (attributes, color, url) in [
        (format!("data-brand=\"{markup}\" data-color=\"#fff;}} * {{ display: none\""), "rgb(34, 57, 220)", ""),
        ("data-color=red data-theme=\"x\" data-url=\"javascript:top.ran = 1\"".to_owned(), "rgb(34, 57, 220)", ""),
        (
            "data-color=\"#fff\" data-url=\"https://example.com/?a=&quot;&gt;&lt;script&gt;\"".to_owned(),
            "rgb(255, 255, 255)",
            "https://example.com/?a=%22%3E%3Cscript%3E",
        ),
        (format!("data-url=\"http://10.0.0.1/\" data-brand=\"{}\"", "w".repeat(5_000)), "rgb(34, 57, 220)", ""),
    ] {
        let site = around(format!("<script src=\"{loader}\" {attributes}></script>")).await;
        let tab = &mut scene.tab;
        tab.visit_around(&site.url(""), "/");
        let shade = "getComputedStyle(document.querySelector('button')).backgroundColor";
        assert_eq!(tab.value_in_frame(shade), color, "{attributes}");
        assert_eq!(tab.value_in_frame("document.getElementById('url').value"), url, "{attributes}");
        assert_eq!(tab.value_in_frame("document.scripts.length"), 1, "{attributes}");
        assert_eq!(tab.value_in_frame("document.querySelector('h1').textContent.length <= 40"), true, "{attributes}");
        assert_eq!(tab.value("window.ran === undefined"), true, "{attributes}");
        assert_eq!(tab.complaints(), [""; 0], "{attributes}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_widget_says_what_went_wrong_and_needs_no_scripts() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    let tab = &mut scene.tab;
    for (typed, words) in [
        ("ftp://example.com/", "http:// or https://"),
        ("http://10.0.0.1/", "on the public internet"),
        ("http://127.0.0.2:1/", "refused the connection"),
    ] {
        tab.visit("/embed?lang=en");
        tab.click("#url");
        tab.write(typed);
        tab.click("button");
        let said = tab.text(ANSWERED);
        assert!(said.contains(words), "{typed}: {said}");
        assert_eq!(tab.text("document.getElementById('url').ariaInvalid"), "true", "{typed}");
    }
    tab.disable_scripts();
    tab.visit("/embed?url=https%3A%2F%2Fexample.com%2F");
    let link = "document.getElementById('form-address').href";
    assert!(tab.text(link).ends_with("/?url=https%3A%2F%2Fexample.com%2F"), "{}", tab.text(link));
    tab.visit("/?url=https%3A%2F%2Fexample.com%2F");
    assert_eq!(tab.text("document.getElementById('url').value"), "https://example.com/");
}
