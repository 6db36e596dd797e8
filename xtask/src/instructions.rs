//! `cargo xtask instructions`: how many instructions each stage of a report takes, counted by callgrind.
//!
//! A count does not depend on what else the machine does, so that a test can compare it.

mod profile;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use profile::Profile;
use serde_json::{Map, Value, json};

use crate::command::{has, run};
use crate::packages;

/// The kept counts.
const KEPT: &str = "docs/performance/instructions.json";
/// Percent by which a stage may take more than is kept, both beside the bare parse counted in the same run. Maps with random
/// keys make a count differ by less than 1.
const TOLERANCE: u64 = 3;
/// The stage that the others are held beside.
const BARE_PARSE: &str = "html5ever_bare_parse";
/// Key of the processor that the counts are of.
const PROCESSOR: &str = "processor";
/// Features of a processor for which the C library and string searches have code of their own.
const FEATURES: [&str; 6] = ["avx2", "avx512bw", "avx512vl", "bmi2", "erms", "fsrm"];
/// Pages that are measured: those of the corpus, and generated ones that are dense in tags.
const SETS: [&str; 2] = ["corpus", "dense"];
/// Functions listed of each set.
const LISTED: usize = 40;

/// Stages of a report: the name, and the function whose cost it is.
const STAGES: [(&str, &str); 6] = [
    (BARE_PARSE, "counts::stage_bare_parse"),
    ("tree", "counts::stage_tree"),
    ("decode_tree_facts", "counts::stage_read"),
    ("checks_fixes_proof", "counts::stage_judge"),
    ("proof", "audit::proof::proven"),
    ("json", "counts::stage_json"),
];

/// Instructions of one set of pages.
struct Counted {
    pages: u64,
    bytes: u64,
    profile: Profile,
}

impl Counted {
    fn stages(&self) -> Result<BTreeMap<&'static str, u64>> {
        let stage = |(name, function): (&'static str, &str)| {
            let cost = self.profile.inclusive(function);
            Ok((name, cost.with_context(|| format!("callgrind saw no call of {function}"))?))
        };
        STAGES.into_iter().map(stage).collect()
    }
}

/// Counts, and writes or (`--check`) compares. `--functions` prints the dearest functions too.
pub(crate) fn instructions(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut is_check, mut has_functions) = (false, false);
    for argument in arguments {
        match argument.as_str() {
            "--check" => is_check = true,
            "--functions" => has_functions = true,
            other => bail!("there is no option {other}; there are --check and --functions"),
        }
    }
    if !has("valgrind", &["--version"]) {
        packages::install(root, "valgrind", "counting instructions")?;
    }
    run(root, "cargo", &["build", "--release", "--locked", "--package", "counts"])?;
    let mut sets = Map::new();
    sets.insert(PROCESSOR.to_owned(), processor().into());
    for set in SETS {
        let Some(counted) = count(root, set)? else {
            println!("passed over: no corpus in the shared data (set SITE_AUDIT_SHARED)");
            continue;
        };
        let stages = counted.stages()?;
        print_stages(set, &stages);
        if has_functions {
            counted.profile.print_dearest(LISTED);
        }
        sets.insert(set.to_owned(), json!({ "pages": counted.pages, "bytes": counted.bytes, "instructions": stages }));
    }
    let kept = root.join(KEPT);
    if is_check {
        return compare(&serde_json::from_str(&std::fs::read_to_string(kept).context(KEPT)?)?, &sets);
    }
    if sets.len() <= SETS.len() {
        bail!("{KEPT} is only written with the corpus");
    }
    std::fs::create_dir_all(kept.parent().context(KEPT)?)?;
    std::fs::write(kept, format!("{:#}\n", Value::Object(sets)))?;
    Ok(())
}

/// Runs one set under callgrind; `None` where its pages are absent.
fn count(root: &Path, set: &str) -> Result<Option<Counted>> {
    let shared = std::env::var_os("SITE_AUDIT_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let folder = tempfile::tempdir()?;
    let profile = folder.path().join("callgrind.out");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--toggle-collect=counts::count_instructions"])
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(root.join("target/release/counts"))
        .arg(set)
        .env("SITE_AUDIT_SHARED", shared)
        .current_dir(root)
        .output()
        .context("valgrind could not be started")?;
    if !output.status.success() {
        bail!("counting {set} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let line = String::from_utf8_lossy(&output.stdout);
    let Some((pages, bytes)) =
        line.trim().split_once(' ').and_then(|(pages, bytes)| Some((pages.parse().ok()?, bytes.parse().ok()?)))
    else {
        return Ok(None);
    };
    Ok(Some(Counted { pages, bytes, profile: Profile::read(&std::fs::read_to_string(profile)?) }))
}

/// What a stage takes, and beside the bare parse of html5ever.
fn print_stages(set: &str, stages: &BTreeMap<&'static str, u64>) {
    let of = |name: &str| stages.get(name).copied().unwrap_or_default();
    let bare = of(BARE_PARSE);
    let proven = of("decode_tree_facts") + of("checks_fixes_proof") + of("json");
    let sums = [("whole_report", proven), ("without_proof", proven - of("proof"))];
    println!("{set}: millions of instructions, and beside the bare parse");
    for (name, cost) in STAGES.iter().map(|(name, _)| (*name, of(name))).chain(sums) {
        println!("{name:<24} {:>9.1} {:>6.2}", cost as f64 / 1e6, cost as f64 / bare as f64);
    }
}

/// The features of this processor that change counts, in a line.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = told.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let has = |feature: &&&str| flags.split_whitespace().any(|flag| flag == **feature);
    let found: Vec<&str> = FEATURES.iter().filter(has).copied().collect();
    [&[std::env::consts::ARCH][..], &found].concat().join(" ")
}

/// Fails where a stage takes more, beside the bare parse of its run, than is kept and tolerated.
fn compare(kept: &Value, now: &Map<String, Value>) -> Result<()> {
    let mut faults = Vec::new();
    if kept.get(PROCESSOR) != now.get(PROCESSOR) {
        let of = |counts: Option<&Value>| counts.and_then(Value::as_str).unwrap_or("an unknown one").to_owned();
        let [kept, now] = [of(kept.get(PROCESSOR)), of(now.get(PROCESSOR))];
        println!(
            "passed over: {KEPT} is of another processor ({kept}) than this one ({now}), on which other code runs"
        );
        return Ok(());
    }
    for (set, counted) in now.iter().filter(|(set, _)| *set != PROCESSOR) {
        let before = kept.get(set).with_context(|| format!("{KEPT} lacks {set}"))?;
        if ["pages", "bytes"].iter().any(|key| before.get(key) != counted.get(key)) {
            bail!("the pages of {set} are others than those of {KEPT}: write it again with `cargo xtask instructions`");
        }
        let stage = |counts: &Value, name: &str| counts.get("instructions")?.get(name)?.as_u64();
        let [old_parse, new_parse] = [before, counted].map(|counts| stage(counts, BARE_PARSE));
        let parses = old_parse.zip(new_parse).with_context(|| format!("{KEPT} lacks {BARE_PARSE} of {set}"))?;
        for (name, _) in STAGES {
            let costs = stage(before, name).zip(stage(counted, name));
            let costs = costs.with_context(|| format!("{KEPT} lacks {name} of {set}"))?;
            let [old, new] = [(costs.0, parses.0), (costs.1, parses.1)].map(|(cost, parse)| cost as f64 / parse as f64);
            let bound = 1.0 + TOLERANCE as f64 / 100.0;
            if new > old * bound {
                faults.push(format!("{set}, {name}: {new:.4} of the bare parse, and {old:.4} is kept"));
            } else if new * bound < old {
                println!("{set}, {name}: {new:.4} of the bare parse, less than the {old:.4} kept: write it again");
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("more instructions than {KEPT} tolerates:\n{}", faults.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts of one page where every stage but the bare parse costs the same.
    fn counts(parse: u64, cost: u64) -> Map<String, Value> {
        let mut stages: Map<String, Value> = STAGES.iter().map(|(name, _)| ((*name).to_owned(), json!(cost))).collect();
        stages.insert(BARE_PARSE.to_owned(), json!(parse));
        let set = json!({ "corpus": { "pages": 1, "bytes": 2, "instructions": stages } });
        set.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn more_than_the_tolerance_fails() {
        let kept = Value::Object(counts(1_000, 1_000));
        assert!(compare(&kept, &counts(1_000, 1_029)).is_ok());
        assert!(compare(&kept, &counts(1_000, 1_031)).is_err());
        assert!(compare(&kept, &counts(1_000, 10)).is_ok());
        assert!(compare(&json!({}), &counts(1_000, 1)).is_err());
        let other = json!({ "corpus": { "pages": 2, "bytes": 2, "instructions": { "json": 1_000 } } });
        assert!(compare(&other, &counts(1_000, 1)).is_err());
    }

    #[test]
    fn a_stage_is_held_beside_the_parse_and_on_the_same_processor_only() {
        let kept = Value::Object(counts(1_000, 2_000));
        assert!(compare(&kept, &counts(1_050, 2_100)).is_ok());
        assert!(compare(&kept, &counts(1_000, 2_100)).is_err());
        let mut other = counts(1_000, 2_100);
        other.insert(PROCESSOR.to_owned(), json!("x86_64 avx2"));
        assert!(compare(&kept, &other).is_ok());
    }
}
