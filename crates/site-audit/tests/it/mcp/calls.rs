//! Tools: the operations of the catalog, called.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::{legacy, listed, modern, tool};
use crate::app::{Call, TestApp};
use crate::payments::{Shop, encoded, moved, required, signed};
use crate::schema::misfit;

testkit::on_both_databases! {
    every_tool_is_an_operation_and_the_list_stays_as_it_is,
    an_audit_is_made_read_and_patched_by_tools,
    what_is_refused_is_a_result_that_says_what_to_do,
    a_spent_allowance_asks_for_a_payment_inside_the_result,
    a_tool_is_paid_beside_its_arguments,
    a_cookie_is_nobody,
    a_credit_is_looked_at_and_listed_by_tools,
    what_is_not_listed_is_told_and_called_by_a_pair_of_tools,
}

const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>";

async fn site() -> TestSite {
    TestSite::start(|asked| if asked.path == "/" { SiteAnswer::html(PAGE) } else { SiteAnswer::missing() }).await
}

/// Whether a value fits a schema that holds all it refers to.
fn fits(value: &Value, schema: &Value) -> bool {
    misfit(value, schema, schema).is_none()
}

async fn every_tool_is_an_operation_and_the_list_stays_as_it_is(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let first = app.call(legacy("tools/list", &json!({}))).await;
    assert_eq!(first.body, app.call(legacy("tools/list", &json!({})).token("pa_x")).await.body);
    let known: BTreeSet<&str> = app.site.operations().iter().map(|operation| operation.name).collect();
    let tools = first.json()["result"]["tools"].as_array().unwrap().clone();
    let mut names: BTreeSet<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), tools.len(), "a name comes twice");
    assert!(names.remove("list_operations") && names.remove("call_operation"));
    assert!(names.is_subset(&known) && names.contains("audit_page"), "{names:?}");
    // The contract counts so many; a model reads them at every start.
    assert!((20..=25).contains(&tools.len()), "{names:?}");
    assert!(first.body.len() <= 30 * 1024, "{} bytes", first.body.len());
    for tool in &tools {
        for field in ["title", "description", "inputSchema", "annotations"] {
            assert!(tool.get(field).is_some(), "{field} of {}", tool["name"]);
        }
    }
    let audit = &tools.iter().find(|tool| tool["name"] == "audit_page").unwrap()["annotations"];
    assert_eq!((&audit["readOnlyHint"], &audit["openWorldHint"]), (&false.into(), &true.into()));
    let read = &tools.iter().find(|tool| tool["name"] == "get_audit").unwrap()["annotations"];
    assert_eq!((&read["readOnlyHint"], &read["openWorldHint"]), (&true.into(), &false.into()));
}

async fn an_audit_is_made_read_and_patched_by_tools(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let made = tool(&app, "create_guest", json!({}), |call| call).await;
    let token = made["structuredContent"]["token"].as_str().unwrap().to_owned();
    let audit = tool(&app, "audit_page", json!({"url": site.url("/")}), |call| call.token(&token)).await;
    assert_eq!(audit["isError"], false, "{audit}");
    let report = &audit["structuredContent"];
    assert!(report["issues"].as_array().is_some_and(|issues| !issues.is_empty()));
    let text = audit["content"][0]["text"].as_str().unwrap();
    assert!(text.len() <= 2_500, "{} bytes", text.len());
    for field in ["score", "id"] {
        let value = report[field].to_string();
        assert!(text.contains(&format!("{field}: {}", value.trim_matches('"'))), "{text}");
    }
    // For clients that show no structured content.
    let whole = tool(&app, "get_audit", json!({"id": report["id"], "format": "json"}), |call| call.token(&token)).await;
    let shown: Value = serde_json::from_str(whole["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&shown["score"], whole.get("structuredContent")), (&report["score"], None));
    assert!(fits(report, &listed(&app, "audit_page").await["outputSchema"]));
    for name in ["get_audit", "get_patch"] {
        let arguments = json!({"id": report["id"], "lang": "pt-BR"});
        let read = tool(&app, name, arguments.clone(), |call| call.token(&token)).await;
        assert_eq!(read["isError"], false, "{read}");
        assert!(fits(&read["structuredContent"], &listed(&app, name).await["outputSchema"]), "{name}");
        let stranger = tool(&app, name, arguments.clone(), |call| call).await;
        assert_eq!(stranger["structuredContent"]["code"], "guest_token_required");
        let mut with_token = arguments;
        with_token["guest_token"] = token.as_str().into();
        assert_eq!(tool(&app, name, with_token, |call| call).await["isError"], false);
    }
    // For clients that take an address and no headers.
    let mut call = legacy("tools/call", &json!({"name": "get_audit", "arguments": {"id": report["id"]}}));
    call.path = format!("/mcp?guest_token={token}");
    assert_eq!(app.call(call).await.json()["result"]["isError"], false);
}

async fn what_is_refused_is_a_result_that_says_what_to_do(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (name, arguments, code) in [
        ("audit_page", json!({}), "invalid_body"),
        ("audit_page", json!({"url": 1}), "invalid_body"),
        ("audit_page", json!({"url": "ftp://x/"}), "invalid_url"),
        ("audit_page", json!({"url": "http://10.0.0.1/"}), "address_not_allowed"),
        ("audit_page", json!({"url": "https://example.com/", "guest_token": "pa_x"}), "guest_token_invalid"),
        ("audit_page", json!({"URL": "https://example.com/"}), "invalid_parameter"),
        ("audit_page", json!({"url": "https://example.com/", "lang": "xx"}), "invalid_parameter"),
        ("audit_page", json!({"url": "x".repeat(70_000)}), "body_too_large"),
        ("get_check", json!({"code": "title_mising"}), "check_not_found"),
    ] {
        let result = tool(&app, name, arguments, |call| call).await;
        let body = &result["structuredContent"];
        assert_eq!((&result["isError"], &body["code"]), (&true.into(), &code.into()), "{result}");
        assert!(fits(body, &listed(&app, name).await["outputSchema"]), "{body}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(body["error"].as_str().unwrap().trim_end_matches('.')), "{text}");
    }
    let wrong = tool(&app, "get_health", json!({}), |call| call.header("authorization", "Bearer x")).await;
    assert_eq!(wrong["structuredContent"]["code"], "invalid_credential");
    // Null is how a model leaves something out.
    let left_out = tool(&app, "get_health", json!({"lang": null}), |call| call).await;
    assert_eq!(left_out["isError"], false);
    for call in [legacy, modern] {
        let unknown = app.call(call("tools/call", &json!({"name": "nothing", "arguments": {}}))).await;
        assert_eq!((unknown.status, &unknown.json()["error"]["code"]), (200, &(-32_602).into()));
    }
    for params in [json!({}), json!({"name": 1}), json!({"name": "get_health", "arguments": []})] {
        let refused = app.call(legacy("tools/call", &params)).await;
        assert_eq!(refused.json()["error"]["code"], -32_602, "{params}");
    }
}

async fn a_spent_allowance_asks_for_a_payment_inside_the_result(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
        config.limits.free_audits_per_day = 0;
    })
    .await;
    let asked = tool(&app, "audit_page", json!({"url": site.url("/")}), |call| call).await;
    let demand = &asked["structuredContent"];
    assert_eq!((&asked["isError"], &demand["code"]), (&true.into(), &"allowance_spent".into()));
    assert_eq!((&demand["x402Version"], &demand["accepts"][0]["amount"]), (&2.into(), &"20000".into()));
    assert_eq!(demand["resource"]["url"], app.url("/api/audit"));
    assert!(fits(demand, &listed(&app, "audit_page").await["outputSchema"]), "{demand}");
    // What can't be a payment is told as over HTTP.
    for (payment, code) in [
        (json!({"x402Version": 3}), "payment_refused"),
        (json!({"x402Version": "1"}), "invalid_payment"),
        (json!(1), "invalid_payment"),
    ] {
        let over_http = app.call(Call::audit(&site.url("/")).header("PAYMENT-SIGNATURE", &encoded(&payment))).await;
        let paid =
            json!({"name": "audit_page", "arguments": {"url": site.url("/")}, "_meta": {"x402/payment": payment}});
        let refused = app.call(modern("tools/call", &paid)).await.json();
        let refused = &refused["result"]["structuredContent"];
        assert_eq!(refused["code"], code, "{refused}");
        for same in ["code", "detail"] {
            assert_eq!(refused[same], over_http.json()[same], "{refused}");
        }
        assert_eq!(refused["accepts"].is_array(), over_http.status == 402, "{refused}");
    }
}

async fn a_tool_is_paid_beside_its_arguments(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let arguments = json!({"url": shop.site.url("/")});
    let asked = tool(&shop.app, "audit_page", arguments.clone(), |call| call).await;
    let over_http = shop.app.call(shop.audit()).await;
    assert_eq!(asked["structuredContent"]["accepts"], required(&over_http)["accepts"]);
    for payment in [signed(&over_http, 1, 1).version_2(), signed(&over_http, 1, 2).version_1()] {
        let meta = json!({ "x402/payment": payment });
        let params = json!({"name": "audit_page", "arguments": arguments, "_meta": meta});
        let result = &shop.app.call(legacy("tools/call", &params)).await.json()["result"];
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(result["structuredContent"]["summary"]["title"], "t");
        assert_eq!(result["_meta"]["x402/payment-response"]["success"], true, "{result}");
    }
    let header = encoded(&signed(&over_http, 1, 3).version_2());
    let paid = tool(&shop.app, "audit_page", arguments, |call| call.header("payment-signature", &header)).await;
    assert_eq!(paid["_meta"]["x402/payment-response"]["success"], true, "{paid}");
    assert_eq!(moved(&shop.facilitator), 60_000);
}

async fn a_cookie_is_nobody(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let token = app.guest().await;
    let audit = tool(&app, "audit_page", json!({"url": site.url("/")}), |call| call.token(&token)).await;
    let id = &audit["structuredContent"]["id"];
    let cookie = format!("mm-guest={token}");
    let read = tool(&app, "get_audit", json!({ "id": id }), |call| call.header("cookie", &cookie)).await;
    assert_eq!(read["structuredContent"]["code"], "guest_token_required");
}

async fn a_credit_is_looked_at_and_listed_by_tools(database: TestDatabase) {
    let shop = Shop::open(database).await;
    let guest = shop.app.guest().await;
    let buy = || Call::new("POST", "/api/credito?usd=5").token(&guest);
    let sold = shop.app.call(signed(&shop.app.call(buy()).await, 1, 1).pays(buy())).await.json();
    let credit = sold["token"].as_str().unwrap();
    let read = tool(&shop.app, "get_credit", json!({}), |call| call.header("x-credito", credit)).await;
    assert_eq!((&read["isError"], &read["structuredContent"]["saldo_usd"]), (&false.into(), &"5.00".into()), "{read}");
    let own = tool(&shop.app, "list_credits", json!({}), |call| call.token(&guest)).await;
    let listed_credit = &own["structuredContent"]["creditos"][0];
    assert_eq!((&listed_credit["saldo_usd"], &listed_credit["estado"]), (&"5.00".into(), &"ativo".into()), "{own}");
    for (name, answer) in [("get_credit", &read), ("list_credits", &own)] {
        assert_eq!(answer["isError"], false, "{name}");
        assert!(!answer.to_string().contains(credit), "{name}");
    }
    let told = tool(&shop.app, "list_operations", json!({"name": "get_credit"}), |call| call).await;
    assert!(told["content"][0]["text"].as_str().unwrap().contains("X-Credito"), "{told}");
    for (name, code) in [("get_credit", "credit_required"), ("list_credits", "guest_token_required")] {
        let nobody = tool(&shop.app, name, json!({}), |call| call).await;
        assert_eq!((&nobody["isError"], &nobody["structuredContent"]["code"]), (&true.into(), &code.into()));
    }
    let unknown = format!("cred_{}", "A".repeat(43));
    let wrong = tool(&shop.app, "get_credit", json!({}), |call| call.header("x-credito", &unknown)).await;
    assert_eq!(wrong["structuredContent"]["code"], "invalid_credential");
}

async fn what_is_not_listed_is_told_and_called_by_a_pair_of_tools(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let told = tool(&app, "list_operations", json!({}), |call| call).await;
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("get_pix_offer") && !text.contains("\"audit_page\"") && text.len() < 8_000, "{text}");
    let one = tool(&app, "list_operations", json!({"name": "audit_page"}), |call| call).await;
    let described: Value = serde_json::from_str(one["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&described["path"], &described["method"]), (&"/api/audit".into(), &"POST".into()));
    let arguments = json!({"name": "get_health", "arguments": {}, "lang": "pt-BR"});
    let called = tool(&app, "call_operation", arguments, |call| call).await;
    assert_eq!((&called["isError"], &called["structuredContent"]["ok"]), (&false.into(), &true.into()), "{called}");
    // By its own name it is called as ever.
    assert_eq!(tool(&app, "get_health", json!({}), |call| call).await["isError"], false);
    for (name, arguments, detail) in [
        ("call_operation", json!({"name": "get_helth"}), "did you mean: get_health"),
        ("call_operation", json!({"name": "get_health", "argumnets": {}}), "did you mean: arguments"),
        ("call_operation", json!({"name": "get_health", "arguments": {"x": 1}}), "x: "),
        ("call_operation", json!({"name": "get_health", "arguments": []}), "must be an object"),
        ("call_operation", json!({}), "unknown operation"),
        ("call_operation", json!({"name": "call_operation"}), "unknown operation"),
        ("list_operations", json!({"name": "audit_pge"}), "audit_page"),
        ("list_operations", json!({"nam": "x"}), "did you mean: name"),
    ] {
        let refused = tool(&app, name, arguments, |call| call).await;
        let body = &refused["structuredContent"];
        assert_eq!((&refused["isError"], &body["code"]), (&true.into(), &"invalid_parameter".into()), "{refused}");
        assert!(body["detail"].as_str().unwrap().contains(detail), "{body}");
    }
}
