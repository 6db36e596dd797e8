//! Probe 3: the catalog of a site's APIs (RFC 9727), a link set in JSON (RFC 9264 §4.2).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use serde_json::Value;

use super::answer::Answer;
use super::json::{list, member};
use super::notes::{ProbeOutcome, info, quoted, warn};
use super::site::{ProbedSite, Target};
use crate::facts::content_type;

const PATH: &str = "/.well-known/api-catalog";
const REFERENCE: &str = "https://www.rfc-editor.org/rfc/rfc9727";
const TYPE: &str = "application/linkset+json";
/// Value of the `profile` parameter that marks a link set as an API catalog (RFC 9727 §6.2).
const PROFILE: &str = "rfc9727";

/// Always asked.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    site.file(PATH)
}

/// Passes on a link set of its media type with at least one link.
pub(super) fn check(site: &ProbedSite<'_>) -> DiscoveryCheck {
    let answer = site.answer(WantKind::ApiCatalog, target(site).unwrap_or(Target::Elsewhere), REFERENCE);
    answer.check(judge(&answer))
}

fn judge(answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional: it tells programs which APIs a site has.",
        "{file} responde {status}. É opcional: diz aos programas quais APIs o site tem.",
    );
    const AS_TEXT: Text = text(
        "{file} answers {status} with a link set as text (application/linkset), which is allowed only beside the JSON form.",
        "{file} responde {status} com um conjunto de links em texto (application/linkset), permitido apenas ao lado da forma JSON.",
    );
    const NO_SET: Text = text(
        "{file} answers {status} with JSON that has no \"linkset\" array.",
        "{file} responde {status} com um JSON que não tem a lista \"linkset\".",
    );
    const MEASURED: Text = text(
        "{file} has {links} {links|link|links} to {apis} {apis|API|APIs}, {openapi} of them to OpenAPI descriptions.",
        "{file} tem {links} {links|link|links} para {apis} {apis|API|APIs}, {openapi} deles para descrições OpenAPI.",
    );
    const WRONG_TYPE: Text = text(
        "its media type is \"{value}\" and must be application/linkset+json",
        "o tipo de mídia é \"{value}\" e deve ser application/linkset+json",
    );
    const NO_LINK: Text = text("no relation has a target with an href", "nenhuma relação tem um alvo com href");
    const NO_TARGETS: Text = text(
        "the relation \"{name}\" is not an array of objects with an href",
        "a relação \"{name}\" não é uma lista de objetos com href",
    );
    const NO_PROFILE: Text = text(
        "the media type lacks profile=\"https://www.rfc-editor.org/info/rfc9727\"",
        "falta profile=\"https://www.rfc-editor.org/info/rfc9727\" no tipo de mídia",
    );
    let file = answer.file(ABSENT)?;
    let kind = file.media_type();
    if kind == "application/linkset" {
        return Ok(info(AS_TEXT, &file.values()));
    }
    let json = file.json()?;
    let Some(contexts) = json.value.get("linkset").and_then(Value::as_array) else {
        file.unless_masked()?;
        return Ok(warn(NO_SET, &file.values()));
    };
    let mut notes = json.notes();
    let links = Links::read(contexts);
    if kind != TYPE {
        notes.wrong(WRONG_TYPE, &[("value", quoted(&kind))]);
    } else if !content_type::declared(file.exchange).is_some_and(|value| value.contains(PROFILE)) {
        notes.hint(NO_PROFILE, &[]);
    }
    if let Some(relation) = &links.malformed {
        notes.wrong(NO_TARGETS, &[("name", quoted(relation))]);
    }
    if links.count == 0 {
        notes.wrong(NO_LINK, &[]);
    }
    let [name, _] = file.values();
    let values = [name, ("links", links.count.into()), ("apis", links.apis.into()), ("openapi", links.openapi.into())];
    Ok(notes.verdict(MEASURED, &values))
}

/// What a link set names.
#[derive(Debug, Default)]
struct Links {
    /// Targets with an address.
    count: usize,
    /// `item` targets, and contexts with a description.
    apis: usize,
    /// Descriptions in OpenAPI.
    openapi: usize,
    /// The first relation that is not as it should be.
    malformed: Option<String>,
}

impl Links {
    fn read(contexts: &[Value]) -> Self {
        let mut out = Self::default();
        for context in contexts {
            let Some(members) = context.as_object() else {
                out.malformed.get_or_insert_with(|| "linkset".to_owned());
                continue;
            };
            for (relation, targets) in members.iter().filter(|(name, _)| *name != "anchor") {
                let well_formed = targets.as_array().is_some_and(|all| all.iter().all(|t| member(t, "href").is_some()));
                if !well_formed {
                    out.malformed.get_or_insert_with(|| relation.clone());
                }
                let targets = list(context, relation).iter().filter(|target| member(target, "href").is_some());
                let count = targets.clone().count();
                out.count += count;
                match relation.as_str() {
                    "item" => out.apis += count,
                    "service-desc" => {
                        out.apis += usize::from(count > 0);
                        out.openapi += targets.filter(|target| is_openapi(target)).count();
                    }
                    _ => {}
                }
            }
        }
        out
    }
}

fn is_openapi(target: &Value) -> bool {
    ["type", "href"].iter().any(|name| member(target, name).is_some_and(|v| v.to_ascii_lowercase().contains("openapi")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const FULL_TYPE: &str = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
    const GOOD: &str = r#"{"linkset":[
        {"anchor":"https://example.com/.well-known/api-catalog","item":[{"href":"/a"},{"href":"/b"}]},
        {"anchor":"https://example.com/a","service-desc":[{"href":"/a.json","type":"application/vnd.oai.openapi+json"}]}
    ]}"#;

    fn file(status: u16, kind: &str, body: &str) -> Vec<Extra> {
        vec![extra(WantKind::ApiCatalog, PATH, status, kind, body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site("", &[], extras, check), status, words);
    }

    #[test]
    fn link_sets_are_judged_by_type_and_shape() {
        check_of(file(200, FULL_TYPE, GOOD), Pass, "3 links to 3 APIs, 1 of them");
        check_of(file(200, FULL_TYPE, &format!("\u{feff}{GOOD}")), Pass, "3 links");
        check_of(file(200, "application/json", GOOD), Warn, "\"application/json\" and must be");
        check_of(file(200, FULL_TYPE, "{}"), Warn, "no \"linkset\" array");
        check_of(file(200, FULL_TYPE, r#"{"linkset":{}}"#), Warn, "no \"linkset\" array");
        check_of(file(200, FULL_TYPE, "[1]"), Warn, "no \"linkset\" array");
        check_of(file(200, FULL_TYPE, "not json"), Warn, "8 bytes are not valid JSON");
        check_of(file(200, "text/html", "<p>app"), Warn, "HTML page");
        check_of(file(200, FULL_TYPE, r#"{"linkset":[]}"#), Warn, "no relation has a target");
        check_of(file(200, FULL_TYPE, r#"{"linkset":[1]}"#), Warn, "\"linkset\" is not an array of objects");
        check_of(file(200, FULL_TYPE, r#"{"linkset":[{"item":{"href":"/a"}}]}"#), Warn, "\"item\" is not an array");
        check_of(
            file(200, FULL_TYPE, r#"{"linkset":[{"item":[{"href":"/a"},{}]}]}"#),
            Warn,
            "\"item\" is not an array",
        );
        check_of(file(200, TYPE, GOOD), Info, "profile");
        check_of(file(200, "application/linkset", "</a>; rel=item"), Info, "link set as text");
        check_of(file(404, "", ""), Info, "optional");
        check_of(file(502, "", ""), Unverified, "502");
        check_of(Vec::new(), Unverified, "not requested");
        check_of(file(200, FULL_TYPE, &GOOD.replacen('{', "{\"a\":1,\"a\":2,", 1)), Pass, "a occurs twice");
    }

    #[test]
    fn json_for_every_address_masks_what_is_no_link_set() {
        let with = |body: &str| [vec![missing(200, "{\"ok\":true}")], file(200, TYPE, body)].concat();
        check_of(with("{\"ok\":true}"), Unverified, "missing addresses");
        check_of(with(GOOD), Info, "3 links");
    }
}
