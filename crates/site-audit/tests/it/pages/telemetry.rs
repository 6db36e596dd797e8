//! What pages report from a real browser: errors of scripts, blocked files, and a payment prompt that is seen.

use testkit::TestDatabase;

use super::tab::Tab;
use crate::app::TestApp;
use crate::payments::pix;

/// Calls to a path that the page has made, as the browser counts them.
fn calls(tab: &mut Tab, path: &str) -> u64 {
    let entries = format!(
        "performance.getEntriesByType('resource').filter((entry) => new URL(entry.name).pathname === '{path}').length"
    );
    tab.value(&entries).as_u64().unwrap()
}

/// Waits in the page until it has made a call to a path.
fn wait_for(tab: &mut Tab, path: &str) {
    let reported = format!(
        "new Promise((done) => {{ const look = () => performance.getEntriesByType('resource').some((entry) => \
         new URL(entry.name).pathname === '{path}') ? done(true) : requestAnimationFrame(look); look(); }})"
    );
    assert_eq!(tab.value(&reported), true);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_scripts_and_of_the_policy_are_reported() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.visit("/pricing?lang=en");
    tab.value("setTimeout(() => { throw new TypeError('a test') }), true");
    wait_for(&mut tab, "/api/erro-cliente");
    // One of its own for each kind: the browser's error, a rejected promise, a file that is blocked.
    let before = calls(&mut tab, "/api/erro-cliente");
    tab.value("Promise.reject(new Error('another')), document.body.append(Object.assign(new Image(), { src: 'https://blocked.example/x.png' })), true");
    let more = format!(
        "new Promise((done) => {{ const look = () => performance.getEntriesByType('resource').filter((entry) => \
         new URL(entry.name).pathname === '/api/erro-cliente').length > {before} + 1 ? done(true) : requestAnimationFrame(look); look(); }})"
    );
    assert_eq!(tab.value(&more), true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_prompt_is_reported_once_when_it_is_seen() {
    let app = TestApp::start(TestDatabase::sqlite(), pix::on).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.visit("/credit/pix?lang=en");
    tab.value("document.querySelector('[data-payment]').scrollIntoView(), true");
    wait_for(&mut tab, "/api/pagamento/aberto");
    tab.value("scrollTo(0, document.body.scrollHeight), scrollTo(0, 0), true");
    assert_eq!(calls(&mut tab, "/api/pagamento/aberto"), 1);
    assert_eq!(tab.complaints(), [""; 0]);
}
