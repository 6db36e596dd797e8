//! Probe 7: which authorization servers protect a resource (OAuth 2.0 Protected Resource Metadata, RFC 9728).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use url::Url;

use super::answer::Answer;
use super::json::{Json, member, texts};
use super::metadata::{identifier, is_identifier};
use super::notes::{Notes, ProbeOutcome, quoted, warn};
use super::site::{ProbedSite, Target};
use super::{answer::File, delivery};

const PATH: &str = "/.well-known/oauth-protected-resource";
const REFERENCE: &str = "https://www.rfc-editor.org/rfc/rfc9728";
/// Bytes of `WWW-Authenticate` that are searched.
const CHALLENGE_BYTES: usize = 8 * 1024;

/// Asked when the page's challenge names it (`resource_metadata`), or the page links to it. A path behind the
/// well-known name is that of the resource, such as an MCP endpoint.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    match challenged(site) {
        Some(url) if site.is_own(&url) => Some(Target::of(url)),
        Some(_) => site.linked_file(is_file).filter(|target| target.url().is_some()).or(Some(Target::Elsewhere)),
        None => site.linked_file(is_file),
    }
}

fn is_file(url: &Url) -> bool {
    url.path().strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The `resource_metadata` of a challenge (RFC 9728 §5.1).
fn challenged(site: &ProbedSite<'_>) -> Option<Url> {
    let exchange = site.capture.page.response()?;
    let value = exchange.headers_named("www-authenticate").find_map(|header| {
        let header = header.get(..CHALLENGE_BYTES).unwrap_or(header);
        let at = header.to_ascii_lowercase().find("resource_metadata")?;
        let after = header.get(at + "resource_metadata".len()..)?.trim_start().strip_prefix('=')?.trim_start();
        Some(match after.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next().unwrap_or_default(),
            None => after.split([',', ' ']).next().unwrap_or_default(),
        })
    })?;
    site.url.join(value).ok()
}

/// Passes on metadata of the very resource that was asked for. Authorization servers are not fetched.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::OauthResource, target(site)?, REFERENCE);
    Some(answer.check(judge(site, &answer)))
}

fn judge(site: &ProbedSite<'_>, answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}, although the page names it: clients can't find out where to sign in.",
        "{file} responde {status}, embora a página o indique: os clientes não descobrem onde se autenticar.",
    );
    const NO_OBJECT: Text = text(
        "{file} answers {status} with JSON that names no resource.",
        "{file} responde {status} com um JSON que não indica um recurso.",
    );
    const MEASURED: Text = text(
        "{file} describes {value} with {count} authorization {count|server|servers} and {methods} bearer {methods|method|methods}.",
        "{file} descreve {value} com {count} {count|servidor|servidores} de autorização e {methods} {methods|método|métodos} de envio do token.",
    );
    let file = answer.file(ABSENT)?;
    let json = file.json()?;
    let Some(resource) = member(&json.value, "resource") else {
        file.unless_masked()?;
        return Ok(warn(NO_OBJECT, &file.values()));
    };
    let notes = notes(site, answer, &file, &json, resource);
    let [name, _] = file.values();
    let count = |member: &str| texts(json.value.get(member)).unwrap_or_default().len();
    let values = [
        name,
        ("value", quoted(resource)),
        ("count", count("authorization_servers").into()),
        ("methods", count("bearer_methods_supported").into()),
    ];
    Ok(notes.verdict(MEASURED, &values))
}

fn notes(site: &ProbedSite<'_>, answer: &Answer<'_>, file: &File<'_>, json: &Json, resource: &str) -> Notes {
    const OTHER: Text = text(
        "resource must be \"{expected}\": clients reject any other",
        "resource deve ser \"{expected}\": os clientes rejeitam qualquer outro",
    );
    const INSECURE: Text = text("resource is not an https address", "resource não é um endereço https");
    const FRAGMENT: Text = text("resource has a fragment", "resource tem um fragmento");
    const NO_SERVER: Text = text(
        "it names no authorization server, and MCP needs one",
        "não indica servidor de autorização, e o MCP precisa de um",
    );
    const NO_SCOPES: Text = text("it has no scopes_supported", "não tem scopes_supported");
    let mut notes = json.notes();
    delivery::judge_type(file, &mut notes);
    match Url::parse(resource) {
        Ok(url) if url.scheme() == "https" => {
            if url.fragment().is_some() {
                notes.wrong(FRAGMENT, &[]);
            }
        }
        _ => notes.wrong(INSECURE, &[]),
    }
    let path = answer.requested.as_ref().and_then(|requested| requested.path().strip_prefix(PATH));
    let expected = identifier(&site.url, path.unwrap_or_default());
    // Named by a challenge, the metadata may be of the page itself (RFC 9728 §3.3).
    let of_page = challenged(site).is_some() && resource == site.url.as_str();
    if !of_page && !is_identifier(resource, &expected) {
        notes.wrong(OTHER, &[("expected", quoted(&expected))]);
    }
    let is_mcp = resource.split(['/', '?']).skip(3).any(|segment| segment.eq_ignore_ascii_case("mcp"));
    if is_mcp && texts(json.value.get("authorization_servers")).is_none_or(|servers| servers.is_empty()) {
        notes.wrong(NO_SERVER, &[]);
    }
    if texts(json.value.get("scopes_supported")).is_none() {
        notes.hint(NO_SCOPES, &[]);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const LINK: &str = "<link rel=x href=/.well-known/oauth-protected-resource/mcp>";
    const KIND: WantKind = WantKind::OauthResource;
    const GOOD: &str = r#"{"resource":"https://example.com/mcp","authorization_servers":["https://a.example"],
        "bearer_methods_supported":["header"],"scopes_supported":["a"]}"#;

    fn file(body: &str) -> Vec<Extra> {
        vec![extra(KIND, "/.well-known/oauth-protected-resource/mcp", 200, "application/json", body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(LINK, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn a_challenge_or_a_link_calls_for_it() {
        let asked = |source: &str, challenge: &str| {
            with_site(source, &[("www-authenticate", challenge)], Vec::new(), |site| {
                target(site).map(|target| target.url().map_or("elsewhere".to_owned(), |url| url.path().to_owned()))
            })
        };
        let root = Some(PATH.to_owned());
        let mcp = Some(format!("{PATH}/mcp"));
        assert_eq!(asked("", "Bearer realm=x"), None);
        assert_eq!(asked("", &format!("Bearer realm=x, resource_metadata=\"https://example.com{PATH}\"")), root);
        assert_eq!(asked("", &format!("Bearer Resource_Metadata = {PATH}/mcp, a=b")), mcp);
        assert_eq!(asked(LINK, ""), mcp);
        assert_eq!(asked("<a href=/.well-known/oauth-protected-resource>x</a>", ""), root);
        assert_eq!(asked("<a href=https://example.org/.well-known/oauth-protected-resource>x</a>", ""), None);
        let other = "<link rel=x href=https://example.org/.well-known/oauth-protected-resource>";
        assert_eq!(asked(other, ""), Some("elsewhere".to_owned()));
        assert_eq!(asked("", "Bearer resource_metadata=\"https://example.org/x\""), Some("elsewhere".to_owned()));
        let check = with_site(other, &[], Vec::new(), check).unwrap();
        assert_eq!((check.status, check.url), (Unverified, None));
    }

    #[test]
    fn metadata_must_be_of_the_resource_that_was_asked_for() {
        check_of(file(GOOD), Pass, "https://example.com/mcp with 1 authorization server and 1 bearer method");
        for (from, to, words) in [
            ("\"resource\"", "\"x\"", "names no resource"),
            ("example.com/mcp", "example.com/", "resource must be \"https://example.com/mcp\""),
            ("https://example.com", "http://example.com", "not an https address"),
            ("/mcp", "/mcp#a", "has a fragment"),
            ("[\"https://a.example\"]", "[]", "MCP needs one"),
            ("authorization_servers", "x", "MCP needs one"),
        ] {
            check_of(file(&GOOD.replacen(from, to, 1)), Warn, words);
        }
        check_of(file("[]"), Warn, "names no resource");
        check_of(vec![extra(KIND, PATH, 200, "text/json", GOOD)], Warn, "\"text/json\" and must be");
        check_of(file(&GOOD.replace("scopes_supported", "x")), Info, "scopes_supported");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "although the page names it");
        check_of(vec![extra(KIND, PATH, 503, "", "")], Unverified, "503");
        check_of(Vec::new(), Unverified, "not requested");
    }

    #[test]
    fn a_challenged_page_may_be_the_resource_itself() {
        let challenge = "Bearer resource_metadata=\"https://example.com/meta\"";
        let body = GOOD.replace("example.com/mcp", "example.com/docs/page");
        let extras = vec![extra(KIND, "/meta", 200, "application/json", body)];
        expect(&with_site("", &[("www-authenticate", challenge)], extras, check).unwrap(), Pass, "docs/page");
    }
}
