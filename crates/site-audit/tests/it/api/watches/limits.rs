//! The numbers of the daily watch: how long links of its mails are good, how often an address is asked, how long an unreachable
//! page is tried.

use std::time::Duration;

use serde_json::json;
use testkit::TestDatabase;

use super::{BAD, DAY, GOOD, Watching};

testkit::on_both_databases! {
    a_question_is_good_for_seven_days,
    a_link_that_stops_alerts_is_good_for_thirteen_months,
    ten_addresses_are_asked_an_hour,
    an_unreachable_page_is_tried_for_an_hour,
}

const SECOND: Duration = Duration::from_secs(1);

async fn a_question_is_good_for_seven_days(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.patch(&id, json!({"monitor_email": "bob@example.org"})).await;
    watching.work_off().await;
    let link = watching.letters()[0].link(&watching.app.url("/watch/agree"));
    for (time, status) in [(7 * DAY - SECOND, 200), (SECOND, 404)] {
        watching.app.pass(time);
        assert_eq!(watching.follow("GET", &link, "").await.status, status);
    }
    assert_eq!(watching.follow("POST", &link, "").await.status, 404);
    assert_eq!(watching.tab(&id).await["monitor_email_confirmed"], false);
}

async fn a_link_that_stops_alerts_is_good_for_thirteen_months(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(Some(BAD));
    watching.next_day().await;
    let link = watching.letters()[0].link(&watching.app.url("/watch/stop"));
    for (time, status) in [(396 * DAY - SECOND, 200), (SECOND, 404)] {
        watching.app.pass(time);
        assert_eq!(watching.follow("GET", &link, "").await.status, status);
    }
    assert_eq!(watching.follow("POST", &link, "List-Unsubscribe=One-Click").await.status, 404);
    assert_eq!(watching.tab(&id).await["monitor"], true);
}

async fn ten_addresses_are_asked_an_hour(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let ask = async |number: u32| watching.patch(&id, json!({"monitor_email": format!("a{number}@example.org")})).await;
    for number in 0..10 {
        assert_eq!(ask(number).await.status, 200, "{number}");
    }
    assert_eq!(ask(10).await.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(watching.tab(&id).await["monitor_email"], "a9@example.org");
    // Its own address needs no question.
    assert_eq!(watching.patch(&id, json!({"monitor_email": ""})).await.status, 200);
    watching.app.pass(Duration::from_secs(3_600));
    assert_eq!(ask(10).await.status, 200);
}

/// With the pauses that the queue makes between two tries.
async fn an_unreachable_page_is_tried_for_an_hour(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(None);
    watching.next_day().await;
    for minute in 0..60 {
        watching.work_off().await;
        assert_eq!(watching.runs(&id).await.len(), 1, "after {minute} minutes");
        watching.app.pass(Duration::from_secs(60));
    }
    // Tries double their distance: the last one is after 63 minutes.
    watching.app.pass(Duration::from_secs(180));
    watching.work_off().await;
    let runs = watching.runs(&id).await;
    assert_eq!((runs.len(), &runs[0]["score"]), (2, &json!(null)));
    assert_eq!(watching.letters().len(), 1);
    watching.page.set(Some(GOOD));
    watching.next_day().await;
    assert_eq!((watching.runs(&id).await.len(), watching.letters().len()), (3, 1), "it got better");
}
