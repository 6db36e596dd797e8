//! Probe 8: what an authorization server can do (OAuth 2.0 Authorization Server Metadata, RFC 8414).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use serde_json::Value;
use url::Url;

use super::answer::Answer;
use super::json::{Shape, texts};
use super::metadata::{identifier, judge_endpoints, judge_issuer, judge_members, texts_or};
use super::notes::{ProbeOutcome, named, warn};
use super::site::{ProbedSite, Target};

const PATH: &str = "/.well-known/oauth-authorization-server";
const REFERENCE: &str = "https://www.rfc-editor.org/rfc/rfc8414";
/// Grants of a server that names none (RFC 8414 §2).
const DEFAULT_GRANTS: [&str; 2] = ["authorization_code", "implicit"];

/// Asked when the page links to it. An issuer's path follows the well-known name.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    site.linked_file(is_file)
}

fn is_file(url: &Url) -> bool {
    url.path().strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Passes on whole metadata of the very issuer that the address belongs to.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::OauthServer, target(site)?, REFERENCE);
    Some(answer.check(judge(&answer)))
}

/// `authorization_endpoint` and `token_endpoint` only where a grant uses them.
fn required(metadata: &Value) -> Vec<(&'static str, Shape)> {
    let grants = texts_or(metadata, "grant_types_supported", &DEFAULT_GRANTS);
    let mut members = vec![("issuer", Shape::Text), ("response_types_supported", Shape::List)];
    if grants.iter().any(|grant| DEFAULT_GRANTS.contains(grant)) {
        members.push(("authorization_endpoint", Shape::Text));
    }
    if grants.iter().any(|grant| *grant != "implicit") {
        members.push(("token_endpoint", Shape::Text));
    }
    members
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
    const MEASURED: Text = text(
        "{file} is the metadata of a server for {grants}.",
        "{file} são os metadados de um servidor para {grants}.",
    );
    const NO_S256: Text = text(
        "code_challenge_methods_supported has no S256, so MCP clients refuse the server",
        "code_challenge_methods_supported não tem S256, então clientes MCP recusam o servidor",
    );
    let file = answer.file(ABSENT)?;
    let json = file.json()?;
    if json.value.get("issuer").is_none() {
        file.unless_masked()?;
        return Ok(warn(NO_OBJECT, &file.values()));
    }
    let mut notes = json.notes();
    super::delivery::judge_type(&file, &mut notes);
    judge_members(&json.value, &required(&json.value), &mut notes);
    if let Some(requested) = &answer.requested {
        judge_issuer(
            &json.value,
            &identifier(requested, requested.path().strip_prefix(PATH).unwrap_or_default()),
            &mut notes,
        );
    }
    judge_endpoints(&json.value, &mut notes);
    let methods = texts(json.value.get("code_challenge_methods_supported"));
    if !methods.is_some_and(|methods| methods.contains(&"S256")) {
        notes.hint(NO_S256, &[]);
    }
    let [name, _] = file.values();
    let grants = texts_or(&json.value, "grant_types_supported", &DEFAULT_GRANTS);
    Ok(notes.verdict(MEASURED, &[name, ("grants", named(grants))]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const LINK: &str = "<link rel=x href=/.well-known/oauth-authorization-server/tenant>";
    const KIND: WantKind = WantKind::OauthServer;
    const GOOD: &str = r#"{"issuer":"https://example.com/tenant","response_types_supported":["code"],
        "authorization_endpoint":"https://example.com/a","token_endpoint":"https://example.com/t",
        "code_challenge_methods_supported":["S256"]}"#;

    fn file(body: &str) -> Vec<Extra> {
        vec![extra(KIND, "/.well-known/oauth-authorization-server/tenant", 200, "application/json", body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(LINK, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn only_a_link_calls_for_it() {
        let called =
            |source: &str, link: &str| with_site(source, &[("link", link)], Vec::new(), |site| target(site).is_some());
        assert!(called(LINK, ""));
        assert!(called("", "</.well-known/oauth-authorization-server>; rel=x"));
        assert!(!called("", ""));
        assert!(!called("<a href=/.well-known/oauth-authorization-servers>x</a>", ""));
    }

    #[test]
    fn metadata_is_judged_by_issuer_and_members() {
        check_of(file(GOOD), Pass, "authorization_code, implicit");
        let machine = GOOD.replace(
            "\"authorization_endpoint\":\"https://example.com/a\",",
            "\"grant_types_supported\":[\"client_credentials\"],",
        );
        check_of(file(&machine), Pass, "client_credentials");
        for (from, to, words) in [
            ("\"issuer\"", "\"x\"", "names no issuer"),
            ("com/tenant", "com", "issuer is \"https://example.com\" and must be \"https://example.com/tenant\""),
            ("com/tenant", "com/tenant?a", "without query"),
            ("https://example.com/tenant", "http://example.com/tenant", "not an https address"),
            ("response_types_supported", "x", "lacks response_types_supported"),
            ("authorization_endpoint", "x", "lacks authorization_endpoint"),
            ("token_endpoint", "x", "lacks token_endpoint"),
            ("https://example.com/t\"", "http://example.com/t\"", "token_endpoint is not https"),
        ] {
            check_of(file(&GOOD.replacen(from, to, 1)), Warn, words);
        }
        check_of(vec![extra(KIND, PATH, 200, "text/plain", GOOD)], Warn, "must be application/json");
        check_of(file("x"), Warn, "not valid JSON");
        check_of(file(&GOOD.replace("S256", "plain")), Info, "no S256");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "although the page links to it");
        check_of(vec![extra(KIND, PATH, 500, "", "")], Unverified, "500");
        check_of(Vec::new(), Unverified, "not requested");
    }
}
