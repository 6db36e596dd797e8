use std::time::Duration;

use model::money::Micros;
use service::config::Config;
use store::PixDecision;
use testkit::TestDatabase;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{Shop, charging};
use crate::api::people;
use crate::app::{Call, NOW, Response, TestApp};
use crate::command_line::{code, program, stderr, stdout};

testkit::on_both_databases! {
    without_pix_all_of_it_says_so,
    the_offer_has_codes_that_pay,
    a_receipt_makes_a_credit_that_waits,
    refusals_come_in_their_order,
    a_receipt_has_2_mib_at_most,
    the_same_receipt_is_told_once,
    a_network_has_so_many_requests_a_day,
    who_is_signed_in_sends_the_same_form,
    an_upload_that_breaks_off_spends_nothing,
    the_wider_network_has_so_many_requests_too,
    a_refused_request_is_told_to_whoever_spends_its_credit,
    the_operators_copy_of_a_receipt_is_theirs_alone,
    an_operator_refuses_several_at_once,
}

const PNG: &str = "\u{89}PNG";

/// Pix is on.
pub(crate) fn on(config: &mut Config) {
    config.pix.key = Some("+5511987654321".to_owned());
    config.pix.name = Some("Loja São João".to_owned());
    config.pix.city = Some("São Paulo".to_owned());
    config.pix.brl_per_usd = Some(Micros(5_750_000));
}

/// A form with these fields. The receipt is a PDF, the one of the types that is text.
pub(crate) fn form(fields: &[(&str, &str)]) -> Call<'static> {
    let parts: String = fields
        .iter()
        .map(|(name, value)| format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"))
        .collect();
    Call::new("POST", "/api/credito/pix")
        .header("content-type", "multipart/form-data; boundary=b")
        .body(&format!("{parts}--b--\r\n"))
}

/// A good form; each number is another receipt.
pub(crate) fn receipt(number: u32) -> Call<'static> {
    form(&[("usd", "5"), ("comprovante", &format!("%PDF-1.7 {number}")), ("nome", "Ana"), ("email", "ana@example.com")])
}

fn refusal(response: &Response) -> (u16, String) {
    response.refusal()
}

async fn without_pix_all_of_it_says_so(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        on(config);
        config.pix.brl_per_usd = None;
    })
    .await;
    assert_eq!(refusal(&app.call(Call::get("/api/credito/pix")).await), (503, "pix_unavailable".to_owned()));
    assert_eq!(refusal(&app.call(receipt(1)).await), (503, "pix_unavailable".to_owned()));
}

async fn the_offer_has_codes_that_pay(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    let offer = app.call(Call::get("/api/credito/pix")).await.json();
    assert_eq!((offer["chave"].as_str(), offer["brl_por_usd"].as_f64()), (Some("+5511987654321"), Some(5.75)));
    assert_eq!((&offer["liberacao"], &offer["comprovante"]["tamanho_maximo"]), (&"manual".into(), &2_097_152.into()));
    let packs = offer["pacotes"].as_array().unwrap();
    let prices: Vec<_> = packs.iter().map(|pack| (pack["usd"].as_u64(), pack["brl_centavos"].as_u64())).collect();
    assert_eq!(prices, [(1, 575), (5, 2_875), (10, 5_750), (25, 14_375)].map(|(usd, cents)| (Some(usd), Some(cents))));
    let code = packs[1]["br_code"].as_str().unwrap();
    assert!(code.starts_with("000201") && code.contains("540528.755802BR5913LOJA SAO JOAO6009SAO PAULO"), "{code}");
    assert!(packs[1]["qr_svg"].as_str().unwrap().starts_with("<svg"));
}

async fn a_receipt_makes_a_credit_that_waits(database: TestDatabase) {
    let shop = Shop::open(TestDatabase::sqlite()).await;
    let app = TestApp::start(database, |config| {
        charging(config, &shop.facilitator.url());
        on(config);
    })
    .await;
    let sent = app.call(receipt(1)).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let sent = sent.json();
    let (id, token) = (sent["id"].as_str().unwrap(), sent["credito"].as_str().unwrap());
    assert_eq!((id.len(), &sent["estado"]), (32, &"pendente".into()));
    assert_eq!(sent["estado_em"], app.url(&format!("/api/credito/pix/{id}")));
    let state = async || app.call(Call::get(&format!("/api/credito/pix/{id}"))).await.json();
    assert_eq!(state().await, serde_json::json!({"estado": "pendente", "usd": 5, "decidido_em": null}));
    let waiting = app.call(shop.audit().header("x-credito", token)).await;
    assert_eq!(waiting.refusal(), (402, "credit_pending".to_owned()));
    let end_to_end_id = format!("E{}", "1".repeat(31));
    let store = app.app.database().store();
    assert!(store.decide_pix(id, PixDecision::Release { end_to_end_id }, NOW).await.unwrap());
    assert_eq!(state().await["estado"], "liberado");
    assert_eq!(state().await["decidido_em"], "2026-01-31T09:30:00.000Z");
    assert_eq!(app.call(shop.audit().header("x-credito", token)).await.status, 200);
    let left = app.call(Call::get("/api/credito").header("x-credito", token)).await.json();
    assert_eq!(left["saldo_micros"], 4_980_000);
    for unknown in ["0".repeat(32), "x".repeat(32), "1".to_owned()] {
        let refused = app.call(Call::get(&format!("/api/credito/pix/{unknown}"))).await;
        assert_eq!(refused.refusal(), (404, "pix_request_not_found".to_owned()));
    }
}

async fn refusals_come_in_their_order(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        on(config);
        config.pix.queue = 1;
        config.pix.requests_per_day = 1;
    })
    .await;
    let large = format!("%PDF-{}", "x".repeat(2_097_152));
    for (fields, status, code) in [
        (&[("usd", "3"), ("comprovante", large.as_str())][..], 413, "body_too_large"),
        (&[("usd", "3"), ("comprovante", "<svg>")], 415, "receipt_type"),
        (&[("usd", "3"), ("comprovante", PNG)], 415, "receipt_type"),
        (&[("usd", "3"), ("comprovante", "%PDF-")], 400, "invalid_body"),
        (&[("usd", "05"), ("comprovante", "%PDF-")], 400, "invalid_body"),
        (&[("usd", "5"), ("comprovante", "%PDF-"), ("email", "ana at example.com")], 400, "invalid_email"),
        (&[("comprovante", "%PDF-")], 400, "invalid_body"),
        (&[("usd", "5")], 400, "invalid_body"),
        (&[("usd", "5"), ("comprovante", "")], 400, "invalid_body"),
        (&[("usd", "5"), ("comprovante", "%PDF-"), ("nome", "a\nb")], 400, "invalid_body"),
    ] {
        assert_eq!(app.call(form(fields)).await.refusal(), (status, code.to_owned()), "{:?}", fields.first());
    }
    let no_form = Call::new("POST", "/api/credito/pix").header("content-type", "application/json").body("{}");
    assert_eq!(app.call(no_form).await.refusal(), (400, "invalid_body".to_owned()));
    let coded = receipt(1).header("content-encoding", "gzip");
    assert_eq!(app.call(coded).await.refusal(), (415, "unsupported_media_type".to_owned()));
    // None of them counted; past the queue not even the day is looked at.
    assert_eq!(app.call(receipt(1)).await.status, 200);
    assert_eq!(
        app.call(form(&[("usd", "3"), ("comprovante", &large)])).await.refusal(),
        (503, "pix_queue_full".to_owned())
    );
}

async fn a_receipt_has_2_mib_at_most(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    for (bytes, status) in [(2_097_153, 413), (2_097_152, 200)] {
        let receipt = format!("%PDF-{}", "x".repeat(bytes - 5));
        let answer = app.call(form(&[("usd", "5"), ("comprovante", &receipt), ("nome", &"n".repeat(254))])).await;
        assert_eq!(answer.status, status, "{bytes}: {}", answer.body);
    }
}

async fn the_same_receipt_is_told_once(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    let first = app.call(receipt(1)).await.json();
    let again = app.call(receipt(1)).await;
    assert_eq!(again.refusal(), (409, "receipt_already_sent".to_owned()));
    assert_eq!((&again.json()["id"], again.json().get("credito")), (&first["id"], None));
}

async fn the_operators_copy_of_a_receipt_is_theirs_alone(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    let id = app.call(receipt(1)).await.json()["id"].as_str().unwrap().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("receipt.pdf");
    let mut show = program();
    show.args(["pix", "show", &id, "--config", "/dev/null", "--database-url", app.database.url(), "--out"]).arg(&copy);
    let shown = tokio::task::spawn_blocking(move || show.output().unwrap()).await.unwrap();
    assert_eq!(code(&shown), 0, "{}", stderr(&shown));
    assert_eq!(std::fs::read(&copy).unwrap(), b"%PDF-1.7 1");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&copy).unwrap());
        assert_eq!(mode & 0o777, 0o600);
    }
}

async fn a_network_has_so_many_requests_a_day(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    for number in 0..3 {
        assert_eq!(app.call(receipt(number)).await.status, 200);
    }
    let refused = app.call(receipt(9)).await;
    assert_eq!((refused.refusal(), refused.header("retry-after")), ((429, "rate_limited".to_owned()), "52200"));
    app.pass(Duration::from_secs(86_400));
    assert_eq!(app.call(receipt(9)).await.status, 200);
}

async fn who_is_signed_in_sends_the_same_form(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    // Without what a page of ours sends, it is not one.
    assert_eq!(app.call(session.cookie(receipt(1))).await.refusal(), (403, "invalid_origin".to_owned()));
    let call = session.cookie(receipt(1)).header("origin", &app.url("")).header("x-csrf-token", &session.csrf);
    let sent = app.call(call).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let owner = app.database.row("SELECT owner FROM credits").await;
    assert_eq!(sqlx::Row::get::<String, _>(&owner, 0), format!("account:{account}"));
}

async fn an_upload_that_breaks_off_spends_nothing(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        on(config);
        config.pix.requests_per_day = 1;
    })
    .await;
    for _ in 0..3 {
        let mut stream = app.connect([127, 0, 0, 1].into()).await;
        let head = "POST /api/credito/pix HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n\
            content-length: 1000000\r\n\r\n--b\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        // The end of it, whatever is said: the call is over then.
        let mut rest = Vec::new();
        let _ended = stream.read_to_end(&mut rest).await;
    }
    assert_eq!(app.call(receipt(1)).await.status, 200);
    assert_eq!(app.call(receipt(2)).await.refusal(), (429, "rate_limited".to_owned()));
}

async fn the_wider_network_has_so_many_requests_too(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        on(config);
        config.pix.requests_per_day = 1;
    })
    .await;
    for last in 1..=10 {
        assert_eq!(app.call(receipt(last.into()).from([127, 0, 0, last])).await.status, 200);
    }
    assert_eq!(app.call(receipt(11).from([127, 0, 0, 11])).await.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(app.call(receipt(12).from([127, 0, 1, 1])).await.status, 200);
}

async fn a_refused_request_is_told_to_whoever_spends_its_credit(database: TestDatabase) {
    let shop = Shop::beside(testkit::facilitator::TestFacilitator::start().await, database, on).await;
    let sent = shop.app.call(receipt(1)).await.json();
    let (id, token) = (sent["id"].as_str().unwrap(), sent["credito"].as_str().unwrap());
    let state = async || {
        let left = shop.app.call(Call::get("/api/credito").header("x-credito", token)).await.json();
        assert_eq!(left["saldo_micros"], 0);
        left["estado"].as_str().unwrap().to_owned()
    };
    assert_eq!(state().await, "pendente");
    assert!(shop.app.app.database().store().decide_pix(id, PixDecision::Refuse, NOW).await.unwrap());
    assert_eq!(state().await, "recusado");
    let refused = shop.app.call(shop.audit().header("x-credito", token)).await;
    assert_eq!(refused.refusal(), (402, "credit_refused".to_owned()));
    assert_eq!(refused.json()["accepts"][0]["maxAmountRequired"], "20000");
}

async fn an_operator_refuses_several_at_once(database: TestDatabase) {
    let app = TestApp::start(database, on).await;
    let mut ids = Vec::new();
    for number in 0..2 {
        ids.push(app.call(receipt(number)).await.json()["id"].as_str().unwrap().to_owned());
    }
    let unknown = "0".repeat(32);
    let mut command = program();
    command.args(["pix", "refuse", &ids[0], &unknown, &ids[1], "--config", "/dev/null"]);
    command.args(["--database-url", app.database.url()]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    // One that is not there keeps none of the others from being refused.
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains(&format!("no pending request {unknown}")), "{}", stderr(&output));
    assert_eq!(stdout(&output), "refused\nrefused\n");
    for id in ids {
        let state = app.call(Call::get(&format!("/api/credito/pix/{id}"))).await.json();
        assert_eq!(state["estado"], "recusado");
        assert!(state["decidido_em"].is_string(), "{state}");
    }
}
