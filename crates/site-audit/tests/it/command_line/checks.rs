//! `site-audit checks`.

use super::{code, json, site_audit, stderr, stdout};

#[test]
fn the_catalog_is_listed_for_a_person_and_a_program() {
    let listed = stdout(&site_audit(&["checks"], ""));
    let catalog = json(&site_audit(&["checks", "--format", "json", "--lang", "pt-BR"], ""));
    let catalog = catalog.as_array().unwrap();
    assert!(catalog.len() > 60);
    for check in catalog {
        assert!(listed.contains(check["code"].as_str().unwrap()));
        for field in ["severity", "category", "family", "title", "why", "how", "reference"] {
            assert!(!check[field].as_str().unwrap().is_empty(), "{field} of {check}");
        }
    }
    assert!(listed.ends_with(&format!("\n{} checks; `site-audit checks CODE` explains one.\n", catalog.len())));
}

#[test]
fn one_check_is_explained_with_its_fix_its_conditions_and_its_reference() {
    let text = stdout(&site_audit(&["checks", "hsts_missing"], ""));
    for part in
        ["hsts_missing (note, Security)", "How to fix it", "Not measured when", "nothing was fetched", "rfc6797"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let check = json(&site_audit(&["checks", "hsts_missing", "--format", "json"], ""));
    assert_eq!(check["code"], "hsts_missing");
    let reasons = check["not_measured"].as_array().unwrap();
    assert!(reasons.contains(&serde_json::json!({ "reason": "offline", "text": "nothing was fetched" })));
    let portuguese = stdout(&site_audit(&["checks", "hsts_missing", "--lang", "pt"], ""));
    assert!(portuguese.contains("Como corrigir") && portuguese.contains("Não é medida quando"));
}

#[test]
fn an_unknown_check_is_told_what_is_near() {
    for (typed, advice) in
        [("titel_missing", "did you mean title_missing, "), ("\u{1b}[2J", "`site-audit checks` lists all codes")]
    {
        let output = site_audit(&["checks", typed], "");
        assert_eq!((code(&output), stdout(&output)), (2, String::new()));
        let told = stderr(&output);
        assert!(told.contains(advice) && !told.contains('\u{1b}'), "{told}");
    }
}
