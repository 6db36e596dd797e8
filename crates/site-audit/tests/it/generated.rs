//! Files of the repository that are written from the code. The test that compares is the one that writes: `UPDATE=1`.

use std::path::Path;

use api::documents::{docs, openapi};
use service::config::Config;

fn check(path: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "{} is not what the code says: run `cargo xtask gen`", path.display());
}

#[test]
fn the_configuration_is_documented() {
    check("docs/configuration.md", &docs::configuration().unwrap());
}

#[test]
fn the_checks_are_documented() {
    check("docs/checks.md", &docs::checks().unwrap());
}

#[test]
fn the_api_is_documented() {
    check("docs/api.md", &docs::api(&api::handlers::catalog()).unwrap());
}

#[test]
fn the_openapi_description_is_kept() {
    let document = openapi::document(&api::handlers::catalog(), &Config::default(), "http://127.0.0.1:8080");
    check("docs/openapi.json", &(serde_json::to_string_pretty(&document).unwrap() + "\n"));
}
