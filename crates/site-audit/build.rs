//! Notes the commit that the program is built from, with its day, and has the linker put beside each other what runs together.
//!
//! Both names lack the prefix of configuration keys: `cargo run` and `cargo test` hand them on to the program, which
//! refuses to start with a key that it does not know.

use std::path::{Path, PathBuf};
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
    if let Some(order) = order() {
        println!("cargo::rustc-link-arg-bins={order}");
        // Functions of another version of the program have other names.
        println!("cargo::rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
}

/// The linker's option with the list of this profile, `order/release.txt` or `order/dist.txt`, which `cargo xtask order`
/// writes; `None` where there is none, or the linker has no such option.
#[expect(clippy::disallowed_methods, reason = "a build reads what cargo sets")]
fn order() -> Option<String> {
    println!("cargo::rerun-if-changed=order");
    let out = PathBuf::from(std::env::var_os("OUT_DIR")?);
    // target/PROFILE/build/site-audit-HASH/out
    let profile = out.ancestors().nth(3)?.file_name()?.to_str()?;
    let list = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).join("order").join(profile).with_extension("txt");
    let option = format!("-Wl,--symbol-ordering-file={}", list.to_str()?);
    (list.exists() && is_taken(&option, &out)).then_some(option)
}

/// Whether the linker takes an option: tried with a program that does nothing.
#[expect(clippy::disallowed_methods, reason = "a build asks the compiler that builds it")]
fn is_taken(option: &str, out: &Path) -> bool {
    let source = out.join("nothing.rs");
    if std::fs::write(&source, "fn main() {}").is_err() {
        return false;
    }
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.arg(&source).arg("-o").arg(out.join("nothing"));
    compiler.args(["-C", "link-arg=-Wl,--no-warn-symbol-ordering", "-C", &format!("link-arg={option}")]);
    if let Some(target) = std::env::var_os("TARGET") {
        compiler.arg("--target").arg(target);
    }
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        compiler.args(["-C", &format!("linker={linker}")]);
    }
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    compiler.output().is_ok_and(|output| output.status.success())
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
