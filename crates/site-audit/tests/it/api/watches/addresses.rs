//! Where alerts go: the address of the account, or another that agreed.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Mood, TestDatabase};

use super::super::people;
use super::super::tabs::{BAD, GOOD};
use super::Watching;
use crate::app::Call;

testkit::on_both_databases! {
    a_link_stops_the_alerts_with_one_click,
    another_address_is_asked_first,
    an_organization_s_alerts_go_to_nobody_until_an_address_agreed,
    an_address_can_be_asked_only_where_mail_is_sent,
    an_alert_waits_for_a_mail_server_that_is_down,
    an_alert_speaks_the_language_of_the_account,
}

async fn a_link_stops_the_alerts_with_one_click(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(Some(BAD));
    watching.next_day().await;
    let link = watching.letters()[0].link(&watching.app.url("/watch/stop"));
    // Programs that read mail look at links.
    let looked = watching.follow("GET", &link, "").await;
    assert_eq!((looked.status, looked.header("referrer-policy")), (200, "no-referrer"));
    assert!(looked.header("cache-control").contains("no-store"));
    // Another language or theme leads back to the same page; the browser says of it neither address nor origin.
    let token = link.split_once("token=").unwrap().1.split('&').next().unwrap();
    assert!(looked.body.contains(&format!("href=\"?lang=pt-BR&#38;token={token}\"")), "{}", looked.body);
    let back = format!("/watch/stop?lang=en&token={token}");
    assert!(
        looked.body.contains(&format!("name=\"back\" value=\"{}\"", back.replace('&', "&#38;"))),
        "{}",
        looked.body
    );
    for (site, status) in [("same-origin", 303), ("cross-site", 403)] {
        let body = format!("theme=dark&back={}", back.replace('&', "%26"));
        let chosen = Call::new("POST", "/theme").header("origin", "null").header("sec-fetch-site", site).body(&body);
        let chosen = watching.app.call(chosen).await;
        assert_eq!((chosen.status, chosen.header("location") == back), (status, status == 303), "{site}");
    }
    assert_eq!(watching.tab(&id).await["monitor"], true);
    let clicked = watching.follow("POST", &link, "List-Unsubscribe=One-Click").await;
    assert_eq!(clicked.status, 200, "{}", clicked.body);
    assert_eq!(watching.tab(&id).await["monitor"], false);
    for (method, path, status) in [
        ("POST", link.as_str(), 200),
        ("GET", &watching.app.url("/watch/stop"), 404),
        ("GET", &watching.app.url(&format!("/watch/stop?token={}", "A".repeat(43))), 404),
        ("POST", &watching.app.url("/watch/stop?token=%00"), 404),
        ("POST", &link.replace("/stop", "/agree"), 404),
    ] {
        assert_eq!(watching.follow(method, path, "").await.status, status, "{method} {path}");
    }
}

async fn another_address_is_asked_first(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    let other = json!({"monitor_email": "bob@example.org"});
    let tab = watching.patch(&id, other.clone()).await.json()["tab"].clone();
    assert_eq!((&tab["monitor_email"], &tab["monitor_email_confirmed"]), (&json!("bob@example.org"), &json!(false)));
    watching.page.set(Some(BAD));
    watching.next_day().await;
    // Until he agrees, the account's own address hears of it.
    let letters = watching.letters();
    let to: Vec<&str> = letters.iter().map(|letter| letter.to[0].as_str()).collect();
    assert_eq!(to, ["bob@example.org", "ana@example.com"]);
    let link = letters[0].link(&watching.app.url("/watch/agree"));
    let token = link.rsplit('=').next().unwrap().to_owned();
    assert_eq!(watching.follow("GET", &link, "").await.status, 200);
    assert_eq!(watching.tab(&id).await["monitor_email_confirmed"], false);
    let agreed = watching.follow("POST", &watching.app.url("/watch/agree"), &format!("token={token}")).await;
    assert_eq!(agreed.status, 200, "{}", agreed.body);
    assert_eq!(watching.tab(&id).await["monitor_email_confirmed"], true);
    // To ask again for what was agreed asks nobody.
    watching.patch(&id, other).await;
    watching.page.set(Some(GOOD));
    watching.next_day().await;
    watching.page.set(Some(BAD));
    watching.next_day().await;
    let letters = watching.letters();
    assert_eq!((letters.len(), letters[2].to[0].as_str()), (3, "bob@example.org"));
    // He stops it for himself: the account's own address takes over.
    watching.follow("POST", &letters[2].link(&watching.app.url("/watch/stop")), "").await;
    let tab = watching.tab(&id).await;
    assert_eq!((&tab["monitor"], &tab["monitor_email"]), (&json!(true), &Value::Null));
    // One's own address needs no question.
    let own = watching.patch(&id, json!({"monitor_email": "Ana@example.com"})).await.json();
    assert_eq!(own["tab"]["monitor_email"], Value::Null);
    watching.work().await;
    assert_eq!(watching.letters().len(), 3);
}

async fn an_organization_s_alerts_go_to_nobody_until_an_address_agreed(database: TestDatabase) {
    let mut watching = Watching::start(database, |_| ()).await;
    watching.token = people::key(&watching.app, "organization:acme").await;
    let id = watching.watched().await;
    let tab = watching.patch(&id, json!({"monitor_email": "bob@example.org"})).await.json()["tab"].clone();
    assert_eq!(tab["monitor_email_confirmed"], false);
    watching.next_day().await;
    let get_worse = async || {
        watching.page.set(Some(GOOD));
        watching.next_day().await;
        watching.page.set(Some(BAD));
        watching.next_day().await;
    };
    get_worse().await;
    let letters = watching.letters();
    assert_eq!((letters.len(), watching.runs(&id).await.len()), (1, 3), "the question, and no alert");
    let link = letters[0].link(&watching.app.url("/watch/agree"));
    let token = link.rsplit('=').next().unwrap().to_owned();
    watching.follow("POST", &watching.app.url("/watch/agree"), &format!("token={token}")).await;
    get_worse().await;
    let letters = watching.letters();
    assert_eq!((letters.len(), letters[1].to[0].as_str()), (2, "bob@example.org"));
}

async fn an_address_can_be_asked_only_where_mail_is_sent(database: TestDatabase) {
    let watching = Watching::start(database, |config| config.smtp.url = None).await;
    let id = watching.watched().await;
    let refused = watching.patch(&id, json!({"monitor_email": "bob@example.org"})).await;
    assert_eq!(refused.refusal(), (503, "mail_unavailable".to_owned()));
    watching.next_day().await;
    assert_eq!(watching.runs(&id).await.len(), 1);
}

async fn an_alert_waits_for_a_mail_server_that_is_down(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(Some(BAD));
    watching.mail.set(Mood::Busy);
    watching.next_day().await;
    assert_eq!((watching.runs(&id).await.len(), watching.letters().len()), (2, 0));
    watching.mail.set(Mood::Accept);
    watching.app.pass(Duration::from_secs(60));
    watching.work().await;
    assert_eq!(watching.letters().len(), 1);
}

async fn an_alert_speaks_the_language_of_the_account(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.app.database.execute("UPDATE accounts SET locale = 'pt-BR'").await;
    let id = watching.watched().await;
    watching.patch(&id, json!({"alias": "Início\u{202e}"})).await;
    watching.next_day().await;
    watching.page.set(Some(BAD));
    watching.next_day().await;
    let letter = watching.letters().remove(0);
    let text = letter.text();
    assert!(text.starts_with("Início") && text.contains("nota") && text.contains("?lang=pt-BR"), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
}
