//! Receipts of Pix transfers: sent, refused, and told of.

use store::PixDecision;
use testkit::TestDatabase;

use super::{FORM, LANGS, is_private, look, problem, receipt, token};
use crate::api::people;
use crate::app::{Call, NOW, TestApp};
use crate::payments::pix;

testkit::on_both_databases! {
    without_pix_its_pages_say_so,
    a_receipt_is_sent_and_its_request_told,
    refusals_of_a_receipt_are_told_beside_its_form,
    a_receipt_of_an_account_must_come_from_its_page,
}

async fn without_pix_its_pages_say_so(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let page = app.call(Call::get("/credit?lang=en")).await;
    assert!(page.status == 200 && !page.body.contains("/credit/pix"), "{}", page.body);
    for call in [Call::get("/credit/pix"), receipt(&[("usd", "5"), ("comprovante", "%PDF-1.7")])] {
        let off = app.call(call).await;
        assert!(
            off.status == 503 && off.body.contains("does not sell credit with Pix") && is_private(&off),
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
        waiting.body.contains("Under review") && waiting.body.contains("5 USD of credit with Pix (R$28.75)"),
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
    assert!(left.body.contains("5.00 USD") && left.body.contains("Paid with Pix"), "{}", left.body);
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
