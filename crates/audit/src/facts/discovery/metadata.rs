//! What the metadata of an authorization server (RFC 8414) and of an OpenID provider have in common.

use model::lang::{Text, text};
use serde_json::Value;
use url::Url;

use super::json::{Shape, member, missing, texts};
use super::notes::{Notes, named, quoted};

/// The identifier of an origin and a path: `https://example.com`, `https://example.com/tenant`.
pub(super) fn identifier(url: &Url, path: &str) -> String {
    format!("{}{}", url.origin().ascii_serialization(), path.trim_end_matches('/'))
}

/// Whether an identifier is the one that an address was made from. A slash at its end is dropped before the address is
/// made (RFC 8414 §3.1, OpenID Connect Discovery §4.1), so both forms lead there.
pub(super) fn is_identifier(found: &str, expected: &str) -> bool {
    found == expected || found.strip_suffix('/') == Some(expected)
}

/// Judges `issuer`: https, plain, and the one that the address was made from.
pub(super) fn judge_issuer(metadata: &Value, expected: &str, notes: &mut Notes) {
    const OTHER: Text = text(
        "issuer is \"{value}\" and must be \"{expected}\": clients reject any other",
        "issuer é \"{value}\" e deve ser \"{expected}\": os clientes rejeitam qualquer outro",
    );
    const UNFIT: Text = text(
        "issuer \"{value}\" is not an https address without query and fragment",
        "issuer \"{value}\" não é um endereço https sem query nem fragmento",
    );
    let Some(issuer) = member(metadata, "issuer") else { return };
    let fit = |url: Url| url.scheme() == "https" && url.query().is_none() && url.fragment().is_none();
    if !Url::parse(issuer).is_ok_and(fit) {
        notes.wrong(UNFIT, &[("value", quoted(issuer))]);
    } else if !is_identifier(issuer, expected) {
        notes.wrong(OTHER, &[("value", quoted(issuer)), ("expected", quoted(expected))]);
    }
}

/// Names the members that are missing.
pub(super) fn judge_members(metadata: &Value, members: &[(&str, Shape)], notes: &mut Notes) {
    const LACKS: Text = text("it lacks {value}", "falta {value}");
    let missing = missing(metadata, members);
    if !missing.is_empty() {
        notes.wrong(LACKS, &[("value", named(missing))]);
    }
}

/// No endpoint may be plain http.
pub(super) fn judge_endpoints(metadata: &Value, notes: &mut Notes) {
    const INSECURE: Text = text("{name} is not https: \"{value}\"", "{name} não é https: \"{value}\"");
    let is_endpoint = |name: &str| name.ends_with("_endpoint") || name == "jwks_uri";
    let insecure = metadata.as_object().into_iter().flatten().find_map(|(name, value)| {
        let value = value.as_str().filter(|_| is_endpoint(name))?;
        (!value.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("https:"))).then_some((name, value))
    });
    if let Some((name, value)) = insecure {
        notes.wrong(INSECURE, &[("name", quoted(name)), ("value", quoted(value))]);
    }
}

/// The strings of a member, or what holds when it is left out.
pub(super) fn texts_or<'v>(metadata: &'v Value, name: &str, default: &[&'v str]) -> Vec<&'v str> {
    texts(metadata.get(name)).unwrap_or_else(|| default.to_vec())
}
