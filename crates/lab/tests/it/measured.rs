//! What is measured is what the official program says.

use lab::reading::measured;
use model::lab::Strategy;
use model::lang::Lang;
use serde_json::Value;
use testkit::{SiteAnswer, TestSite};
use url::Url;

use crate::run::{patient, runner, turn};

const PAGE: &str = r#"<!DOCTYPE html><html lang="en"><head><title>Source</title>
<meta name="viewport" content="width=device-width"><meta name="description" content="A page of a test.">
<link rel="canonical" href="/source"></head><body><h1>Heading</h1><p>Some text.</p><script>
document.title = 'Rendered'; document.querySelector('link').href = '/rendered';
const link = document.createElement('a'); link.href = '/later'; link.textContent = 'Later'; document.body.append(link);
</script></body></html>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_measured_and_rendered_and_its_numbers_are_lighthouses() {
    let _turn = turn().await;
    let Some(runner) = runner(patient()).await else { return };
    let site = TestSite::start(|request| match request.path.as_str() {
        "/" => SiteAnswer::html(PAGE),
        _ => SiteAnswer::missing(),
    });
    let site = site.await;
    let url = Url::parse(&site.url("/")).unwrap();
    for (strategy, lang) in [(Strategy::Mobile, Lang::En), (Strategy::Desktop, Lang::PtBr)] {
        let bytes = runner.run(&url, strategy, lang).await.unwrap();
        let result: Value = serde_json::from_slice(&bytes).unwrap();
        let ours = measured(&bytes, strategy).unwrap();
        let score = |category: &str| {
            let score = result["categories"][category]["score"].as_f64().unwrap();
            Some((score * 100.0).round() as u8)
        };
        assert_eq!(ours.scores.performance, score("performance"));
        assert_eq!(ours.scores.accessibility, score("accessibility"));
        assert_eq!(ours.scores.best_practices, score("best-practices"));
        assert_eq!(ours.scores.seo, score("seo"));
        assert_eq!(ours.metrics.len(), 7);
        for (name, metric) in &ours.metrics {
            assert_eq!(Some(metric.value), result["audits"][name]["numericValue"].as_f64(), "{name}");
        }
        assert_eq!(result["configSettings"]["formFactor"], strategy.name());
        let locale = result["configSettings"]["locale"].as_str().unwrap();
        assert_eq!(locale.split('-').next(), Some(if lang == Lang::En { "en" } else { "pt" }));
        assert!(ours.failing.iter().chain(&[]).all(|audit| audit.id != "rendered-page"));

        assert!(!ours.frames.is_empty(), "Lighthouse gives a filmstrip");
        let page = ours.rendered.unwrap();
        assert_eq!(page.url, url.as_str());
        for part in ["<!DOCTYPE html>", "<title>Rendered</title>", r#"href="/rendered""#, r#"<a href="/later">"#] {
            assert!(page.html.contains(part), "{part}: {}", page.html);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_answers_an_error_is_a_failure_of_the_page() {
    let _turn = turn().await;
    let Some(runner) = runner(patient()).await else { return };
    let site = TestSite::start(|_| SiteAnswer::page(500, "text/html", "broken")).await;
    let url = Url::parse(&site.url("/")).unwrap();
    // The program's exit status is 1, and its result says why.
    let bytes = runner.run(&url, Strategy::Mobile, Lang::En).await.unwrap();
    let failure = measured(&bytes, Strategy::Mobile).unwrap_err();
    assert_eq!(failure.to_string(), "the page could not be measured: ERRORED_DOCUMENT_REQUEST");
}
