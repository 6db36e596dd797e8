//! Pages about money: what they send, and what a real browser makes of them.

use model::money::Micros;
use service::config::{Config, Sku};
use store::PixDecision;
use testkit::TestDatabase;

use super::browser::LOOKS;
use super::tab::{Tab, has_axe};
use crate::api::people;
use crate::app::{Call, NOW, Response, TestApp};
use crate::payments::{Shop, charging, pix, signed};

testkit::on_both_databases! {
    prices_are_those_of_the_api,
    a_credit_is_looked_at_by_its_token_in_a_form,
    a_reader_finds_the_credits_they_bought,
    without_pix_its_pages_say_so,
    a_receipt_is_sent_and_its_request_told,
    refusals_of_a_receipt_are_told_beside_its_form,
    a_receipt_of_an_account_must_come_from_its_page,
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
    for part in ["4.98 USD", "+5.00", "Bought by x402", "−0.02", "Spent on a call"] {
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

async fn without_pix_its_pages_say_so(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let page = app.call(Call::get("/credit?lang=en")).await;
    assert!(page.status == 200 && !page.body.contains("/credit/pix"), "{}", page.body);
    for call in [Call::get("/credit/pix"), receipt(&[("usd", "5"), ("comprovante", "%PDF-1.7")])] {
        let off = app.call(call).await;
        assert!(
            off.status == 503 && off.body.contains("does not sell credit by Pix") && is_private(&off),
            "{}",
            off.body
        );
    }
}

async fn a_receipt_is_sent_and_its_request_told(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        pix::on(config);
        config.organization.email = Some("ajuda@example.com".to_owned());
    })
    .await;
    let offer = app.call(Call::get("/api/credito/pix")).await.json();
    for lang in LANGS {
        for (at, usd) in [1, 5, 10, 25].into_iter().enumerate() {
            let page = app.call(Call::get(&format!("/credit/pix?usd={usd}&lang={lang}"))).await;
            assert!(page.status == 200 && is_private(&page), "{:?}", page.headers);
            let pack = &offer["pacotes"][at];
            let (_, drawn) = pack["qr_svg"].as_str().unwrap().split_once("<path d=").unwrap();
            let drawn = drawn.trim_end_matches("</svg>");
            let price = if lang == "en" {
                format!("R${}.", pack["brl_centavos"].as_u64().unwrap() / 100)
            } else {
                "R$ ".to_owned()
            };
            for part in [pack["br_code"].as_str().unwrap(), drawn, "LOJA SAO JOAO", &price] {
                assert!(page.body.contains(part), "{part}: {}", page.body);
            }
        }
    }
    assert!(app.call(Call::get("/credit/pix?lang=en")).await.body.contains("Pay R$5.75"));
    for bad in ["usd=2", "usd=x", "usd=-1", "usd=", "usd=99999999999999999999"] {
        let refused = app.call(Call::get(&format!("/credit/pix?{bad}&lang=en"))).await;
        assert!(refused.status == 400 && refused.body.contains("usd: use 1, 5, 10 or 25"), "{bad}: {}", refused.body);
    }
    assert!(app.call(Call::get("/credit?lang=en")).await.body.contains("R$28.75"));

    let fields = [("usd", "5"), ("comprovante", "%PDF-1.7 <b>"), ("nome", "Ana"), ("email", "")];
    let sent = app.call(receipt(&fields)).await;
    assert!(sent.status == 200 && is_private(&sent), "{}", sent.body);
    let credit = token(&sent).to_owned();
    let (_, id) = sent.body.split_once("/credit/pix/").unwrap();
    let path = format!("/credit/pix/{}", &id[..32]);
    let state = async |lang: &str| app.call(Call::get(&format!("{path}?lang={lang}"))).await;
    let waiting = state("en").await;
    assert!(waiting.status == 200 && is_private(&waiting), "{:?}", waiting.headers);
    assert!(
        waiting.body.contains("Under review") && waiting.body.contains("5 USD of credit by Pix (R$28.75)"),
        "{}",
        waiting.body
    );
    assert!(waiting.body.contains("mailto:ajuda@example.com") && !waiting.body.contains(&credit), "{}", waiting.body);
    assert!(state("pt-BR").await.body.contains("Em análise"));
    assert!(app.call(look(&credit)).await.body.contains("This credit can"));
    // The same file again: the request it belongs to is named.
    let again = app.call(receipt(&fields)).await;
    assert!(again.status == 409 && problem(&again).contains(&path), "{}", again.body);

    let end_to_end_id = format!("E{}", "1".repeat(31));
    let store = app.app.database().store();
    assert!(store.decide_pix(&id[..32], PixDecision::Release { end_to_end_id }, NOW).await.unwrap());
    let released = state("en").await;
    assert!(
        released.body.contains("Released") && released.body.contains("2026-01-31T09:30:00.000Z"),
        "{}",
        released.body
    );
    let left = app.call(look(&credit)).await;
    assert!(left.body.contains("5.00 USD") && left.body.contains("Paid by Pix"), "{}", left.body);
    // Another is refused.
    let other = app.call(receipt(&[("usd", "1"), ("comprovante", "%PDF-1.7 2")])).await;
    let (refused, (_, id)) = (token(&other).to_owned(), other.body.split_once("/credit/pix/").unwrap());
    assert!(app.call(look(&refused)).await.body.contains("its receipt is under review"));
    assert!(store.decide_pix(&id[..32], PixDecision::Refuse, NOW).await.unwrap());
    assert!(app.call(look(&refused)).await.body.contains("no payment was found for its receipt"));
    let refused = app.call(Call::get(&format!("/credit/pix/{}?lang=pt-BR", &id[..32]))).await;
    assert!(refused.body.contains("Recusado") && refused.body.contains("1 USD de crédito"), "{}", refused.body);
    for unknown in ["0".repeat(32), "x".repeat(32), "1".to_owned(), "%ff".to_owned()] {
        let missing = app.call(Call::get(&format!("/credit/pix/{unknown}"))).await;
        assert!(missing.status == 404 && is_private(&missing), "{unknown}: {}", missing.body);
    }
}

async fn refusals_of_a_receipt_are_told_beside_its_form(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        pix::on(config);
        config.pix.requests_per_day = 2;
        config.pix.queue = 3;
    })
    .await;
    let large = format!("%PDF-{}", "x".repeat(2_097_152));
    for (fields, status, words) in [
        (&[("usd", "5"), ("comprovante", large.as_str())][..], 413, "larger than 2 MB"),
        (&[("usd", "5"), ("comprovante", "<svg>")], 415, "photo (JPEG, PNG or WebP) or a PDF"),
        (&[("usd", "3"), ("comprovante", "%PDF-")], 400, "Use 1, 5, 10 or 25"),
        (&[("usd", "5")], 400, "Choose the receipt file"),
        (&[("usd", "5"), ("comprovante", "")], 400, "Choose the receipt file"),
        (&[("usd", "5"), ("comprovante", "%PDF-"), ("nome", "a\nb")], 400, "at most 254 characters"),
    ] {
        let refused = app.call(receipt(fields)).await;
        assert_eq!(refused.status, status, "{}", refused.body);
        assert!(problem(&refused).contains(words), "{words}: {}", problem(&refused));
        assert!(refused.body.contains("Pay R$28.75") && is_private(&refused), "{}", refused.body);
    }
    let no_form = Call::new("POST", "/credit/pix?usd=5").header("content-type", FORM).body("usd=5");
    assert_eq!(app.call(no_form).await.status, 400);
    let foreign = receipt(&[("usd", "5"), ("comprovante", "%PDF-1")]).header("origin", "https://evil.example");
    assert_eq!(app.call(foreign).await.status, 403);
    for number in 0..2 {
        assert_eq!(app.call(receipt(&[("usd", "5"), ("comprovante", &format!("%PDF-{number}"))])).await.status, 200);
    }
    let third = receipt(&[("usd", "5"), ("comprovante", "%PDF-3")]);
    let refused = app.call(third.clone()).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "52200"));
    assert!(problem(&refused).contains("limit of 2 receipts a day"), "{}", refused.body);
    assert_eq!(app.call(third.clone().from([127, 0, 0, 9])).await.status, 200);
    let full = app.call(third.from([127, 0, 0, 10])).await;
    assert!(full.status == 503 && problem(&full).contains("Too many receipts"), "{}", full.body);
}

async fn a_receipt_of_an_account_must_come_from_its_page(database: TestDatabase) {
    let app = TestApp::start(database, pix::on).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let page = app.call(session.cookie(Call::get("/credit/pix?usd=5"))).await;
    assert!(page.body.contains(&format!("name=\"csrf\" value=\"{}\"", session.csrf)), "{}", page.body);
    let send = |csrf: &str| receipt(&[("csrf", csrf), ("usd", "5"), ("comprovante", "%PDF-1")]);
    for forged in [
        session.cookie(send(&session.csrf)),
        session.cookie(send("")).header("origin", &app.url("")),
        session.cookie(receipt(&[("usd", "5"), ("comprovante", "%PDF-1")])).header("origin", &app.url("")),
    ] {
        assert_eq!(app.call(forged).await.status, 403);
    }
    let sent = app.call(session.cookie(send(&session.csrf)).header("origin", &app.url(""))).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let own = app.call(session.cookie(Call::get("/credit?lang=en"))).await;
    assert!(own.body.contains("under review") && own.body.contains("0.00 USD"), "{}", own.body);
    app.database.execute("UPDATE pix_requests SET state = 'refused'").await;
    let own = app.call(session.cookie(Call::get("/credit?lang=pt-BR"))).await;
    assert!(own.body.contains("<span class=\"chip warn\">recusado</span>"), "{}", own.body);
    // Bought with the worthless money of another network.
    app.database.execute("UPDATE credits SET network = 'eip155:1'").await;
    let own = app.call(session.cookie(Call::get("/credit?lang=en"))).await;
    assert!(own.body.contains("<span class=\"chip warn\">no value</span>"), "{}", own.body);
}

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

/// What is wrong with the page that is shown, in any look.
fn barriers(tab: &mut Tab, name: &str, lang: &str) -> Vec<String> {
    let mut found = Vec::new();
    for look in LOOKS {
        tab.look(look);
        let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
        found.extend(problems.map(|problem| format!("{name} {lang} {look:?}: {problem}")));
    }
    tab.look(LOOKS[0]);
    found
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
            found.extend(barriers(&mut tab, name, lang));
        }
        // The field beside a price: to be filled in, and with the credit that the browser keeps.
        tab.visit(&format!("/?lang={lang}"));
        tab.click("details.plain summary");
        found.extend(barriers(&mut tab, "field", lang));
        tab.click("#credit-token");
        tab.write(&credit);
        tab.load(|tab| tab.press("Enter"));
        let kept = tab.text("document.querySelector('form[action^=\"/credit/browser\"] code').innerText");
        assert_eq!(kept, credit[credit.len() - 4..]);
        found.extend(barriers(&mut tab, "kept", lang));
        tab.load(|tab| tab.click("button[value=remove]"));
        assert_eq!(tab.value("document.querySelector('button[value=remove]') === null"), true);
    }
    assert_eq!(found, [""; 0]);
}
