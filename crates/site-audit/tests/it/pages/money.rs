//! Pages about money: what they send, and what a real browser makes of them.

mod by_pix;
mod in_browser;

use model::money::Micros;
use service::config::{Config, Sku};
use testkit::TestDatabase;

use crate::app::{Call, Response, TestApp};
use crate::payments::{Shop, charging, signed};

testkit::on_both_databases! {
    prices_are_those_of_the_api,
    a_credit_is_looked_at_by_its_token_in_a_form,
    a_reader_finds_the_credits_they_bought,
    a_credit_that_a_browser_keeps_pays_for_its_audits,
    a_credit_that_is_too_low_asks_for_another_and_keeps_the_guest,
}

const FORM: &str = "application/x-www-form-urlencoded";
const LANGS: [&str; 2] = ["en", "pt-BR"];

/// A form with a receipt, as a browser sends it from the page of the pack of 5 dollars.
fn receipt(fields: &[(&str, &str)]) -> Call<'static> {
    let parts: String = fields
        .iter()
        .map(|(name, value)| format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"))
        .collect();
    Call::new("POST", "/credit/pix?usd=5&lang=en")
        .header("content-type", "multipart/form-data; boundary=b")
        .body(&format!("{parts}--b--\r\n"))
}

/// It is its reader's alone, and not for an index.
fn is_private(page: &Response) -> bool {
    page.header("cache-control") == "no-store" && page.header("x-robots-tag") == "noindex"
}

/// What the page says went wrong.
fn problem(page: &Response) -> &str {
    let (_, rest) = page.body.split_once("id=\"problem\" role=\"alert\">").unwrap_or_else(|| panic!("{}", page.body));
    rest.split_once("</p>").unwrap().0
}

/// The token that a page shows once.
fn token(page: &Response) -> &str {
    let (_, rest) = page.body.split_once("<code>cred_").unwrap_or_else(|| panic!("{}", page.body));
    &page.body[page.body.len() - rest.len() - 5..][..48]
}

async fn prices_are_those_of_the_api(database: TestDatabase) {
    let shop = Shop::open(TestDatabase::sqlite()).await;
    let app = TestApp::start(database, |config| {
        charging(config, &shop.facilitator.url());
        config.limits.free_audits_per_day = 7;
        config.prices.audit_usd = Micros(30_000);
        config.prices.extra_tab_usd = Micros(1_234);
        config.free_now = vec![Sku::Tab];
    })
    .await;
    for lang in LANGS {
        let page = app.call(Call::get(&format!("/pricing?lang={lang}"))).await;
        assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
        let quota = app.call(Call::get(&format!("/api/pricing?lang={lang}"))).await.json()["quota"].clone();
        for item in quota["paid"].as_array().unwrap() {
            let price = Micros::from_dollars(item["price_usd"].as_f64().unwrap()).unwrap().to_string();
            let price = if lang == "en" { price } else { price.replace('.', ",") };
            let row = format!("<td>{}</td><td class=\"number\">{price}</td>", item["o_que"].as_str().unwrap());
            assert!(page.body.contains(&row), "{row}: {}", page.body);
        }
        for item in quota["free"].as_array().unwrap() {
            let line = format!("<li>{} {}", item["limite"], item["o_que"].as_str().unwrap());
            assert!(page.body.contains(&line), "{line}: {}", page.body);
        }
        assert!(page.body.contains("<code>tab</code>") && page.body.contains("<strong>7</strong>"), "{}", page.body);
        assert!(page.body.contains("402 Payment Required") && page.body.contains("&#34;30000&#34;"), "{}", page.body);
    }
    assert_eq!(app.call(shop.audit()).await.status, 200);
    let page = app.call(Call::get("/pricing?lang=en")).await;
    assert!(page.body.contains("<strong>6</strong>"), "{}", page.body);
    // Where nothing is charged, nothing is asked for.
    let free = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let page = free.call(Call::get("/pricing?lang=en")).await;
    assert!(page.body.contains("Nothing is charged") && !page.body.contains("402 Payment"), "{}", page.body);
    assert_eq!(free.call(Call::new("POST", "/pricing")).await.status, 405);
}

fn look(token: &str) -> Call<'static> {
    let body: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("token", token).finish();
    Call::new("POST", "/credit?lang=en").header("content-type", FORM).body(&body)
}

async fn a_credit_is_looked_at_by_its_token_in_a_form(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let buy = || Call::new("POST", "/api/credito?usd=5");
    let asked = shop.app.call(buy()).await;
    let sold = shop.app.call(signed(&asked, 1, 1).pays(buy())).await.json();
    let token = sold["token"].as_str().unwrap();
    assert_eq!(shop.app.call(shop.audit().header("x-credito", token)).await.status, 200);
    let page = shop.app.call(look(&format!(" {token}\n"))).await;
    assert!(page.status == 200 && is_private(&page), "{:?}", page.headers);
    for part in ["4.98 USD", "+5.00", "Bought with x402", "−0.02", "Spent on a call"] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains(token), "{}", page.body);
    for wrong in ["", "cred_", "pa_x", &format!("cred_{}", "a".repeat(43)), &"x".repeat(5_000), "\"><script>"] {
        let refused = shop.app.call(look(wrong)).await;
        assert!(refused.status == 401 && is_private(&refused), "{wrong}: {}", refused.body);
        assert!(problem(&refused).starts_with("No credit has this token"), "{}", refused.body);
        assert!(refused.body.contains("aria-invalid") && !refused.body.contains("<script>"), "{}", refused.body);
    }
    assert_eq!(shop.app.call(look(token).header("origin", "https://evil.example")).await.status, 403);
    // A token in an address is not read.
    let page = shop.app.call(Call::get(&format!("/credit?lang=en&token={token}"))).await;
    assert!(page.status == 200 && !page.body.contains("4.98") && !page.body.contains(token), "{}", page.body);
    assert_eq!(shop.app.call(Call::new("DELETE", "/credit")).await.status, 405);
}

async fn a_credit_that_a_browser_keeps_pays_for_its_audits(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let buy = || Call::new("POST", "/api/credito?usd=5");
    let asked = shop.app.call(buy()).await;
    let sold = shop.app.call(signed(&asked, 1, 1).pays(buy())).await.json();
    let token = sold["token"].as_str().unwrap();
    let form = |path: &str, fields: &[(&str, &str)]| {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        Call::new("POST", path).header("content-type", FORM).body(&body)
    };
    let keep = |token: &str| form("/credit/browser?lang=en", &[("token", token), ("back", "/")]);
    let bare = shop.app.call(Call::get("/?lang=en")).await.body;
    assert!(bare.contains("name=\"token\" type=\"password\"") && !bare.contains("value=\"remove\""), "{bare}");
    let kept = shop.app.call(keep(token)).await;
    assert_eq!((kept.status, kept.header("location")), (303, "/?lang=en"), "{}", kept.body);
    let set = kept.header("set-cookie");
    assert_eq!(set, format!("mm-credit={token}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Lax"));
    let credit = set.split(';').next().unwrap().to_owned();
    for path in ["/?lang=en", "/credit?lang=en"] {
        let page = shop.app.call(Call::get(path).header("cookie", &credit)).await;
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
        assert!(page.body.contains(&format!("<code>{}</code>", &token[token.len() - 4..])), "{}", page.body);
        assert!(!page.body.contains(&token[..token.len() - 4]), "{}", page.body);
    }
    let balance = async || {
        let page = shop.app.call(look(token)).await.body;
        page.split("class=\"figure\">").nth(1).unwrap().split(" USD").next().unwrap().to_owned()
    };
    // An audit of the form, of a new guest; then a run of a page that the guest follows.
    let page = shop.site.url("/");
    let audit = form("/", &[("url", &page)]);
    assert_eq!(shop.app.call(audit.clone()).await.status, 402);
    let done = shop.app.call(audit.header("cookie", &credit)).await;
    assert!(done.status == 303 && done.header("location").starts_with("/reports/"), "{}", done.body);
    let cookies = format!("{credit}; {}", done.header("set-cookie").split(';').next().unwrap());
    let report = shop.app.call(Call::get(done.header("location")).header("cookie", &cookies)).await;
    assert_eq!((report.status, balance().await.as_str()), (200, "4.98"));
    let opened = shop.app.call(form("/workspace", &[("url", &page)]).header("cookie", &cookies)).await;
    let place = opened.header("location").split('?').next().unwrap().to_owned();
    let shown = shop.app.call(Call::get(&place).header("cookie", &cookies)).await.body;
    assert!(shown.contains("value=\"remove\"") && !shown.contains(token), "{shown}");
    for accept in ["*/*", "text/html"] {
        let run = form(&format!("{place}/run"), &[]).header("cookie", &cookies).header("accept", accept);
        assert_eq!(shop.app.call(run).await.status, 303, "{accept}");
    }
    shop.app.app.running().end_of_all().await;
    assert_eq!(balance().await, "4.94");
    // An audit that fails costs nothing.
    let failed = form("/", &[("url", "http://127.0.0.2:1/")]).header("cookie", &cookies);
    assert_eq!(shop.app.call(failed).await.status, 502);
    assert_eq!(balance().await, "4.94");
    // Programs send their token: the API reads no cookie.
    assert_eq!(shop.app.call(shop.audit().header("cookie", &credit)).await.status, 402);
    let removed = shop.app.call(form("/credit/browser?lang=en", &[("do", "remove"), ("back", &place)])).await;
    assert_eq!(removed.header("location"), format!("{place}?lang=en"));
    assert!(removed.header("set-cookie").starts_with("mm-credit=; Path=/; Max-Age=0;"), "{:?}", removed.headers);
    for wrong in ["", "cred_x", &format!("cred_{}", "a".repeat(43))] {
        let refused = shop.app.call(keep(wrong)).await;
        assert!(refused.status == 401 && refused.header("set-cookie").is_empty(), "{wrong}: {}", refused.body);
    }
    assert_eq!(shop.app.call(keep(token).header("origin", "https://evil.example")).await.status, 403);
    let elsewhere = form("/credit/browser?lang=en", &[("token", token), ("back", "//evil.example/")]);
    assert_eq!(shop.app.call(elsewhere).await.header("location"), "/credit?lang=en");
}

async fn a_credit_that_is_too_low_asks_for_another_and_keeps_the_guest(database: TestDatabase) {
    // 5 dollars pay one audit of 3.
    let dear = |config: &mut Config| config.prices.audit_usd = Micros(3_000_000);
    let shop = Shop::beside(testkit::facilitator::TestFacilitator::start().await, database, dear).await;
    let buy = || Call::new("POST", "/api/credito?usd=5");
    let asked = shop.app.call(buy()).await;
    let sold = shop.app.call(signed(&asked, 1, 1).pays(buy())).await.json();
    let credit = format!("mm-credit={}", sold["token"].as_str().unwrap());
    let body = url::form_urlencoded::Serializer::new(String::new()).append_pair("url", &shop.site.url("/")).finish();
    for accept in ["text/html", "*/*"] {
        let audit = |cookies: &str| {
            let call = Call::new("POST", "/?lang=en").header("content-type", FORM).header("accept", accept);
            shop.app.call(call.header("cookie", cookies).body(&body))
        };
        if accept == "text/html" {
            assert_eq!(audit(&credit).await.status, 303);
            shop.app.app.running().end_of_all().await;
        }
        let refused = audit(&credit).await;
        assert_eq!(refused.status, 402, "{accept}");
        assert!(refused.body.contains("value=\"remove\""), "{}", refused.body);
        // The next try is by the same guest.
        let guest = refused.header("set-cookie").split(';').next().unwrap().to_owned();
        assert!(guest.starts_with("mm-guest="), "{accept}: {:?}", refused.headers);
        let again = audit(&format!("{credit}; {guest}")).await;
        assert_eq!((again.status, again.header("set-cookie")), (402, ""), "{accept}");
        // Without a credit the field for one is open.
        let bare = audit(&guest).await;
        assert!(bare.status == 402 && bare.body.contains("<details class=\"plain\" open>"), "{}", bare.body);
    }
}

async fn a_reader_finds_the_credits_they_bought(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let guest = shop.app.guest().await;
    let buy = || Call::new("POST", "/api/credito?usd=10").token(&guest);
    let asked = shop.app.call(buy()).await;
    assert_eq!(shop.app.call(signed(&asked, 1, 1).pays(buy())).await.status, 200);
    let own = "Your credits";
    let read = async |cookie: &str| shop.app.call(Call::get("/credit?lang=en").header("cookie", cookie)).await;
    let page = read(&format!("mm-guest={guest}")).await;
    assert!(page.body.contains(own) && page.body.contains("<strong>10.00 USD</strong>"), "{}", page.body);
    assert_eq!(page.header("cache-control"), "no-store");
    // Somebody else's page, and nobody's, which may be kept.
    let other = shop.app.guest().await;
    assert!(!read(&format!("mm-guest={other}")).await.body.contains(own));
    let nobodys = read("a=b").await;
    assert!(!nobodys.body.contains(own) && nobodys.header("cache-control").is_empty(), "{:?}", nobodys.headers);
    // A session that is over is in nobody's way.
    let over = read(&format!("mm-auth={}", "A".repeat(43))).await;
    assert!(over.status == 200 && over.body.contains("be listed right now"), "{}", over.body);
}
