//! Probe 11: which other origins may use the site's passkeys (Web Authentication, related origin requests).

use std::collections::BTreeSet;

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use url::Url;

use super::answer::Answer;
use super::json::texts;
use super::notes::{ProbeOutcome, warn};
use super::site::{ProbedSite, Target};

const PATH: &str = "/.well-known/webauthn";
const REFERENCE: &str = "https://www.w3.org/TR/webauthn-3/#sctn-related-origins";
/// Distinct labels of registrable domains that every client must take (§5.11.1); what is beyond may be passed over.
const LABELS: usize = 5;

/// Asked when a field offers passkeys, or an inline script asks for credentials.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    let asks = site.html.is_some_and(|html| html.asks_passkey);
    asks.then(|| site.file(PATH)).flatten()
}

/// Passes on a JSON object with origins that every client takes.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::Webauthn, target(site)?, REFERENCE);
    Some(answer.check(judge(&answer)))
}

fn judge(answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional and only useful where one passkey works for several domains.",
        "{file} responde {status}. É opcional e só é útil onde uma mesma chave de acesso vale para vários domínios.",
    );
    const NO_ORIGINS: Text = text(
        "{file} answers {status} with JSON that has no \"origins\" array of strings.",
        "{file} responde {status} com um JSON que não tem a lista \"origins\" de textos.",
    );
    const MEASURED: Text = text(
        "{file} names {count} {count|origin|origins} under {labels} {labels|domain label|domain labels}.",
        "{file} indica {count} {count|origem|origens} sob {labels} {labels|nome de domínio|nomes de domínio}.",
    );
    const EMPTY: Text = text("origins is empty", "origins está vazio");
    const MANY: Text = text(
        "clients are only required to accept {limit} domain labels, and the file has {labels}",
        "os clientes só precisam aceitar {limit} nomes de domínio, e o arquivo tem {labels}",
    );
    let file = answer.file(ABSENT)?;
    let json = file.json()?;
    let Some(origins) = texts(json.value.get("origins")) else {
        file.unless_masked()?;
        return Ok(warn(NO_ORIGINS, &file.values()));
    };
    let mut notes = json.notes();
    super::delivery::judge_type(&file, &mut notes);
    if origins.is_empty() {
        notes.wrong(EMPTY, &[]);
    }
    let labels: BTreeSet<String> = origins.iter().filter_map(|origin| label(origin)).collect();
    if labels.len() > LABELS {
        notes.wrong(MANY, &[("limit", LABELS.into()), ("labels", labels.len().into())]);
    }
    let [name, _] = file.values();
    Ok(notes.verdict(MEASURED, &[name, ("count", origins.len().into()), ("labels", labels.len().into())]))
}

/// The first label of an origin's registrable domain: `example` of `https://www.example.co.uk`.
fn label(origin: &str) -> Option<String> {
    let url = Url::parse(origin).ok()?;
    let label = domains::registrable_domain(url.host_str()?)?.split('.').next()?;
    Some(label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const FIELD: &str = "<input autocomplete='username WebAuthn'>";
    const KIND: WantKind = WantKind::Webauthn;

    fn file(kind: &str, body: &str) -> Vec<Extra> {
        vec![extra(KIND, PATH, 200, kind, body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(FIELD, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn a_passkey_field_or_script_calls_for_it() {
        for (source, called) in [
            (FIELD, true),
            ("<script>navigator.credentials.get({})</script>", true),
            ("<script src=a>navigator.credentials</script>", false),
            ("<input autocomplete=username>", false),
            ("<p>navigator.credentials", false),
        ] {
            assert_eq!(with_site(source, &[], Vec::new(), |site| target(site).is_some()), called, "{source}");
        }
    }

    #[test]
    fn origins_are_judged_by_number_and_type() {
        let origins = |count: usize| {
            let all: Vec<String> = (0..count).map(|n| format!("\"https://www.example{n}.co.uk\"")).collect();
            format!("{{\"origins\":[{}]}}", all.join(","))
        };
        let json = "application/json";
        check_of(file(json, &origins(5)), Pass, "5 origins under 5 domain labels");
        let one = r#"{"origins":["https://example.com","https://example.co.uk","https://a.example.de"]}"#;
        check_of(file(json, one), Pass, "3 origins under 1 domain label.");
        check_of(file(json, &origins(6)), Warn, "the file has 6");
        check_of(file("text/plain", one), Warn, "must be application/json");
        check_of(file(json, "{}"), Warn, "no \"origins\" array");
        check_of(file(json, r#"{"origins":[1]}"#), Warn, "no \"origins\" array");
        check_of(file(json, r#"{"origins":[]}"#), Warn, "origins is empty");
        check_of(file(json, "x"), Warn, "not valid JSON");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "optional");
        check_of(vec![extra(KIND, PATH, 500, "", "")], Unverified, "500");
        check_of(Vec::new(), Unverified, "not requested");
    }
}
