//! Probe 6: which Apple apps belong to the site (associated domains).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use serde_json::Value;

use super::answer::Answer;
use super::json::{list, member};
use super::notes::{Notes, ProbeOutcome, info, named, quoted, warn};
use super::site::{ProbedSite, Target};
use super::{delivery, json};

const PATH: &str = "/.well-known/apple-app-site-association";
const REFERENCE: &str = "https://developer.apple.com/documentation/xcode/supporting-associated-domains";
/// The services that the file can name.
const SERVICES: [&str; 4] = ["applinks", "webcredentials", "appclips", "activitycontinuation"];
/// Bytes that Apple reads, uncompressed.
const LARGEST: u64 = 128 * 1024;
/// Characters of a team's identifier in front of the bundle's.
const TEAM_CHARACTERS: usize = 10;

/// Asked when the page names an iOS app: a meta of the App Store or App Links, or a link to an app.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    let by_meta = site.has_meta(|name| name == "apple-itunes-app" || name.starts_with("al:ios:"));
    let by_link = || {
        site.link_urls().chain(site.anchor_urls()).any(|url| match (url.scheme(), url.host_str()) {
            ("ios-app" | "itms-apps", _) | (_, Some("apps.apple.com")) => true,
            // The same host sold music and books too.
            (_, Some("itunes.apple.com")) => url.path().contains("/app/"),
            _ => false,
        })
    };
    (by_meta || by_link()).then(|| site.file(PATH)).flatten()
}

/// Passes on a JSON object with a service and whole app links, served over https without a redirect.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::AppleApp, target(site)?, REFERENCE);
    Some(answer.check(judge(&answer)))
}

const ABSENT: Text = text(
    "{file} answers {status}. It is optional and only useful on a site with an app for Apple's systems.",
    "{file} responde {status}. É opcional e só é útil em um site com aplicativo para os sistemas da Apple.",
);

fn judge(answer: &Answer<'_>) -> ProbeOutcome {
    const SIGNED: Text = text(
        "{file} is a signed file (PKCS #7), which only iOS before 9 needs; plain JSON is enough.",
        "{file} é um arquivo assinado (PKCS #7), que só o iOS anterior ao 9 exige; basta JSON simples.",
    );
    const NO_SERVICE: Text = text(
        "{file} answers {status} with JSON that names none of {services}.",
        "{file} responde {status} com um JSON que não indica nenhum de {services}.",
    );
    const MEASURED: Text = text(
        "{file} names {services} with {count} {count|entry|entries} of app links; Apple's devices read it through Apple's own network, which was not tested.",
        "{file} indica {services} com {count} {count|entrada|entradas} de links de aplicativos; os dispositivos da Apple o leem pela rede da própria Apple, que não foi testada.",
    );
    delivery::unredirected(answer)?;
    fits_apple(answer)?;
    let file = answer.file(ABSENT)?;
    if is_signed(file.bytes) {
        return Ok(info(SIGNED, &file.values()));
    }
    let json = file.json()?;
    let services: Vec<&str> =
        SERVICES.into_iter().filter(|name| json.value.get(name).is_some_and(Value::is_object)).collect();
    if services.is_empty() {
        file.unless_masked()?;
        let [name, status] = file.values();
        return Ok(warn(NO_SERVICE, &[name, status, ("services", named(SERVICES))]));
    }
    let mut notes = json.notes();
    delivery::judge_type(&file, &mut notes);
    let links = json.value.get("applinks").map(|links| judge_links(links, &mut notes));
    let [name, _] = file.values();
    Ok(notes.verdict(MEASURED, &[name, ("services", named(services)), ("count", links.unwrap_or_default().into())]))
}

/// Fails on a file that is announced as larger than Apple reads. What is cut at our own limit is told elsewhere.
fn fits_apple(answer: &Answer<'_>) -> Result<(), super::notes::Judged> {
    const TOO_LARGE: Text = text(
        "{file} has {bytes} bytes, and Apple reads at most {limit}.",
        "{file} tem {bytes} bytes, e a Apple lê no máximo {limit}.",
    );
    let exchange = answer.response(ABSENT)?;
    let announced = exchange.header("content-length").and_then(|length| length.trim().parse::<u64>().ok());
    match announced.filter(|bytes| *bytes > LARGEST) {
        Some(bytes) => {
            Err(warn(TOO_LARGE, &[("file", answer.name()), ("bytes", bytes.into()), ("limit", LARGEST.into())]))
        }
        None => Ok(()),
    }
}

/// A DER sequence of more than 127 bytes: what a PKCS #7 message begins with.
fn is_signed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x30, 0x80..=0x84, ..])
}

/// Judges `applinks`, and counts its entries.
fn judge_links(links: &Value, notes: &mut Notes) -> usize {
    const NO_DETAILS: Text =
        text("applinks has no \"details\" array with entries", "applinks não tem a lista \"details\" com entradas");
    const APP: Text = text(
        "entry {at} of applinks has no app ID of the form TEAMID.bundle: \"{value}\"",
        "a entrada {at} de applinks não tem um ID de aplicativo na forma TEAMID.bundle: \"{value}\"",
    );
    const NO_PATHS: Text = text(
        "entry {at} of applinks has neither components nor paths",
        "a entrada {at} de applinks não tem components nem paths",
    );
    let details = list(links, "details");
    if details.is_empty() {
        notes.wrong(NO_DETAILS, &[]);
    }
    let mut entries = details.iter().enumerate();
    if let Some((at, value)) = entries.find_map(|(at, entry)| Some((at + 1, bad_app(entry)?))) {
        notes.wrong(APP, &[("at", at.into()), ("value", quoted(&value))]);
    }
    let has_paths =
        |entry: &Value| ["components", "paths"].iter().any(|name| entry.get(name).is_some_and(Value::is_array));
    if let Some(at) = details.iter().position(|entry| !has_paths(entry)) {
        notes.wrong(NO_PATHS, &[("at", (at + 1).into())]);
    }
    details.len()
}

/// The first identifier of an entry that is none; an empty text when it has no identifier at all.
fn bad_app(entry: &Value) -> Option<String> {
    let apps = match entry.get("appIDs") {
        Some(apps) => json::texts(Some(apps)).unwrap_or_default(),
        None => member(entry, "appID").into_iter().collect(),
    };
    if apps.is_empty() {
        return Some(String::new());
    }
    apps.into_iter().find(|app| !is_app_id(app)).map(str::to_owned)
}

fn is_app_id(app: &str) -> bool {
    app.split_once('.').is_some_and(|(team, bundle)| {
        team.len() == TEAM_CHARACTERS && team.bytes().all(|b| b.is_ascii_alphanumeric()) && !bundle.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::{BodyCut, Extra};
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const PAGE: &str = "<meta name=apple-itunes-app content='app-id=1'>";
    const KIND: WantKind = WantKind::AppleApp;
    const GOOD: &str = r#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example"],"components":[{"/":"/a"}]},
        {"appID":"ABCDE12345.com.example.two","paths":["*"]}]},"webcredentials":{"apps":[]}}"#;

    fn file(body: impl Into<Vec<u8>>) -> Vec<Extra> {
        vec![extra(KIND, PATH, 200, "application/json", body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(PAGE, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn a_sign_of_an_ios_app_calls_for_it() {
        for (source, called) in [
            (PAGE, true),
            ("<meta property=al:ios:url content=x>", true),
            ("<link rel=alternate href=ios-app://1/http/example.com>", true),
            ("<a href='https://apps.apple.com/us/app/x/id1'>x</a>", true),
            ("<a href='https://itunes.apple.com/us/app/x/id1'>x</a>", true),
            ("<a href='https://itunes.apple.com/us/album/1'>x</a>", false),
            ("<a href='https://www.apple.com/'>x</a>", false),
        ] {
            assert_eq!(with_site(source, &[], Vec::new(), |site| target(site).is_some()), called, "{source}");
        }
    }

    #[test]
    fn files_are_judged_by_services_and_app_links() {
        check_of(file(GOOD), Pass, "applinks, webcredentials with 2 entries");
        check_of(file(r#"{"webcredentials":{"apps":["ABCDE12345.a"]}}"#), Pass, "webcredentials with 0 entries");
        check_of(vec![redirecting(KIND, PATH, 302, "/x")], Warn, "redirects with status 302");
        check_of(file("app"), Warn, "not valid JSON");
        check_of(file("{}"), Warn, "none of applinks");
        check_of(file("[]"), Warn, "none of applinks");
        check_of(file(r#"{"applinks":{"details":[]}}"#), Warn, "no \"details\" array");
        check_of(file(r#"{"applinks":{"apps":[],"details":{}}}"#), Warn, "no \"details\" array");
        for (from, to, words) in [
            (
                "ABCDE12345.com.example\"]",
                "com.example\"]",
                "entry 1 of applinks has no app ID of the form TEAMID.bundle: \"com.example\"",
            ),
            ("\"appID\"", "\"x\"", "entry 2 of applinks has no app ID"),
            ("\"paths\"", "\"x\"", "entry 2 of applinks has neither"),
        ] {
            check_of(file(GOOD.replacen(from, to, 1)), Warn, words);
        }
        check_of(vec![extra(KIND, PATH, 200, "application/octet-stream", GOOD)], Warn, "must be application/json");
        let large = extra(KIND, PATH, 200, "application/json", GOOD);
        check_of(vec![with_header(cut(large, BodyCut::Size), "content-length", "131073")], Warn, "131,073 bytes");
        check_of(vec![cut(extra(KIND, PATH, 200, "application/json", GOOD), BodyCut::Size)], Unverified, "64 KB");
        check_of(file([0x30, 0x82, 1, 0, 0xff]), Info, "signed file");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "Apple's systems");
        check_of(Vec::new(), Unverified, "not requested");
        check_of([vec![missing(200, "{}")], file("{}")].concat(), Unverified, "missing addresses");
    }
}
