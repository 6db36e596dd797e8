//! Probe 9: what an OpenID provider can do (OpenID Connect Discovery 1.0).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use serde_json::Value;
use url::Url;

use super::answer::Answer;
use super::json::{Shape, texts};
use super::metadata::{identifier, judge_endpoints, judge_issuer, judge_members, texts_or};
use super::notes::{ProbeOutcome, quoted, warn};
use super::site::{ProbedSite, Target};

const PATH: &str = "/.well-known/openid-configuration";
const REFERENCE: &str = "https://openid.net/specs/openid-connect-discovery-1_0.html";
/// Members that every provider must have (§3).
const REQUIRED: [(&str, Shape); 6] = [
    ("issuer", Shape::Text),
    ("authorization_endpoint", Shape::Text),
    ("jwks_uri", Shape::Text),
    ("response_types_supported", Shape::Texts),
    ("subject_types_supported", Shape::Texts),
    ("id_token_signing_alg_values_supported", Shape::Texts),
];

/// Asked when the page links to it. The path of an issuer stands in front of the well-known name.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    site.linked_file(|url| url.path().ends_with(PATH))
}

/// Passes on whole metadata of the very issuer that the address belongs to.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::OpenidConfig, target(site)?, REFERENCE);
    Some(answer.check(judge(&answer)))
}

/// A provider of the implicit flow alone gives no tokens at an endpoint.
fn is_implicit_only(metadata: &Value) -> bool {
    let types = texts_or(metadata, "response_types_supported", &["code"]);
    let grants = texts_or(metadata, "grant_types_supported", &["authorization_code", "implicit"]);
    grants == ["implicit"] || types.iter().all(|kind| kind.split(' ').all(|part| matches!(part, "id_token" | "token")))
}

fn judge(answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}, although the page links to it.",
        "{file} responde {status}, embora a página tenha um link para ele.",
    );
    const NO_OBJECT: Text = text(
        "{file} answers {status} with JSON that names no issuer.",
        "{file} responde {status} com um JSON que não indica um emissor.",
    );
    const MEASURED: Text = text("{file} is the metadata of {value}.", "{file} são os metadados de {value}.");
    const NO_RS256: Text = text(
        "id_token_signing_alg_values_supported has no RS256, which every provider must support",
        "id_token_signing_alg_values_supported não tem RS256, que todo provedor deve aceitar",
    );
    let file = answer.file(ABSENT)?;
    let json = file.json()?;
    let Some(issuer) = json.value.get("issuer") else {
        file.unless_masked()?;
        return Ok(warn(NO_OBJECT, &file.values()));
    };
    let mut notes = json.notes();
    super::delivery::judge_type(&file, &mut notes);
    let mut members = REQUIRED.to_vec();
    if !is_implicit_only(&json.value) {
        members.push(("token_endpoint", Shape::Text));
    }
    judge_members(&json.value, &members, &mut notes);
    if let Some(requested) = &answer.requested {
        judge_issuer(&json.value, &expected(requested), &mut notes);
    }
    judge_endpoints(&json.value, &mut notes);
    let algorithms = texts(json.value.get("id_token_signing_alg_values_supported"));
    if algorithms.is_some_and(|algorithms| !algorithms.contains(&"RS256")) {
        notes.wrong(NO_RS256, &[]);
    }
    let [name, _] = file.values();
    Ok(notes.verdict(MEASURED, &[name, ("value", quoted(issuer.as_str().unwrap_or("?")))]))
}

fn expected(requested: &Url) -> String {
    identifier(requested, requested.path().strip_suffix(PATH).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const LINK: &str = "<link rel=x href=/tenant/.well-known/openid-configuration>";
    const KIND: WantKind = WantKind::OpenidConfig;
    const GOOD: &str = r#"{"issuer":"https://example.com/tenant","authorization_endpoint":"https://example.com/a",
        "token_endpoint":"https://example.com/t","jwks_uri":"https://example.com/j","response_types_supported":["code"],
        "subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256","RS256"]}"#;

    fn file(body: &str) -> Vec<Extra> {
        vec![extra(KIND, "/tenant/.well-known/openid-configuration", 200, "application/json", body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(LINK, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn metadata_is_judged_by_issuer_and_members() {
        check_of(file(GOOD), Pass, "metadata of https://example.com/tenant");
        check_of(file(&GOOD.replace("com/tenant", "com/tenant/")), Pass, "tenant/");
        let implicit = GOOD.replace("token_endpoint", "x").replace("\"code\"", "\"id_token\",\"id_token token\"");
        check_of(file(&implicit), Pass, "tenant");
        for (from, to, words) in [
            ("\"issuer\"", "\"x\"", "names no issuer"),
            ("com/tenant", "com/other", "must be \"https://example.com/tenant\""),
            ("https://example.com/tenant", "http://example.com/tenant", "not an https address"),
            ("authorization_endpoint", "x", "lacks authorization_endpoint"),
            ("token_endpoint", "x", "lacks token_endpoint"),
            ("jwks_uri", "x", "lacks jwks_uri"),
            ("response_types_supported", "x", "lacks response_types_supported"),
            ("[\"public\"]", "[]", "lacks subject_types_supported"),
            ("id_token_signing_alg_values_supported", "x", "lacks id_token_signing_alg_values_supported"),
            ("RS256", "ES384", "no RS256"),
            ("https://example.com/j", "http://example.com/j", "jwks_uri is not https"),
        ] {
            check_of(file(&GOOD.replacen(from, to, 1)), Warn, words);
        }
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "although the page links to it");
        check_of(vec![extra(KIND, PATH, 429, "", "")], Unverified, "429");
        check_of(Vec::new(), Unverified, "not requested");
    }
}
