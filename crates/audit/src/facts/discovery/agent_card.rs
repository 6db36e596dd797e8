//! Probe 10: identity and skills of an agent (A2A Agent Card, versions 1.0 and 0.3).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use serde_json::Value;
use url::Url;

use super::answer::{Answer, File};
use super::json::{Shape, list, member, missing};
use super::notes::{Notes, ProbeOutcome, named, quoted, warn};
use super::site::{ProbedSite, Target};

const PATH: &str = "/.well-known/agent-card.json";
/// The name before A2A 0.3.
const LEGACY_PATH: &str = "/.well-known/agent.json";
const REFERENCE: &str = "https://a2a-protocol.org/latest/specification/";

/// Members of a card of either version.
const COMMON: [(&str, Shape); 7] = [
    ("name", Shape::Text),
    ("description", Shape::Text),
    ("version", Shape::Text),
    ("capabilities", Shape::Object),
    ("defaultInputModes", Shape::List),
    ("defaultOutputModes", Shape::List),
    ("skills", Shape::List),
];
/// Members of one of 0.3 beside them.
const OF_0_3: [(&str, Shape); 3] =
    [("protocolVersion", Shape::Text), ("url", Shape::Text), ("preferredTransport", Shape::Text)];
/// Members of an interface of 1.0.
const INTERFACE: [(&str, Shape); 3] =
    [("url", Shape::Text), ("protocolBinding", Shape::Text), ("protocolVersion", Shape::Text)];
const SKILL: [(&str, Shape); 4] =
    [("id", Shape::Text), ("name", Shape::Text), ("description", Shape::Text), ("tags", Shape::List)];

/// Asked when the page links to a card or to an AI catalog.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    let is_file = |url: &Url| matches!(url.path(), PATH | LEGACY_PATH);
    let catalog = || {
        let of_element = site.html.is_some_and(|html| html.links_rel("ai-catalog").next().is_some());
        of_element || site.header_links.iter().any(|link| link.is("ai-catalog"))
    };
    match site.linked_file(is_file) {
        Some(Target::At(_)) => site.file(PATH),
        Some(Target::Elsewhere) if !catalog() => Some(Target::Elsewhere),
        None if !catalog() => None,
        _ => site.file(PATH),
    }
}

/// Asked only after the right place was empty.
pub(super) fn legacy_target(site: &ProbedSite<'_>) -> Option<Target> {
    target(site).and_then(|_| site.file(LEGACY_PATH)).filter(|_| site.is_gone(WantKind::AgentCard))
}

/// Passes on a whole card. Signatures are counted, not verified.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    if let Some(target) = legacy_target(site) {
        // The file at the old place counts when it is JSON; else the right place is simply empty.
        let answer = site.answer(WantKind::AgentCardLegacy, target, REFERENCE);
        let judged = judge(&answer, true);
        if judged.is_ok() {
            return Some(answer.check(judged));
        }
    }
    let answer = site.answer(WantKind::AgentCard, target(site)?, REFERENCE);
    Some(answer.check(judge(&answer, false)))
}

fn judge(answer: &Answer<'_>, is_legacy: bool) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional and only useful on a site that offers an agent.",
        "{file} responde {status}. É opcional e só é útil em um site que oferece um agente.",
    );
    const MCP: Text = text(
        "{file} answers {status} with a description of an MCP server, which is not an A2A agent card.",
        "{file} responde {status} com a descrição de um servidor MCP, que não é um cartão de agente A2A.",
    );
    const NO_CARD: Text = text(
        "{file} answers {status} with JSON that is not an agent card.",
        "{file} responde {status} com um JSON que não é um cartão de agente.",
    );
    const MEASURED: Text = text(
        "{file} describes the agent \"{value}\" with {skills} {skills|skill|skills} and {signatures} {signatures|signature|signatures}.",
        "{file} descreve o agente \"{value}\" com {skills} {skills|habilidade|habilidades} e {signatures} {signatures|assinatura|assinaturas}.",
    );
    let file = answer.file(ABSENT)?;
    let json = file.json()?;
    let card = &json.value;
    let is_card = ["skills", "supportedInterfaces", "defaultInputModes"].iter().any(|name| card.get(name).is_some());
    if !is_card {
        file.unless_masked()?;
        return Ok(warn(if is_mcp(card) { MCP } else { NO_CARD }, &file.values()));
    }
    let mut notes = json.notes();
    judge_card(card, &mut notes);
    judge_advice(card, &file, is_legacy, &mut notes);
    let [name, _] = file.values();
    let values = [
        name,
        ("value", quoted(member(card, "name").unwrap_or("?"))),
        ("skills", list(card, "skills").len().into()),
        ("signatures", list(card, "signatures").len().into()),
    ];
    Ok(notes.verdict(MEASURED, &values))
}

/// What MCP server cards and registry entries have, and A2A cards do not.
fn is_mcp(card: &Value) -> bool {
    let of_schema = member(card, "$schema").is_some_and(|schema| schema.contains("modelcontextprotocol"));
    let names = ["mcpVersion", "mcpServers", "serverInfo", "remotes", "packages", "transport", "tools"];
    of_schema || names.iter().any(|name| card.get(name).is_some())
}

fn judge_card(card: &Value, notes: &mut Notes) {
    const LACKS: Text = text("it lacks {value}", "falta {value}");
    const LACKS_AT: Text = text("entry {at} of {name} lacks {value}", "na entrada {at} de {name} falta {value}");
    const NO_INTERFACE: Text = text("supportedInterfaces is empty", "supportedInterfaces está vazio");
    const INSECURE: Text =
        text("the interface address \"{value}\" is not https", "o endereço de interface \"{value}\" não é https");
    let is_0_3 = card.get("supportedInterfaces").is_none()
        && member(card, "protocolVersion").is_some_and(|version| version == "0.3" || version.starts_with("0.3."));
    let mut members = COMMON.to_vec();
    members.extend(if is_0_3 { OF_0_3.to_vec() } else { vec![("supportedInterfaces", Shape::List)] });
    let lacking = missing(card, &members);
    if !lacking.is_empty() {
        notes.wrong(LACKS, &[("value", named(lacking))]);
    }
    let interfaces = list(card, "supportedInterfaces");
    if card.get("supportedInterfaces").is_some_and(Value::is_array) && interfaces.is_empty() {
        notes.wrong(NO_INTERFACE, &[]);
    }
    for (name, entries, members) in
        [("supportedInterfaces", interfaces, &INTERFACE[..]), ("skills", list(card, "skills"), &SKILL[..])]
    {
        let first =
            entries.iter().map(|entry| missing(entry, members)).enumerate().find(|(_, lacks)| !lacks.is_empty());
        if let Some((at, lacks)) = first {
            notes.wrong(LACKS_AT, &[("at", (at + 1).into()), ("name", name.into()), ("value", named(lacks))]);
        }
    }
    let addresses = interfaces.iter().chain(list(card, "additionalInterfaces")).chain([card]);
    let is_https = |url: &str| url.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("https:"));
    if let Some(url) = addresses.filter_map(|entry| member(entry, "url")).find(|url| !url.is_empty() && !is_https(url))
    {
        notes.wrong(INSECURE, &[("value", quoted(url))]);
    }
}

fn judge_advice(card: &Value, file: &File<'_>, is_legacy: bool, notes: &mut Notes) {
    const LEGACY: Text =
        text("it is only at the old location: move it to {path}", "está só no lugar antigo: mova-o para {path}");
    const NO_PROVIDER: Text = text("it does not name the provider", "não indica quem oferece o agente (provider)");
    const NO_CACHING: Text = text(
        "it has neither Cache-Control nor ETag, so clients download it again each time",
        "não tem Cache-Control nem ETag, então os clientes o baixam de novo a cada vez",
    );
    if is_legacy {
        notes.hint(LEGACY, &[("path", PATH.into())]);
    }
    if !card.get("provider").is_some_and(Value::is_object) {
        notes.hint(NO_PROVIDER, &[]);
    }
    if ["cache-control", "etag"].iter().all(|name| file.exchange.header(name).is_none()) {
        notes.hint(NO_CACHING, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const LINK: &str = "<link rel=ai-catalog href=/.well-known/ai-catalog.json>";
    const KIND: WantKind = WantKind::AgentCard;
    const GOOD: &str = r#"{"name":"Baker","description":"d","version":"1","capabilities":{},"provider":{},
        "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"signatures":[{}],
        "supportedInterfaces":[{"url":"https://example.com/a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
        "skills":[{"id":"i","name":"n","description":"d","tags":["t"]}]}"#;

    fn old() -> String {
        let interfaces = GOOD.find("\"supportedInterfaces\"").unwrap();
        let skills = GOOD.find("\"skills\"").unwrap();
        let of_0_3 = r#""protocolVersion":"0.3.0","url":"https://example.com/a","preferredTransport":"JSONRPC","#;
        format!("{}{of_0_3}{}", &GOOD[..interfaces], &GOOD[skills..])
    }

    fn cached(kind: WantKind, path: &str, body: &str) -> Extra {
        with_header(extra(kind, path, 200, "application/json", body), "etag", "\"1\"")
    }

    fn file(body: &str) -> Vec<Extra> {
        vec![cached(KIND, PATH, body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(LINK, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn a_link_to_a_card_or_a_catalog_calls_for_it() {
        let asked = |source: &str, link: &str| {
            with_site(source, &[("link", link)], Vec::new(), |site| target(site).map(|target| target.url().cloned()))
        };
        let card = Some(Url::parse("https://example.com/.well-known/agent-card.json").ok());
        assert_eq!(asked("", ""), None);
        assert_eq!(asked(LINK, ""), card);
        assert_eq!(asked("", "</c.json>; rel=\"ai-catalog\""), card);
        assert_eq!(asked("<a href=/.well-known/agent.json>x</a>", ""), card);
        assert_eq!(asked("<link rel=x href=https://example.org/.well-known/agent-card.json>", ""), Some(None));
    }

    #[test]
    fn cards_of_both_versions_are_judged() {
        check_of(file(GOOD), Pass, "agent \"Baker\" with 1 skill and 1 signature");
        check_of(file(&old()), Pass, "agent \"Baker\"");
        for (from, to, words) in [
            ("\"name\":\"Baker\"", "\"x\":1", "lacks name"),
            ("supportedInterfaces", "x", "lacks supportedInterfaces"),
            ("capabilities", "x", "lacks capabilities"),
            ("protocolBinding", "x", "entry 1 of supportedInterfaces lacks protocolBinding"),
            ("\"tags\"", "\"x\"", "entry 1 of skills lacks tags"),
            ("https://example.com/a", "http://example.com/a", "\"http://example.com/a\" is not https"),
        ] {
            check_of(file(&GOOD.replacen(from, to, 1)), Warn, words);
        }
        check_of(file(&old().replace("preferredTransport", "x")), Warn, "lacks preferredTransport");
        check_of(file(&old().replace("0.3.0", "0.2.5")), Warn, "lacks supportedInterfaces");
        check_of(
            file(&GOOD.replace(
                "[{\"url\":\"https://example.com/a\",\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}]",
                "[]",
            )),
            Warn,
            "is empty",
        );
        check_of(file("x"), Warn, "not valid JSON");
        check_of(file("[]"), Warn, "not an agent card");
        check_of(file(r#"{"name":"x","serverInfo":{},"capabilities":{}}"#), Warn, "MCP server");
        check_of(file(&GOOD.replace("provider", "x")), Info, "does not name the provider");
        check_of(vec![extra(KIND, PATH, 200, "application/json", GOOD)], Info, "Cache-Control");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "offers an agent");
        check_of(vec![extra(KIND, PATH, 500, "", "")], Unverified, "500");
        check_of(Vec::new(), Unverified, "not requested");
    }

    #[test]
    fn the_old_place_is_asked_after_the_right_one() {
        let gone = || extra(KIND, PATH, 404, "", "");
        let legacy = |body: &str| cached(WantKind::AgentCardLegacy, LEGACY_PATH, body);
        check_of(vec![gone(), legacy(GOOD)], Info, "only at the old location");
        check_of(vec![gone(), legacy("<p>app")], Info, "agent-card.json answers 404");
        let asked = |source: &str, extras| with_site(source, &[], extras, |site| legacy_target(site).is_some());
        assert!(asked(LINK, vec![gone()]));
        assert!(!asked("", vec![gone()]));
        assert!(!asked(LINK, file("")));
    }
}
