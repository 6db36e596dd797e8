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
    for option in link_options() {
        println!("cargo::rustc-link-arg-bins={option}");
    }
}

/// The table of addresses that the loader has to change, packed: a bit for most of them instead of 24 bytes. Programs of glibc need
/// 2.36 to be started then.
const PACKED_ADDRESSES: &str = "-Wl,-z,pack-relative-relocs";

/// Options of the linker for the program of a profile that has a list of functions, as far as it takes them.
#[expect(clippy::disallowed_methods, reason = "a build reads what cargo sets")]
fn link_options() -> Vec<String> {
    println!("cargo::rerun-if-changed=order");
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else { return Vec::new() };
    let Some(order) = order(&out) else { return Vec::new() };
    let mut options = Vec::new();
    let tried = Trial { program: out.join("nothing") };
    if tried.is_linked(&order) {
        // Functions of another version of the program have other names.
        options.extend([order, "-Wl,--no-warn-symbol-ordering".to_owned()]);
    }
    if tried.is_linked(PACKED_ADDRESSES) && tried.runs() {
        options.push(PACKED_ADDRESSES.to_owned());
    }
    options
}

/// The linker's option with the list of this profile, `order/release.txt` or `order/dist.txt`, which `cargo xtask order`
/// writes; `None` where there is none.
#[expect(clippy::disallowed_methods, reason = "a build reads what cargo sets")]
fn order(out: &Path) -> Option<String> {
    // target/PROFILE/build/site-audit-HASH/out
    let profile = out.ancestors().nth(3)?.file_name()?.to_str()?;
    let list = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR")?).join("order").join(profile).with_extension("txt");
    list.exists().then(|| Some(format!("-Wl,--symbol-ordering-file={}", list.to_str()?)))?
}

/// A program that does nothing, linked to see what the linker takes.
struct Trial {
    program: PathBuf,
}

impl Trial {
    /// Whether the linker takes an option.
    #[expect(clippy::disallowed_methods, reason = "a build asks the compiler that builds it")]
    fn is_linked(&self, option: &str) -> bool {
        let source = self.program.with_extension("rs");
        if std::fs::write(&source, "fn main() {}").is_err() {
            return false;
        }
        let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        compiler.arg(&source).arg("-o").arg(&self.program);
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

    /// Whether what was linked last can be started here.
    #[expect(clippy::disallowed_methods, reason = "a build tries what it has linked")]
    fn runs(&self) -> bool {
        Command::new(&self.program).output().is_ok_and(|output| output.status.success())
    }
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
