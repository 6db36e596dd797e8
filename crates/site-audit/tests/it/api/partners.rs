//! What is offered to partners, from the configuration.

use std::time::Duration;

use serde_json::{Value, json};
use service::config::Config;
use testkit::{MailServer, TestDatabase};

use super::contact::receiving;
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    the_offer_is_that_of_the_configuration,
    sponsors_come_and_go_by_their_days,
    without_an_offer_there_is_nothing,
    a_proposal_names_placements_that_there_are,
}

/// An offer with a placement, a partnership, and a sponsor of today (2026-01-31) and one of tomorrow.
pub(crate) fn offering(config: &mut Config) {
    let sponsor = |id: &str, from: &str, until: &str| {
        json!({"id": id, "name": format!("Sponsor {id}"), "url": format!("https://{id}.example/"),
            "line": {"en": "Bread", "pt": "Pão"}, "placements": ["hub"], "from": from, "until": until})
    };
    config.partners = serde_json::from_value(json!({
        "enabled": true,
        "description": {"en": "Support the audits.", "pt": "Apoie as auditorias."},
        "audience": {"en": "Developers", "pt": "Desenvolvedores"},
        "policy": {"en": "Reports are not for sale.", "pt": "Relatórios não estão à venda."},
        "placements": [{"id": "hub", "name": {"en": "Tools page", "pt": "Página de ferramentas"}, "where": "/tools",
            "format": {"en": "One line", "pt": "Uma linha"}, "exclusive": true, "price_usd_30d": 50}],
        "house_bundle": [{"name": {"en": "All together", "pt": "Todos juntos"},
            "description": {"en": "Every placement", "pt": "Todos os espaços"}, "price_usd_30d": 1250}],
        "partnerships": [{"name": "Acme", "url": "https://acme.example/",
            "description": {"en": "Hosting", "pt": "Hospedagem"}}],
        "sponsors": [sponsor("now", "2026-01-01", "2026-01-31"), sponsor("next", "2026-02-01", "2026-02-01")],
    }))
    .unwrap();
    config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
}

fn sponsors(document: &Value) -> Vec<&str> {
    document["current_sponsors"].as_array().unwrap().iter().map(|sponsor| sponsor["id"].as_str().unwrap()).collect()
}

async fn the_offer_is_that_of_the_configuration(database: TestDatabase) {
    let app = TestApp::start(database, offering).await;
    let answer = app.call(Call::get("/api/partners?lang=pt-BR")).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, "public, max-age=3600"));
    assert!(!answer.header("etag").is_empty() && answer.header("vary").contains("Accept-Language"));
    let document = answer.json();
    let keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = "status produto idioma titulo descricao publico modalidades placements house_bundle parcerias \
        current_sponsors stats payment contact politica _links";
    assert_eq!(keys, wanted.split_whitespace().collect::<Vec<_>>());
    assert_eq!((&document["status"], &document["idioma"]), (&json!("sob_consulta"), &json!("pt-BR")));
    assert_eq!(document["descricao"], "Apoie as auditorias.");
    assert_eq!(document["modalidades"][0], json!({"id": "patrocinio", "nome": "patrocínio"}));
    assert_eq!(
        document["placements"][0],
        json!({"id": "hub", "nome": "Página de ferramentas", "onde": "/tools", "formato": "Uma linha", "exclusivo": true,
            "medicao": null, "price_usd_30d": 50.0, "exposure": [{"dias": 30, "price_usd": 50.0},
            {"dias": 90, "price_usd": null}, {"dias": 365, "price_usd": null}], "disponivel": true})
    );
    assert_eq!(
        document["current_sponsors"][0],
        json!({"id": "now", "nome": "Sponsor now", "url": "https://now.example/", "frase": "Pão", "espacos": ["hub"],
            "ate": "2026-01-31"})
    );
    let payment = &document["payment"];
    let to = format!("0x{}", "1".repeat(40));
    assert_eq!(
        (&payment["rede"], &payment["chain_id"], &payment["ativo"]),
        (&json!("base-sepolia"), &json!(84532), &json!(true))
    );
    let transfer = payment["eip681"].as_str().unwrap();
    assert!(
        transfer.starts_with("ethereum:0x") && transfer.ends_with(&format!("@84532/transfer?address={to}")),
        "{transfer}"
    );
    assert_eq!(document["contact"]["campos"], json!(["name", "email", "message"]));
    assert_eq!(document["contact"]["campos_proposta"].as_array().unwrap().len(), 7);
    assert_eq!(document["_links"]["page"], app.url("/partners"));
    for (lang, said) in [("en", "Reports are not for sale."), ("pt-BR", "Relatórios não estão à venda.")] {
        let page = app.call(Call::get(&format!("/partners?lang={lang}"))).await;
        assert!(page.status == 200 && page.body.contains(said), "{}", page.body);
        assert!(page.body.contains("<a href=\"https://now.example/\" rel=\"sponsored noopener\">"), "{}", page.body);
        let told = [
            ("Audience: Developers", "Público: Desenvolvedores"),
            ("All together", "Todos juntos"),
            ("Every placement", "Todos os espaços"),
            ("30 days: <b>1,250.00 USD", "30 dias: <b>1.250,00 USD"),
            ("Hosting", "Hospedagem"),
            ("One line", "Uma linha"),
            ("Independence", "Independência"),
        ];
        for (en, pt) in told {
            let (own, other) = if lang == "en" { (en, pt) } else { (pt, en) };
            assert!(page.body.contains(own) && !page.body.contains(other), "{own}: {}", page.body);
        }
        let home = app.call(Call::get(&format!("/?lang={lang}"))).await;
        assert!(home.body.contains(&format!("<a href=\"/partners?lang={lang}\">")), "{}", home.body);
        assert!(!home.body.contains("now.example"), "{}", home.body);
    }
}

async fn sponsors_come_and_go_by_their_days(database: TestDatabase) {
    let app = TestApp::start(database, offering).await;
    // It is 2026-01-31T09:30:00Z, and both days belong to a sponsor.
    for (hours, wanted) in [(0, vec!["now"]), (14, vec!["now"]), (1, vec!["next"]), (23, vec!["next"]), (1, vec![])] {
        app.pass(Duration::from_secs(hours * 3_600));
        let document = app.call(Call::get("/api/partners")).await.json();
        assert_eq!(sponsors(&document), wanted);
        let page = app.call(Call::get("/partners")).await;
        assert_eq!(page.body.contains("rel=\"sponsored noopener\""), !wanted.is_empty());
    }
}

async fn without_an_offer_there_is_nothing(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    assert_eq!(app.call(Call::get("/api/partners")).await.refusal(), (404, "not_found".to_owned()));
    assert_eq!(app.call(Call::get("/partners")).await.status, 404);
    assert!(!app.call(Call::get("/")).await.body.contains("/partners"));
}

async fn a_proposal_names_placements_that_there_are(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, |config| {
        offering(config);
        receiving(&server)(config);
    })
    .await;
    let proposal = |placement: &str| {
        let form = json!({"name": "Ana", "email": "ana@example.com", "message": "Hello", "tipo": "anuncio",
            "espaco": [placement]});
        Call::new("POST", "/api/contact").body(&form.to_string())
    };
    assert_eq!(app.call(proposal("other")).await.refusal(), (400, "invalid_espaco".to_owned()));
    assert_eq!(app.call(proposal("hub")).await.status, 200);
    let page = app.call(Call::get("/contact?lang=en&tipo=anuncio&espaco=hub")).await;
    let box_of = "<input type=\"checkbox\" name=\"espaco\" value=\"hub\" checked>";
    assert!(page.body.contains(box_of), "{}", page.body);
}
