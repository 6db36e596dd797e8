//! Validators of `/openapi.json`, and a tester that calls what it describes.

use serde_json::Value;
use service::config::{FixedName, SecretText};
use testkit::TestDatabase;

use super::{beside, content, folder, npm, pip};
use crate::api::people::OPERATOR;
use crate::app::{Call, TestApp};

testkit::on_both_databases! { what_is_described_is_what_is_answered }

#[tokio::test(flavor = "multi_thread")]
async fn validators_have_nothing_to_say() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let folder = folder(&[("openapi.json", &app.call(Call::get("/openapi.json")).await.body)]);
    let document = folder.path().join("openapi.json");
    if let Some(mut validator) = pip("openapi-spec-validator") {
        validator.arg(&document);
        content(validator).await;
    }
    if let Some(mut redocly) = npm("@redocly/cli/bin/cli.js") {
        redocly.arg("lint").arg(&document).arg("--config").arg(beside("redocly.yaml"));
        redocly.arg("--format=json").env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
        let said = content(redocly).await;
        let told: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
        assert_eq!((&told["totals"]["errors"], &told["totals"]["warnings"]), (&0.into(), &0.into()), "{said}");
    }
    if let Some(mut spectral) = npm("@stoplight/spectral-cli/dist/index.js") {
        spectral.arg("lint").arg(&document).arg("--ruleset").arg(beside(".spectral.yaml")).arg("--fail-severity=hint");
        content(spectral).await;
    }
}

/// Every example, and the borders of every field: no failure of ours, and no answer outside its schema.
async fn what_is_described_is_what_is_answered(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        // The examples' site, without a network.
        config.fetch.resolve = vec![FixedName { name: "example.com".to_owned(), address: [127, 0, 0, 2].into() }];
        // What is switched off answers 503, as it should.
        config.operator.token = Some(SecretText::new(OPERATOR));
        let pix = &mut config.pix;
        pix.key = Some("+5511987654321".to_owned());
        (pix.name, pix.city) = (Some("Loja".to_owned()), Some("Recife".to_owned()));
        pix.brl_per_usd = Some(model::money::Micros(5_750_000));
        let limits = &mut config.limits;
        (limits.guests_per_hour, limits.verifications_per_hour, limits.refused_per_hour) = (10_000, 10_000, 10_000);
    })
    .await;
    let Some(mut tester) = pip("st") else { return };
    // Written at the first call, which on a busy machine takes longer than the judge waits.
    assert_eq!(app.call(Call::get("/openapi.json")).await.status, 200);
    let folder = folder(&[]);
    tester.arg("--config-file").arg(beside("schemathesis.toml"));
    tester.args(["run", &app.url("/openapi.json"), "--phases", "examples,coverage", "--no-color"]);
    tester.env("SITE_AUDIT_GUEST", app.guest().await).current_dir(folder.path());
    content(tester).await;
}
