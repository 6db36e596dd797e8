//! What receivers make of messages and feeds: the library of Standard Webhooks, and a reader of feeds.

use serde_json::json;
use testkit::TestDatabase;

use super::{content, folder, pip};
use crate::api::calendar::{OFFER, followed, renewed as renewed_calendar};
use crate::api::tabs::{Page, send};
use crate::api::webhooks::{Telling, renewed};
use crate::app::{Call, TestApp};

/// As a receiver verifies a message, and refuses one that was changed.
const VERIFY: &str = "
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
told = json.load(open(sys.argv[1]))
event = Webhook(told['secret']).verify(told['body'], told['headers'])
assert event['type'] == 'webhook.test', event
try:
    Webhook(told['secret']).verify(told['body'] + ' ', told['headers'])
    sys.exit('a message that was changed passes')
except WebhookVerificationError:
    pass
";
/// As strict as a reader of feeds can be.
const FEED: &str = "
import feedparser, sys
feed = feedparser.parse(open(sys.argv[1], 'rb').read())
assert not feed.bozo, feed.get('bozo_exception')
assert feed.version == 'atom10', feed.version
assert feed.feed.id.startswith('urn:uuid:') and feed.feed.title and feed.feed.updated_parsed, feed.feed
assert len(feed.entries) == 2, len(feed.entries)
for entry in feed.entries:
    assert entry.id.startswith('urn:uuid:') and entry.link.startswith('http') and entry.updated_parsed, entry
assert feed.entries[0].title == 'a <b> & \"c\": score ' + sys.argv[2], feed.entries[0].title
";

#[tokio::test(flavor = "multi_thread")]
async fn the_library_of_standard_webhooks_verifies_a_message() {
    let Some(mut python) = pip("python") else { return };
    let telling = Telling::start(TestDatabase::sqlite(), |_| ()).await;
    // The library refuses messages that are older than five minutes.
    telling.app.set_to_machine();
    let (secret, told) = telling.test_message().await;
    let head = told.head.lines().filter_map(|line| line.split_once(": "));
    let headers: serde_json::Map<_, _> = head.map(|(name, value)| (name.to_owned(), value.into())).collect();
    let told = json!({"secret": secret, "body": told.body, "headers": headers}).to_string();
    let folder = folder(&[("told.json", &told)]);
    python.args(["-c", VERIFY]).arg(folder.path().join("told.json"));
    content(python).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_of_feeds_reads_the_feed() {
    let Some(mut python) = pip("python") else { return };
    let telling = Telling::start(TestDatabase::sqlite(), |_| ()).await;
    let path = renewed(&telling.app, &telling.token, "en").await;
    let tab = telling.followed().await;
    telling.name(&tab, "a <b> & \"c\"").await;
    for _ in 0..2 {
        telling.run(&tab).await;
    }
    let feed = telling.app.call(Call::get(&path)).await.body;
    let score = feed.split("score ").nth(1).unwrap().split('<').next().unwrap().to_owned();
    let folder = folder(&[("feed.xml", &feed)]);
    python.args(["-c", FEED]).arg(folder.path().join("feed.xml")).arg(score);
    content(python).await;
}

/// As a calendar program reads the dates.
const CALENDAR: &str = "
import datetime, icalendar, sys
calendar = icalendar.Calendar.from_ical(open(sys.argv[1], 'rb').read())
assert not calendar.errors and calendar['VERSION'] == '2.0' and calendar['PRODID'], calendar
assert calendar.calendar_name, calendar
[event] = calendar.events
assert not event.errors and event.start == datetime.date(2026, 2, 14), event
assert event.duration == datetime.timedelta(days=1) and event['UID'] and event['URL'].startswith('http'), event
assert event['SUMMARY'] == 'Offer.priceValidUntil ends: a, \"b\"; c', event['SUMMARY']
assert event['DESCRIPTION'].startswith('http') and event['DESCRIPTION'].endswith('\\n14 Feb 2026, 00:00 UTC'), event['DESCRIPTION']
[alarm] = event.walk('VALARM')
assert alarm['TRIGGER'].dt == datetime.timedelta(days=-14), alarm
";

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_program_reads_the_calendar() {
    let Some(mut python) = pip("python") else { return };
    let page = Page::start(OFFER).await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let (token, tab) = followed(&app, &page).await;
    let named = send(&app, &token, "PATCH", &format!("/api/tabs/{tab}"), json!({"alias": "a, \"b\"; c"})).await;
    assert_eq!(named.status, 200, "{}", named.body);
    let (_, path) = renewed_calendar(&app, &token).await;
    let folder = folder(&[("calendar.ics", &app.call(Call::get(&path)).await.body)]);
    python.args(["-c", CALENDAR]).arg(folder.path().join("calendar.ics"));
    content(python).await;
}
