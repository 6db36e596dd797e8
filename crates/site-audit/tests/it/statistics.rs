//! Statistics: visits, the panel, the published figures, and the operator's.

use std::time::Duration;

use serde_json::{Value, json};
use service::config::SecretText;
use service::counting::Event;
use service::jobs;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::api::people::OPERATOR;
use crate::app::{Call, NOW, Response, TestApp};
use crate::counting::{FIREFOX, flush, person, stored};

testkit::on_both_databases! {
    a_view_that_the_script_reports_is_counted_once,
    a_visit_that_does_not_count_says_why,
    the_panel_has_every_field,
    the_panel_goes_on_without_the_database,
    nothing_is_published_before_the_first_publication,
    the_published_figures_are_rounded_and_cacheable,
    thirty_one_days_are_published,
    two_servers_publish_once_an_hour,
    the_operators_figures_are_exact,
    what_fails_in_browsers_is_counted,
    the_board_has_this_installation_and_its_peers,
    cursors_say_how_far_counts_have_come,
    a_server_without_an_operators_token_says_so,
}

fn operating(config: &mut service::config::Config) {
    config.operator.token = Some(SecretText::new(OPERATOR));
}

fn operator(call: Call<'static>) -> Call<'static> {
    call.header("authorization", &format!("Bearer {OPERATOR}"))
}

fn visit(body: &Value) -> Call<'static> {
    person(Call::new("POST", "/api/visit").header("content-type", "application/json").body(&body.to_string()), 1)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Two people and an agent use the service, and an audit is made.
async fn use_it(app: &TestApp) {
    let site = TestSite::start(|asked| {
        if asked.path == "/" {
            SiteAnswer::html("<!doctype html><html lang=en><h1>Bread</h1>")
        } else {
            SiteAnswer::missing()
        }
    })
    .await;
    for browser in 0..2 {
        for _ in 0..60 {
            app.call(person(Call::get("/checks"), browser)).await;
        }
    }
    for _ in 0..3 {
        app.call(Call::get("/api/gate").header("user-agent", "GPTBot/1.2")).await;
    }
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    app.app.counter().add(&Event::Contact, NOW);
    flush(app).await;
}

async fn publish(app: &TestApp) {
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    jobs::work_off(&app.app).await.unwrap();
}

async fn a_view_that_the_script_reports_is_counted_once(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let page = app.call(person(Call::get("/checks"), 1)).await;
    let id = page.header("x-request-id").to_owned();
    assert_eq!(page.header("server-timing"), format!("view;desc=\"{id}\""));
    assert!(page.body.contains("<script type=\"module\" src=\"/assets/visit."), "{}", page.body);
    let counted = app.call(visit(&json!({"p": "/checks", "id": id}))).await;
    assert_eq!(counted.json(), json!({"ok": true, "counted": true}));
    flush(&app).await;
    assert_eq!(stored(&app, "calls").await.get("pagina/pessoa"), Some(&1));
    // From the cache of the browser: no server has seen it.
    assert_eq!(app.call(visit(&json!({"p": "/tools"}))).await.json()["counted"], true);
    flush(&app).await;
    assert_eq!(stored(&app, "calls").await.get("pagina/pessoa"), Some(&2));
    let missing = app.call(person(Call::get("/nowhere"), 1)).await;
    assert!(!missing.body.contains("/assets/visit."), "{}", missing.body);
}

async fn a_visit_that_does_not_count_says_why(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let at = |path: &str| visit(&json!({ "p": path }));
    for (call, reason) in [
        (visit(&json!({"p": "/", "smoke": true})), "smoke"),
        (at("/").header("x-mm-smoke", "1"), "smoke"),
        (at("/").replace("user-agent", "mm-smoke/1"), "smoke"),
        (at("/").replace("user-agent", "curl/8"), "machine"),
        (at("/").replace("user-agent", "GPTBot/1"), "machine"),
        (at("/nowhere"), "unknown_path"),
        (at("/checks/"), "unknown_path"),
        (at("/api/checks"), "unknown_path"),
    ] {
        let answer = app.call(call).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"ok": true, "counted": false, "reason": reason})));
    }
    for path in ["/", "/r/some-slug", "/checks/title_missing", "/conta/global", "cli"] {
        assert_eq!(app.call(at(path)).await.json()["counted"], true, "{path}");
    }
    for _ in 0..60 {
        app.call(at("/").from([127, 0, 0, 9])).await;
    }
    assert_eq!(app.call(at("/").from([127, 0, 0, 9])).await.json()["reason"], "too_many");
    app.pass(Duration::from_secs(60));
    assert_eq!(app.call(at("/").from([127, 0, 0, 9])).await.json()["counted"], true);
    assert_eq!(app.call(Call::new("POST", "/api/visit").body("{}")).await.refusal(), (400, "invalid_body".to_owned()));
    flush(&app).await;
    assert_eq!(stored(&app, "calls").await.get("pagina/pessoa"), Some(&65));
    assert_eq!(stored(&app, "event").await.get("cli"), Some(&1));
}

async fn the_panel_has_every_field(database: TestDatabase) {
    let app = TestApp::start(database, operating).await;
    let guest = app.guest().await;
    let open = Call::new("POST", "/api/tabs").token(&guest).body(r#"{"url":"https://example.com/"}"#);
    assert_eq!(app.call(open).await.status, 200);
    use_it(&app).await;
    let panel = app.call(Call::get("/api/metrics")).await.json();
    assert_eq!(keys(&panel), ["app", "today", "today_visits", "days", "usage", "accounts", "achados"]);
    assert_eq!(
        (&panel["app"], &panel["today"], &panel["today_visits"]),
        (&"site-audit".into(), &"2026-01-31".into(), &120.into())
    );
    let days = panel["days"].as_array().unwrap();
    assert_eq!((days.len(), &days[0]["day"]), (7, &"2026-01-25".into()));
    assert_eq!(
        days[6],
        json!({"day": "2026-01-31", "visits": 120, "visitors": 2, "api": 6, "agents": 3, "machines": 3, "audits": 1})
    );
    assert_eq!(
        panel["usage"],
        json!({"audits_today": 1, "audits_7d": 1, "audits_total": 1, "verifications_7d": 0, "labs_7d": 0,
            "tabs_open": 1, "tabs_watched": 0, "shares_live": 0})
    );
    assert_eq!(panel["accounts"], json!({"guests_7d": 1, "accounts_total": 0, "organizations_total": 0, "new_7d": 0}));
    let findings = &panel["achados"];
    assert_eq!(findings["audits"], 1);
    let first = &findings["por_codigo"][0];
    assert_eq!(keys(first), ["code", "n", "audits", "fracao_audits"]);
    assert_eq!((&first["n"], &first["audits"], first["fracao_audits"].as_f64()), (&1.into(), &1.into(), Some(1.0)));
    let extended = app.call(operator(Call::get("/api/metrics"))).await.json();
    assert_eq!(extended["today_contacts"], 1);
    assert_eq!(extended["financeiro"], json!({"hoje_usd": "0.000000", "hoje_count": 0, "rede": "base-sepolia"}));
    assert_eq!(extended.get("payments"), None, "test money is none");
    let wrong = Call::get("/api/metrics").header("authorization", "Bearer something");
    assert_eq!(app.call(wrong).await.refusal(), (401, "invalid_credential".to_owned()));
}

async fn the_panel_goes_on_without_the_database(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    use_it(&app).await;
    let before = app.call(Call::get("/api/metrics")).await.json();
    app.app.database().store().close().await;
    app.pass(Duration::from_secs(3_601));
    let after = app.call(Call::get("/api/metrics")).await;
    assert_eq!((after.status, &after.json()["days"]), (200, &before["days"]));
    assert_eq!(after.json()["achados"], Value::Null);
}

async fn nothing_is_published_before_the_first_publication(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let answer = app.call(Call::get("/api/vitrine")).await;
    let wanted = json!({"v": 1, "produto": "site-audit", "publicado": false, "atualizado_em": null, "stale": true});
    assert_eq!((answer.status, answer.json()), (200, wanted));
}

async fn the_published_figures_are_rounded_and_cacheable(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    use_it(&app).await;
    publish(&app).await;
    let answer = app.call(Call::get("/api/vitrine").header("accept-encoding", "gzip, br")).await;
    let showcase = answer.json();
    assert_eq!(
        keys(&showcase),
        [
            "v",
            "produto",
            "publicado",
            "atualizado_em",
            "stale",
            "nome",
            "desde",
            "fuso",
            "hoje",
            "dias",
            "janelas",
            "visitantes",
            "pessoas",
            "agentes",
            "superficies",
            "mcp",
            "uso",
            "contas",
            "confiabilidade",
            "catalogo",
            "apoio"
        ]
    );
    let today = json!({"paginas": 120, "api": 4, "api_ia": 3, "maquina": 1, "visitantes": 2, "uso": 1});
    assert_eq!((&showcase["hoje"], &showcase["janelas"]), (&today, &json!({"d7": today, "d30": today})));
    assert_eq!((&showcase["desde"], &showcase["fuso"]), (&"2026-01-31".into(), &"UTC".into()));
    assert_eq!(showcase["dias"].as_array().unwrap().len(), 1);
    assert_eq!(showcase["pessoas"], json!({"d7": 120, "d30": 120, "idiomas": {"pt": 1.0}}));
    assert_eq!(showcase["agentes"], json!({"d7": 3, "d30": 3, "nomes": [{"nome": "GPTBot", "chamadas": 3}]}));
    assert_eq!(showcase["superficies"], json!({"api": 4, "pagina": 120}));
    assert_eq!(showcase["apoio"], json!({"patrocinadores": null, "creditos_usd": null}));
    assert_eq!(showcase["confiabilidade"]["disponibilidade"], Value::Null, "nothing was measured");
    // Rounded, and of these bytes.
    for _ in 0..4 {
        app.call(person(Call::get("/tools"), 0)).await;
    }
    flush(&app).await;
    assert_eq!(app.call(Call::get("/api/vitrine")).await.json()["hoje"]["paginas"], 120);
    app.pass(Duration::from_secs(3_600));
    publish(&app).await;
    let later = app.call(Call::get("/api/vitrine")).await;
    assert_eq!(later.json()["hoje"]["paginas"], 120, "124 with two digits");
    for answer in [&answer, &later] {
        assert_eq!(answer.header("cache-control"), "public, max-age=900");
        assert!(answer.header("etag").starts_with('"'), "{}", answer.header("etag"));
        assert_eq!(answer.header("content-encoding"), "");
    }
    assert_ne!(answer.header("etag"), later.header("etag"));
    let known = app.call(Call::get("/api/vitrine").header("if-none-match", later.header("etag"))).await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    app.pass(Duration::from_secs(26 * 3_600));
    assert_eq!(app.call(Call::get("/api/vitrine")).await.json()["stale"], false);
    app.pass(Duration::from_secs(1));
    let stale = app.call(Call::get("/api/vitrine").header("if-none-match", later.header("etag"))).await;
    assert_eq!((stale.status, &stale.json()["stale"]), (200, &true.into()));
}

async fn thirty_one_days_are_published(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let today = NOW.day().0;
    let rows: Vec<String> = (today - 40..=today).map(|day| format!("({day}, 'calls', 'pagina/pessoa', 7)")).collect();
    app.database.execute(&format!("INSERT INTO day_counts (day, kind, name, n) VALUES {}", rows.join(", "))).await;
    publish(&app).await;
    let days = app.call(Call::get("/api/vitrine")).await.json()["dias"].clone();
    let days: Vec<&str> = days.as_array().unwrap().iter().map(|day| day["dia"].as_str().unwrap()).collect();
    assert_eq!((days.len(), days[0], days[30]), (31, "2026-01-01", "2026-01-31"));
}

async fn two_servers_publish_once_an_hour(database: TestDatabase) {
    let one = TestApp::start(database, |_| {}).await;
    // SQLite has one server: there it is told twice.
    let second = if one.database.is_postgres() { Some(TestApp::start_on(&one, |_| {}).await) } else { None };
    let other = second.as_ref().unwrap_or(&one);
    for app in [&one, other] {
        jobs::schedule(&app.app, NOW).await.unwrap();
    }
    let (a, b) = tokio::join!(jobs::work_off(&one.app), jobs::work_off(&other.app));
    // The purge and the publication.
    assert_eq!(a.unwrap() + b.unwrap(), 2);
    for app in [&one, other] {
        assert_eq!(app.call(Call::get("/api/vitrine")).await.json()["publicado"], true);
    }
}

async fn the_operators_figures_are_exact(database: TestDatabase) {
    let app = TestApp::start(database, operating).await;
    use_it(&app).await;
    for _ in 0..4 {
        app.call(person(Call::get("/tools"), 0)).await;
    }
    let error =
        Event::ClientError { code: "UI-JS-001".to_owned(), phase: "load".to_owned(), path: "/r/{slug}".to_owned() };
    app.app.counter().add(&error, NOW);
    app.app.counter().add(&Event::RefusedTarget("target_blocked"), NOW);
    flush(&app).await;
    jobs::schedule(&app.app, NOW).await.unwrap();
    app.pass(Duration::from_secs(5));
    let answer = app.call(operator(Call::get("/api/vitrine/operador"))).await.json();
    assert_eq!(keys(&answer), ["produto", "atualizado_em", "operador"]);
    let figures = &answer["operador"];
    assert_eq!(figures["hoje"]["paginas"], 124);
    assert_eq!(figures["erros_cliente"], json!([{"code": "UI-JS-001", "phase": "load", "path": "/r/{slug}", "n": 1}]));
    assert_eq!(figures["alvos_recusados"], json!([{"motivo": "target_blocked", "n": 1}]));
    assert_eq!(figures["filas"], json!([{"fila": "upkeep", "esperando": 2, "mais_antigo_s": 5, "falhos": 0}]));
    assert_eq!(
        (&figures["pix_pendente"], &figures["pagamentos_sem_desfecho"], &figures["receita"]),
        (&0.into(), &0.into(), &json!([]))
    );
    let route = &figures["rotas"][0];
    assert_eq!(keys(route), ["rota", "chamadas", "p50_ms", "p99_ms", "fracao_4xx", "fracao_5xx"]);
    assert_eq!(
        (&route["rota"], &route["chamadas"], route["fracao_5xx"].as_f64()),
        (&"GET /checks".into(), &120.into(), Some(0.0))
    );
    // The operator's own calls are no use of the service.
    flush(&app).await;
    assert_eq!(stored(&app, "calls").await.get("api/maquina"), Some(&1));
}

async fn the_board_has_this_installation_and_its_peers(database: TestDatabase) {
    let sums = json!({"paginas": 1000, "api": 20, "api_ia": null, "maquina": 5, "visitantes": 7, "uso": 3});
    let published = json!({"v": 1, "produto": "other", "nome": "Other", "hoje": sums, "janelas": {"d7": sums, "d30": sums},
        "confiabilidade": {"disponibilidade": 0.5}});
    let peer = TestSite::start(move |asked| match asked.path.as_str() {
        "/api/vitrine" => SiteAnswer::page(200, "application/json", &published.to_string()),
        _ => SiteAnswer::missing(),
    })
    .await;
    let broken = TestSite::start(|_| SiteAnswer::page(200, "application/json", &"x".repeat(70_000))).await;
    let origin = |site: &TestSite| site.url("/").trim_end_matches('/').to_owned();
    let peers = vec![origin(&peer), origin(&broken)];
    let app = TestApp::start(database, |config| {
        operating(config);
        config.showcase.peers = peers;
    })
    .await;
    use_it(&app).await;
    publish(&app).await;
    app.pass(Duration::from_secs(90));
    let board = app.call(operator(Call::get("/api/vitrine/painel"))).await.json();
    assert_eq!(keys(&board), ["apps", "updated", "totals"]);
    let apps = board["apps"].as_array().unwrap();
    assert_eq!(keys(&apps[0]), ["produto", "nome", "base_url", "hoje", "d7", "d30", "confiabilidade", "idade_s"]);
    assert_eq!(
        apps.iter().map(|app| app["produto"].clone()).collect::<Vec<_>>(),
        ["site-audit".into(), "other".into(), Value::Null]
    );
    assert_eq!(apps.iter().map(|app| app["idade_s"].clone()).collect::<Vec<_>>(), [json!(0), json!(90), Value::Null]);
    assert_eq!((&apps[1]["d7"], &apps[1]["confiabilidade"]["disponibilidade"]), (&sums, &json!(0.5)));
    assert_eq!(board["totals"]["hoje"]["paginas"], 1120);
}

async fn what_fails_in_browsers_is_counted(database: TestDatabase) {
    let app = TestApp::start(database, operating).await;
    let report = |path: &str| {
        let error = json!({"code": "UI-JS-001", "phase": "run", "path": path, "message": "ana@example.com"});
        Call::new("POST", "/api/erro-cliente").body(&error.to_string())
    };
    let smoke = report("/tools").header("x-mm-smoke", "1");
    for call in [report("/tools"), smoke, report("/tools?mail=ana@example.com")] {
        assert_eq!(app.call(call).await.status, 204);
    }
    flush(&app).await;
    let figures = app.call(operator(Call::get("/api/vitrine/operador"))).await.json();
    let wanted = json!([{"code": "UI-JS-001", "phase": "run", "path": "/tools", "n": 2}]);
    assert_eq!(figures["operador"]["erros_cliente"], wanted);
}

async fn cursors_say_how_far_counts_have_come(database: TestDatabase) {
    let app = TestApp::start(database, operating).await;
    let cursors = async || app.call(operator(Call::get("/api/vitrine/cursores"))).await.json();
    assert_eq!(cursors().await, json!({}));
    app.call(person(Call::get("/checks"), 1)).await;
    flush(&app).await;
    let at = "2026-01-31T09:30:00.000Z";
    assert_eq!(cursors().await, json!({"site-audit": {"borda": at}}));
    app.pass(Duration::from_secs(60));
    app.call(visit(&json!({"p": "cli"})).replace("user-agent", "site-audit/1")).await;
    flush(&app).await;
    assert_eq!(cursors().await, json!({"site-audit": {"borda": at, "cli": "2026-01-31T09:31:00.000Z"}}));
}

async fn a_server_without_an_operators_token_says_so(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for path in ["/api/vitrine/operador", "/api/vitrine/painel", "/api/vitrine/cursores"] {
        for call in [Call::get(path), operator(Call::get(path)), Call::get(path).header("x-api-key", "mmk_unknown")] {
            assert_eq!(app.call(call).await.refusal(), (503, "operator_unavailable".to_owned()), "{path}");
        }
    }
    let operating = TestApp::start_on(&app, operating).await;
    operating.app.database().store().close().await;
    for path in ["/api/vitrine/operador", "/api/vitrine/painel", "/api/vitrine/cursores"] {
        let refused = operating.call(operator(Call::get(path))).await.refusal();
        assert_eq!(refused, (503, "operator_unavailable".to_owned()), "{path}");
    }
    let page: Response = app.call(Call::get("/operator").header("user-agent", FIREFOX)).await;
    assert_eq!(page.status, 503);
}
