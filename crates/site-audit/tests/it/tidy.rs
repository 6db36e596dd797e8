//! What a tool can check of the sources: sizes of files, who may touch what, and paths that documents name.

use std::path::{Path, PathBuf};

/// Lines of one file, its tests included: a longer one holds a second subject.
const MOST_LINES: usize = 600;

/// The crates above the store and the fetching client.
const ABOVE: [&str; 6] = [
    "crates/engine/src",
    "crates/render/src",
    "crates/service/src",
    "crates/api/src",
    "crates/pages/src",
    "crates/site-audit/src",
];

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file below a folder of the repository, with its text.
fn sources(below: &str) -> Vec<(String, String)> {
    texts(below, &["rs"])
}

/// Every file below a folder of the repository with one of these extensions, with its text.
fn texts(below: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(below)];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Sentences that made readers decode what the field has a plain term for, in lower case.
const RIDDLES: [&str; 27] = [
    "password is not taken",
    "there is no such audit",
    "there is no such tab",
    "there is no such organization",
    "não há tal",
    "this is there already",
    "as there may be",
    "the target limits its rate",
    "give a code of your",
    "look into your mail",
    "take the change of the address back",
    "most likely you",
    "prove again who you are",
    "take your data along",
    "much holds this page back",
    "the same from a program",
    "pay credit by pix",
    "at this address, or no more",
    "url is not a url",
    "it is as done once",
    "asks servers of others",
    "whom to tell of a weakness",
    "this server has another name",
    "stands behind elements",
    "a word for any image",
    "gets mends this too",
    "token is not known here",
];

/// Lines of the files below `folders` that hold one of `words`, but for files whose path holds one of `allowed`, and for unit tests,
/// which have servers and rows of their own.
fn uses(folders: &[&str], words: &[&str], allowed: &[&str]) -> Vec<String> {
    let files = folders.iter().flat_map(|folder| sources(folder));
    let allowed = [&["/tests.rs", "/testing.rs"][..], allowed].concat();
    let concerned = files.filter(|(name, _)| !allowed.iter().any(|part| name.contains(part)));
    concerned
        .flat_map(|(name, text)| {
            // Unit tests are the end of a file.
            let lines = text.lines().take_while(|line| *line != "mod tests {").enumerate();
            let hits = lines.filter(|(_, line)| {
                !line.trim_start().starts_with("//") && words.iter().any(|word| line.contains(word))
            });
            hits.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())).collect::<Vec<_>>()
        })
        .collect()
}

const NOTHING: &[String] = &[];

#[test]
fn no_file_holds_two_subjects() {
    let folders = ["crates", "bindings", "xtask", "bench", "fuzz/targets"];
    let long: Vec<String> = folders
        .iter()
        .flat_map(|folder| sources(folder))
        .map(|(name, text)| (name, text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(name, lines)| format!("{name}: {lines} lines"))
        .collect();
    assert_eq!(long, NOTHING);
}

#[test]
fn texts_use_the_terms_of_the_field() {
    let below = ["crates/audit/src", "crates/domains/src", "crates/html/src", "crates/model/src", "crates/store/src"]
        .into_iter()
        .chain(["crates/fetch/src", "crates/lab/src", "crates/render/templates", "crates/pages/templates", "docs"])
        .chain(ABOVE);
    let files: Vec<_> = below.flat_map(|folder| texts(folder, &["rs", "html", "txt", "md", "json"])).collect();
    assert!(files.iter().any(|(name, _)| name == "docs/api.md"), "the folders are read");
    let found: Vec<String> = files
        .iter()
        .flat_map(|(name, text)| {
            let text = text.to_lowercase();
            let riddles = RIDDLES.into_iter().filter(move |riddle| text.contains(riddle));
            riddles.map(move |riddle| format!("{name}: {riddle}"))
        })
        .collect();
    assert_eq!(found, NOTHING);
}

#[test]
fn the_core_does_no_io_and_reads_no_clock() {
    let words = ["std::fs", "std::net", "std::env", "std::thread", "SystemTime", "Instant::now", "tokio", "getrandom"];
    assert_eq!(uses(&["crates/audit/src", "crates/model/src"], &words, &[]), NOTHING);
}

#[test]
fn only_the_guarded_client_and_the_listener_open_sockets() {
    let words = ["TcpStream::connect", "UdpSocket", "TcpListener::bind", "UnixStream"];
    // The health check asks the service's own address.
    let allowed = ["crates/fetch/src/dial.rs", "crates/site-audit/src/cli/", "crates/api/src/web/listen.rs"];
    assert_eq!(uses(&[&ABOVE[..], &["crates/fetch/src", "crates/store/src"]].concat(), &words, &allowed), NOTHING);
}

#[test]
fn only_the_store_knows_the_databases() {
    assert_eq!(
        uses(&[&ABOVE[..], &["crates/audit/src", "crates/fetch/src"]].concat(), &["sqlx", "SELECT "], &[]),
        NOTHING
    );
}

#[test]
fn only_the_configuration_reads_the_environment() {
    // The third holds example programs for callers, as text.
    let allowed = ["crates/service/src/config", "crates/site-audit/src/cli", "crates/render/src/catalog/calls.rs"];
    assert_eq!(
        uses(&[&ABOVE[..], &["crates/store/src", "crates/fetch/src"]].concat(), &["env::var"], &allowed),
        NOTHING
    );
}

#[test]
fn pages_never_pass_markup_through() {
    let templates = root().join("crates/pages/templates");
    let mut seen = 0;
    for path in std::fs::read_dir(templates).unwrap().map(|entry| entry.unwrap().path()) {
        // A guide is Markdown of the repository, and `pages::docs::guide` turns raw HTML in it into text.
        if path.ends_with("docs_guide.html") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("|safe") && !text.contains("| safe"), "{}", path.display());
        seen += 1;
    }
    assert!(seen > 0, "no templates were found");
}

/// Migrations that landed, with their FNV-1a. A database that had one refuses a program with another of that number.
const MIGRATIONS: [(&str, u64); 21] = [
    ("0001_audits_guests_counters.sql", 0x28af_46ab_7413_a7b3),
    ("0002_daily_salts.sql", 0xba36_2ade_0475_426a),
    ("0003_jobs.sql", 0x9591_9209_055b_d20f),
    ("0004_tabs.sql", 0xaf19_07f2_f1d5_626a),
    ("0005_accounts.sql", 0x2c6a_4780_bb90_0df8),
    ("0006_shares.sql", 0xe4bb_a538_3a7f_8093),
    ("0007_money.sql", 0xa4ba_645c_dd8b_af1b),
    ("0007_money_postgres.sql", 0x97fa_bac7_04e8_115e),
    ("0007_money_sqlite.sql", 0xd48d_d169_2d26_a440),
    ("0008_organizations.sql", 0x1a40_6ef2_f345_44a2),
    ("0009_used_challenges.sql", 0x227f_2d36_8c3a_dcc9),
    ("0010_lab.sql", 0xb9a8_bc1e_4879_02ad),
    ("0011_statistics.sql", 0xf578_31f7_4cfb_ebf3),
    ("0012_contact.sql", 0x7630_68d2_bf85_8ffc),
    ("0013_webhooks.sql", 0xebc8_89b8_3133_d72f),
    ("0014_job_traces.sql", 0x92e1_6dc1_e9bd_65ac),
    ("0015_snoozes.sql", 0x693b_6b04_0e38_cafe),
    ("0016_site_runs.sql", 0x8ab5_1488_2ceb_182a),
    ("0017_site_watches.sql", 0xd8a1_b4ab_a24a_554d),
    ("0018_receipt_keys.sql", 0x8809_5ced_735a_e2b7),
    ("0019_followed_by_link.sql", 0xe522_39ec_557a_3707),
];

/// FNV-1a of 64 bits.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn migrations_stay_as_they_landed() {
    let found = texts("crates/store/migrations", &["sql"]);
    for (migration, hash) in MIGRATIONS {
        let text = found.iter().find(|(name, _)| name.ends_with(migration)).map(|(_, text)| text.as_str());
        assert_eq!(text.map(fnv1a), Some(hash), "{migration} has changed: write a new migration instead");
    }
}

/// What makes markup or code of a text. The policy of pages (Trusted Types) has browsers refuse all of them.
const MARKUP_SINKS: [&str; 8] = [
    "createContextualFragment",
    "document.write",
    "eval(",
    "innerHTML",
    "insertAdjacentHTML",
    "outerHTML",
    "parseFromString",
    "srcdoc",
];

#[test]
fn scripts_of_pages_make_no_markup_of_texts() {
    let scripts = texts("crates/pages/assets", &["js"]);
    assert!(!scripts.is_empty(), "no scripts were found");
    for (name, text) in scripts {
        let found: Vec<&str> = MARKUP_SINKS.into_iter().filter(|sink| text.contains(*sink)).collect();
        assert!(found.is_empty(), "{name} uses {found:?}");
    }
}

/// Texts in backticks of a document that read as paths of this repository, outside of blocks of code and of what a heading
/// says was before.
fn named_paths(text: &str) -> Vec<&str> {
    let is_path = |word: &&str| {
        let first = word.split('/').next().unwrap_or_default();
        let folders = ["bench", "crates", "docs", "fuzz", "xtask"];
        let files = [".rs", ".md", ".toml", ".html", ".sql", ".txt", ".tsv"];
        let names_a_file = files.iter().any(|end| word.ends_with(end));
        !word.starts_with('/')
            && !word.contains([' ', '<', '*', '{', '…'])
            && word.contains('/')
            && (folders.contains(&first) || names_a_file)
    };
    let mut paths = Vec::new();
    let (mut is_code, mut is_past) = (false, false);
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && line.starts_with('#') {
            is_past = line.trim_start_matches(['#', ' ']).starts_with("Before");
        } else if !is_code && !is_past {
            paths.extend(line.split('`').skip(1).step_by(2).filter(is_path));
        }
    }
    paths
}

#[test]
fn paths_are_told_from_other_code() {
    let text =
        "`crates/a/b.rs`, `GET /api/x`, `/llms.txt`, `a/b.md` and `page.rs`, `name`\n```\n`docs/c.md`\n```\n`xtask`";
    assert_eq!(named_paths(text), ["crates/a/b.rs", "a/b.md"]);
}

#[test]
fn documents_name_paths_that_exist() {
    for document in [
        "ARCHITECTURE.md",
        "docs/contract.md",
        "docs/reliability.md",
        "docs/security/asvs.md",
        "docs/security/threat-model.md",
        "docs/walks.md",
    ] {
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let paths = named_paths(&text);
        assert!(!paths.is_empty(), "{document} names no path");
        let exists = |path: &&str| root().join(path).exists() || root().join("crates").join(path).exists();
        let gone: Vec<&str> = paths.into_iter().filter(|path| !exists(path)).collect();
        assert!(gone.is_empty(), "{document} names paths that don't exist: {gone:?}");
    }
}

#[test]
fn every_number_of_the_contract_names_a_test_that_is_there() {
    let contract = std::fs::read_to_string(root().join("docs/contract.md")).unwrap();
    let (_, after) = contract.split_once("## Numbers and nevers").unwrap();
    let rows = after.split("\n## ").next().unwrap().lines().filter(|line| line.ends_with("` |"));
    let named: Vec<(&str, &str)> = rows
        .map(|row| {
            let cells: Vec<&str> = row.split(" | ").map(|cell| cell.trim_matches(['|', ' ', '`'])).collect();
            (cells[2], cells[3])
        })
        .collect();
    assert!(named.len() > 30, "{}", named.len());
    for (file, test) in named {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(text.contains(&format!("fn {test}(")), "{file} has no test {test}");
    }
}
