//! `/operator` and `/status`.

use std::time::Duration;

use service::config::SecretText;
use service::counting::Event;
use testkit::TestDatabase;

use super::browser::{LOOKS, MOST_STOPS, keep_picture};
use super::tab::{Look, Tab, has_axe};
use crate::api::people::OPERATOR;
use crate::app::{Call, NOW, Response, TestApp};
use crate::counting::{flush, person};

testkit::on_both_databases! {
    the_operator_signs_in_sees_plots_and_signs_out,
    a_wrong_token_opens_nothing_and_tries_are_limited,
    a_sign_in_ends_after_eight_hours_and_with_the_token,
    everybody_sees_how_reliable_the_service_was,
}

async fn start(database: TestDatabase) -> TestApp {
    TestApp::start(database, |config| config.operator.token = Some(SecretText::new(OPERATOR))).await
}

async fn sign_in(app: &TestApp, token: &str) -> Response {
    let body: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("token", token).finish();
    let call = Call::new("POST", "/operator?lang=en").header("content-type", "application/x-www-form-urlencoded");
    app.call(call.header("origin", &app.url("")).body(&body)).await
}

fn cookie(response: &Response) -> String {
    response.header("set-cookie").split(';').next().unwrap().to_owned()
}

async fn the_operator_signs_in_sees_plots_and_signs_out(database: TestDatabase) {
    let app = start(database).await;
    for _ in 0..3 {
        app.call(person(Call::get("/checks"), 1)).await;
    }
    let page = app.call(Call::get("/checks")).await.body;
    for file in page.split('"').filter(|part| part.starts_with("/assets/") && !part.ends_with(".woff2")) {
        assert_eq!(app.call(person(Call::get(file), 1)).await.status, 200, "{file}");
    }
    assert_eq!(app.call(Call::get("/assets/app.0000000000000000.css")).await.status, 404);
    app.call(Call::get("/api/gate").header("user-agent", "GPTBot/1.2")).await;
    let error = Event::ClientError { code: "UI-JS-001".to_owned(), phase: "<b>".to_owned(), path: "/".to_owned() };
    app.app.counter().add(&error, NOW);
    app.app.counter().add_findings(["title_missing"], None, NOW);
    flush(&app).await;
    let form = app.call(Call::get("/operator?lang=en")).await;
    assert_eq!((form.status, form.header("cache-control")), (200, "no-store"));
    assert!(form.body.contains("name=\"token\"") && !form.body.contains("class=\"chart\""), "{}", form.body);
    let signed_in = sign_in(&app, OPERATOR).await;
    assert_eq!((signed_in.status, signed_in.header("location")), (303, "/operator?lang=en"));
    let attributes = signed_in.header("set-cookie");
    assert!(attributes.ends_with("; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict"), "{attributes}");
    assert!(!attributes.contains(OPERATOR));
    for lang in ["en", "pt-BR"] {
        let page = app.call(Call::get(&format!("/operator?lang={lang}")).header("cookie", &cookie(&signed_in))).await;
        assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
        let plots = ["visits", "audits", "income", "agents", "findings", "queue", "routes", "errors", "refused"];
        for plot in plots {
            assert!(page.body.contains(&format!("<h2 id=\"{plot}\">")), "{plot}: {}", page.body);
        }
        // A plot over days is a picture and a table with the same numbers, one by name a table with bars.
        let count = |part: &str| page.body.matches(part).count();
        assert!(count("<svg viewBox") > 0 && count("<td></td></tr></thead>") > 0, "{}", page.body);
        assert_eq!(count("<svg viewBox") + count("<td></td></tr></thead>"), count("<div class=\"scroll\""));
        let title = ["Page without a title", "Página sem título"].into_iter().find(|title| page.body.contains(title));
        let title = title.unwrap_or("the title of title_missing");
        for told in ["GPTBot", title, "GET /checks", "GET /assets/{file}", "UI-JS-001 &#60;b&#62; /"] {
            assert!(page.body.contains(told), "{told}: {}", page.body);
        }
        // Files whose names change with each version are one route.
        assert!(!page.body.contains("GET /assets/app."), "{}", page.body);
        assert!(!page.body.contains("<b>"), "{}", page.body);
    }
    let out = Call::new("POST", "/operator/out").header("origin", &app.url(""));
    let out = app.call(out.header("cookie", &cookie(&signed_in))).await;
    assert_eq!(out.status, 303);
    assert!(out.header("set-cookie").starts_with("mm-operator=; Path=/; Max-Age=0"), "{}", out.header("set-cookie"));
    let foreign = Call::new("POST", "/operator/out").header("origin", "https://evil.example");
    assert_eq!(app.call(foreign).await.status, 403);
}

async fn a_wrong_token_opens_nothing_and_tries_are_limited(database: TestDatabase) {
    let app = start(database).await;
    for token in ["", "wrong", "mmk_x"] {
        let refused = sign_in(&app, token).await;
        assert_eq!((refused.status, refused.header("set-cookie")), (401, ""), "{token}");
        assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
    }
    for value in ["", "x", "99999999999999.00", "1769880600000.00", "-1.00"] {
        let page = app.call(Call::get("/operator").header("cookie", &format!("mm-operator={value}"))).await;
        assert!(page.status == 200 && page.body.contains("name=\"token\""), "{value}");
    }
    for _ in 3..20 {
        assert_eq!(sign_in(&app, "wrong").await.status, 401);
    }
    let limited = sign_in(&app, OPERATOR).await;
    assert_eq!(limited.status, 429);
    let again = limited.body.matches("Try again").count();
    assert!(limited.body.contains("name=\"token\"") && again == 1, "{}", limited.body);
}

async fn a_sign_in_ends_after_eight_hours_and_with_the_token(database: TestDatabase) {
    let app = start(database).await;
    let cookie = cookie(&sign_in(&app, OPERATOR).await);
    let is_in = async |app: &TestApp| {
        let page = app.call(Call::get("/operator").header("cookie", &cookie)).await;
        !page.body.contains("name=\"token\"")
    };
    app.pass(Duration::from_secs(8 * 3_600 - 1));
    assert!(is_in(&app).await);
    let other = TestApp::start_on(&app, |config| config.operator.token = Some(SecretText::new("another one"))).await;
    assert!(!is_in(&other).await);
    app.pass(Duration::from_secs(1));
    assert!(!is_in(&app).await);
}

async fn everybody_sees_how_reliable_the_service_was(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for minute in [0, 1, 3] {
        let at = NOW.plus_ms(minute * 60_000);
        app.app.database().store().note_healthy_minute(at).await.unwrap();
    }
    app.app.counter().add_findings([], Some(Duration::from_millis(100)), NOW);
    flush(&app).await;
    app.pass(Duration::from_secs(4 * 60));
    let page = app.call(Call::get("/status?lang=en")).await;
    assert_eq!(page.status, 200);
    for told in ["<td>75%</td>", "<td>100 ms</td>", "<th scope=\"row\">31 Jan 2026</th>", "Days not measured: "] {
        let told = told.replace("100 ms", &shown_ms(&page));
        assert!(page.body.contains(&told), "{told}: {}", page.body);
    }
    assert!(app.call(Call::get("/")).await.body.contains("href=\"/status?lang=en\""));
    assert!(app.call(Call::get("/status?lang=pt-BR")).await.body.contains("Disponibilidade"));
}

/// The median as it is shown, which is within 5% of 100 ms.
fn shown_ms(page: &Response) -> String {
    let ms = page.body.split("<td>").find_map(|cell| cell.split(" ms</td>").next()?.parse::<u64>().ok()).unwrap();
    assert!((95..=105).contains(&ms), "{ms}");
    format!("{ms} ms")
}

/// A service with three days of numbers of every kind.
async fn used() -> TestApp {
    let app = start(TestDatabase::sqlite()).await;
    let codes = ["title_missing", "canonical_relative", "llms_txt_missing"];
    let path = "/r/{slug}".to_owned();
    let error = Event::ClientError { code: "UI-JS-001".to_owned(), phase: "load".to_owned(), path };
    for day in 0..3 {
        for (browser, path) in ["/", "/checks", "/tools"].into_iter().cycle().take(4 + day).enumerate() {
            app.call(person(Call::get(path), browser)).await;
        }
        for agent in ["GPTBot/1.2", "Claude-User/1.0"] {
            app.call(Call::get("/api/gate").header("user-agent", agent)).await;
        }
        let (counter, now) = (app.app.counter(), app.app.ports().now());
        for minute in 0..30 {
            app.app.database().store().note_healthy_minute(now.plus_ms(-60_000 * minute)).await.unwrap();
        }
        for event in [Event::Audit, error.clone(), Event::RefusedTarget("target_rate_limited")] {
            counter.add(&event, now);
        }
        counter.add_findings(codes, Some(Duration::from_millis(120)), now);
        flush(&app).await;
        app.pass(Duration::from_secs(86_400));
    }
    app.call(Call::get("/api/gate")).await;
    let now = app.app.ports().now();
    for event in [error, Event::RefusedTarget("target_blocked")] {
        app.app.counter().add(&event, now);
    }
    flush(&app).await;
    app
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_pages_have_no_barriers() {
    if !has_axe() {
        return;
    }
    let app = used().await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let cookie = cookie(&sign_in(&app, OPERATOR).await);
    let (name, value) = cookie.split_once('=').unwrap();
    let mut found = Vec::new();
    for lang in ["en", "pt-BR"] {
        for (page, path) in [("sign-in", "/operator"), ("status", "/status"), ("dashboard", "/operator")] {
            if page == "dashboard" {
                tab.set_cookie(name, value);
            } else {
                tab.forget_cookies();
            }
            tab.visit(&format!("{path}?lang={lang}"));
            assert_eq!((tab.status(), tab.text("document.documentElement.lang").as_str()), (200, lang), "{page}");
            for look in LOOKS.into_iter().chain([Look { scheme: "light", width: 390 }]) {
                tab.look(look);
                let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
                found.extend(problems.map(|problem| format!("{page} {lang} {look:?}: {problem}")));
                keep_picture(&mut tab, &format!("{page}-{lang}-{}-{}", look.scheme, look.width));
            }
        }
    }
    assert_eq!(found, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_needs_the_keyboard_only_and_no_script() {
    let app = used().await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.disable_scripts();
    tab.visit("/status?lang=en");
    assert!(tab.shown().contains("Availability"), "{}", tab.shown());
    // The table of days is reached, so that it can be scrolled.
    let mut stops = Vec::new();
    while tab.value("document.activeElement.matches('main .scroll')") != true {
        tab.press("Tab");
        stops.push(tab.focus());
        assert!(stops.len() < MOST_STOPS, "{stops:?}");
    }
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_needs_the_keyboard_only_and_no_script() {
    let app = used().await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.disable_scripts();
    tab.visit("/operator?lang=en");
    tab.click("#token");
    tab.write("wrong");
    tab.load(|tab| tab.press("Enter"));
    assert_eq!(tab.status(), 401);
    tab.click("#token");
    tab.write(OPERATOR);
    tab.load(|tab| tab.press("Enter"));
    assert_eq!((tab.status(), tab.text("document.querySelector('h1').innerText").as_str()), (200, "Operator"));
    let mut stops = Vec::new();
    while stops.len() < MOST_STOPS {
        tab.press("Tab");
        if tab.value("document.activeElement === document.body") == true {
            break;
        }
        stops.push(tab.focus());
    }
    assert!(stops.len() < MOST_STOPS, "{stops:?}");
    for stop in ["Sign out", "GPTBot", "UI-JS-001", "target_blocked", "GET /api/gate"] {
        assert!(stops.iter().any(|found| found.contains(stop)), "{stop} is not among {stops:?}");
    }
    assert_eq!(tab.complaints(), [""; 0]);
}
