//! Notes the commit that the program is built from, with its day.
//!
//! Both names lack the prefix of configuration keys: `cargo run` and `cargo test` hand them on to the program, which
//! refuses to start with a key that it does not know.

use std::path::Path;
use std::process::Command;

#[expect(clippy::disallowed_methods, reason = "a build reads what cargo and its caller set")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SITE_AUDIT_BUILD");
    let given = std::env::var("SITE_AUDIT_BUILD").ok().filter(|id| !id.is_empty());
    let id = given.or_else(commit).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=BUILD_COMMIT={id}");
    // The day of the commit, as of content that changes with it; empty outside a checkout.
    let day = git(&["log", "-1", "--format=%cs"]).unwrap_or_default();
    println!("cargo::rustc-env=BUILD_DAY={day}");
}

/// The short id of the checked-out commit; `None` outside a checkout.
fn commit() -> Option<String> {
    // The log of HEAD changes with every commit and checkout. A file that is not there would rebuild every time.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&["rev-parse", "--short=9", "HEAD"])
}

#[expect(clippy::disallowed_methods, reason = "a build asks git for its commit")]
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
