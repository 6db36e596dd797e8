//! Bodies that are refused, sent by a real browser: it shows the refusal, not a connection that broke.

use serde_json::Value;
use testkit::TestDatabase;

use super::tab::Tab;
use crate::app::TestApp;

/// Far more than the buffers of a connection hold, and less than is read of a refused body.
const LONG: usize = 6 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn l01_a_refusal_reaches_a_browser() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.visit("/?lang=en");
    for (headers, wanted) in
        [("{}", (413, "body_too_large")), ("{'content-encoding': 'gzip'}", (415, "unsupported_media_type"))]
    {
        // A script whose connection broke would get no answer, and `fetch` would fail.
        let told = tab.text(&format!(
            "fetch('/api/audit', {{ method: 'POST', headers: {headers}, body: 'a'.repeat({LONG}) }})\
             .then(async (refused) => refused.status + ' ' + await refused.text(), (broken) => String(broken))"
        ));
        let (status, body) = told.split_once(' ').unwrap();
        let body: Value = serde_json::from_str(body).unwrap_or_else(|_| panic!("{told}"));
        assert_eq!((status.parse(), body["code"].as_str()), (Ok(wanted.0), Some(wanted.1)), "{told}");
    }
    tab.load(|tab| {
        tab.value(&format!(
            "(() => {{ const form = document.createElement('form'), text = document.createElement('textarea'); \
             form.method = 'post'; form.action = '/api/audit'; text.name = 'url'; text.value = 'a'.repeat({LONG}); \
             form.append(text); document.body.append(form); form.submit(); }})()"
        ));
    });
    assert_eq!(tab.status(), 413, "{}", tab.shown());
    assert!(tab.shown().contains("body_too_large"), "{}", tab.shown());
}
