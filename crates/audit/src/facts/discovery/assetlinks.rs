//! Probe 5: which Android apps belong to the site (Digital Asset Links).

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use serde_json::Value;

use super::answer::Answer;
use super::delivery;
use super::json::{list, member, texts};
use super::notes::{Notes, ProbeOutcome, quoted, warn};
use super::site::{ProbedSite, Target};

const PATH: &str = "/.well-known/assetlinks.json";
const REFERENCE: &str = "https://developers.google.com/digital-asset-links/v1/create-statement";
/// Pairs of hex digits of a SHA-256 fingerprint.
const FINGERPRINT_PAIRS: usize = 32;

/// Asked when the page names an Android app: a meta of Google Play or App Links, or a link to an app.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    let by_meta = site.has_meta(|name| name == "google-play-app" || name.starts_with("al:android:"));
    let by_link = || {
        site.link_urls().chain(site.anchor_urls()).any(|url| match url.scheme() {
            "android-app" | "market" => true,
            _ => url.host_str() == Some("play.google.com") && url.path().starts_with("/store/apps"),
        })
    };
    (by_meta || by_link()).then(|| site.file(PATH)).flatten()
}

/// Passes on an array of whole statements, served as JSON over https without a redirect.
pub(super) fn check(site: &ProbedSite<'_>) -> Option<DiscoveryCheck> {
    let answer = site.answer(WantKind::AssetLinks, target(site)?, REFERENCE);
    Some(answer.check(judge(site, &answer)))
}

fn judge(site: &ProbedSite<'_>, answer: &Answer<'_>) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional and only useful on a site with an Android app or shared sign-in.",
        "{file} responde {status}. É opcional e só é útil em um site com aplicativo Android ou login compartilhado.",
    );
    const NO_ARRAY: Text = text(
        "{file} answers {status} with JSON that is not an array of statements.",
        "{file} responde {status} com um JSON que não é uma lista de declarações.",
    );
    const MEASURED: Text = text(
        "{file} has {count} {count|statement|statements} on {apps} {apps|app|apps}.",
        "{file} tem {count} {count|declaração|declarações} sobre {apps} {apps|aplicativo|aplicativos}.",
    );
    const EMPTY: Text = text("it has no statement", "não tem nenhuma declaração");
    delivery::unredirected(answer)?;
    let file = answer.file(ABSENT)?;
    let json = file.json()?;
    let Some(statements) = json.value.as_array() else {
        file.unless_masked()?;
        return Ok(warn(NO_ARRAY, &file.values()));
    };
    let mut notes = json.notes();
    delivery::judge_type(&file, &mut notes);
    if statements.is_empty() {
        file.unless_masked()?;
        notes.wrong(EMPTY, &[]);
    }
    judge_statements(statements, &mut notes);
    if let Some(requested) = &answer.requested {
        delivery::judge_robots(site, requested, &["Googlebot"], &mut notes);
    }
    let apps = statements.iter().filter_map(|statement| member(statement.get("target")?, "package_name")).count();
    let [name, _] = file.values();
    Ok(notes.verdict(MEASURED, &[name, ("count", statements.len().into()), ("apps", apps.into())]))
}

/// One clause for each kind of defect, with the first statement that has it.
fn judge_statements(statements: &[Value], notes: &mut Notes) {
    const FINGERPRINT: Text = text(
        "statement {at} has a fingerprint that is not 32 pairs of hex digits: \"{value}\"",
        "a declaração {at} tem uma impressão digital que não são 32 pares hexadecimais: \"{value}\"",
    );
    const INCOMPLETE: Text = text("statement {at} lacks {value}", "falta {value} na declaração {at}");
    let first = |defect: fn(&Value) -> Option<String>| {
        statements.iter().enumerate().find_map(|(at, statement)| Some((at + 1, defect(statement)?)))
    };
    for (clause, defect) in [(INCOMPLETE, lacks as fn(&Value) -> Option<String>), (FINGERPRINT, bad_fingerprint)] {
        if let Some((at, value)) = first(defect) {
            notes.wrong(clause, &[("at", at.into()), ("value", quoted(&value))]);
        }
    }
}

/// The member that a statement lacks. One that includes another file needs nothing else.
fn lacks(statement: &Value) -> Option<String> {
    if member(statement, "include").is_some() {
        return None;
    }
    let relations = texts(statement.get("relation"));
    if relations.is_none_or(|relations| relations.is_empty()) {
        return Some("relation".to_owned());
    }
    let Some(target) = statement.get("target").filter(|target| target.is_object()) else {
        return Some("target".to_owned());
    };
    let missing = match member(target, "namespace") {
        Some("web") => member(target, "site").is_none().then_some("target.site"),
        Some("android_app") if member(target, "package_name").is_none() => Some("target.package_name"),
        Some("android_app") => {
            list(target, "sha256_cert_fingerprints").is_empty().then_some("target.sha256_cert_fingerprints")
        }
        _ => Some("target.namespace (android_app, web)"),
    };
    missing.map(str::to_owned)
}

fn bad_fingerprint(statement: &Value) -> Option<String> {
    let target = statement.get("target")?;
    let bad = list(target, "sha256_cert_fingerprints").iter().find(|value| !value.as_str().is_some_and(is_fingerprint));
    bad.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn is_fingerprint(text: &str) -> bool {
    let is_pair = |pair: &str| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit());
    text.split(':').count() == FINGERPRINT_PAIRS && text.split(':').all(is_pair)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const PAGE: &str = "<meta property=al:android:package content=com.example>";
    const KIND: WantKind = WantKind::AssetLinks;

    fn good() -> String {
        let fingerprint = vec!["aF"; 32].join(":");
        format!(
            r#"[{{"relation":["delegate_permission/common.handle_all_urls"],"target":{{"namespace":"android_app",
            "package_name":"com.example","sha256_cert_fingerprints":["{fingerprint}"]}}}},
            {{"relation":["a"],"target":{{"namespace":"web","site":"https://example.org"}}}},
            {{"include":"https://example.org/more.json"}}]"#
        )
    }

    fn file(body: &str) -> Vec<Extra> {
        vec![extra(KIND, PATH, 200, "application/json; charset=utf-8", body)]
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site(PAGE, &[], extras, check).unwrap(), status, words);
    }

    #[test]
    fn a_sign_of_an_android_app_calls_for_it() {
        for (source, called) in [
            (PAGE, true),
            ("<meta name=google-play-app content='app-id=com.example'>", true),
            ("<link rel=alternate href=android-app://com.example/http/example.com>", true),
            ("<a href='https://play.google.com/store/apps/details?id=com.example'>x</a>", true),
            ("<a href='https://play.google.com/music'>x</a>", false),
            ("<meta property=al:ios:url content=x>", false),
        ] {
            assert_eq!(with_site(source, &[], Vec::new(), |site| target(site).is_some()), called, "{source}");
        }
    }

    #[test]
    fn statements_are_judged_one_by_one() {
        check_of(file(&good()), Pass, "3 statements on 1 app.");
        check_of(vec![redirecting(KIND, PATH, 301, "/other.json")], Warn, "with status 301 to /other.json");
        check_of(
            vec![extra(KIND, PATH, 200, "text/plain", good())],
            Warn,
            "\"text/plain\" and must be application/json",
        );
        check_of(file("{}"), Warn, "not an array of statements");
        check_of(file("[]"), Warn, "no statement");
        check_of(file("[1]"), Warn, "statement 1 lacks relation");
        for (from, to, words) in [
            ("aF:aF", "aF-aF", "32 pairs of hex digits"),
            ("\"com.example\",", "1,", "lacks target.package_name"),
            ("sha256_cert_fingerprints", "x", "lacks target.sha256_cert_fingerprints"),
            ("\"web\"", "\"ios\"", "statement 2 lacks target.namespace"),
            ("\"site\"", "\"x\"", "lacks target.site"),
            ("[\"a\"]", "\"a\"", "statement 2 lacks relation"),
        ] {
            check_of(file(&good().replacen(from, to, 1)), Warn, words);
        }
        let robots =
            extra(WantKind::RobotsTxt, "/robots.txt", 200, "text/plain", "User-agent: *\nDisallow: /.well-known/");
        check_of([file(&good()), vec![robots]].concat(), Warn, "line 2");
        check_of(vec![extra(KIND, PATH, 404, "", "")], Info, "Android app");
        check_of(vec![extra(KIND, PATH, 500, "", "")], Unverified, "500");
        check_of(Vec::new(), Unverified, "not requested");
        check_of([vec![missing(200, "<p>a")], file("<p>b")].concat(), Unverified, "missing addresses");
        check_of([vec![missing(200, "[]")], file("[]")].concat(), Unverified, "missing addresses");
    }
}
