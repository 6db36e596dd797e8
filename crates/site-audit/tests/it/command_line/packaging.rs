//! What packages take from the program and the repository.

use std::process::Command;

use super::{code, site_audit, stderr};
use crate::tidy::root;

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("new/man1");
    let output = site_audit(&["man", place.to_str().unwrap()], "");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let page = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
    assert!(page("site-audit.1").contains(".TH site-audit 1"));
    for command in ["serve", "audit", "site", "verify", "migrate", "operator"] {
        assert!(page(&format!("site-audit-{command}.1")).contains(".SH OPTIONS"), "{command}");
    }
    let refused = site_audit(&["man", "/proc/none"], "");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("writing manual pages into /proc/none"), "{}", stderr(&refused));
}

/// The bound is in tenths: below 2.0 of 10.
#[test]
fn the_unit_of_the_service_is_hardened() {
    let unit = root().join("packaging/debian/site-audit.service");
    let judged =
        Command::new("systemd-analyze").args(["security", "--offline=true", "--threshold=20"]).arg(unit).output();
    let Ok(judged) = judged else {
        println!("passed over, systemd's opinion of the unit: systemd-analyze is not installed");
        return;
    };
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
}

#[test]
fn the_hook_of_a_commit_says_what_it_lacks() {
    let hook = root().join("packaging/pre-commit/audit.sh");
    let said = |arguments: &[&str]| {
        let output = Command::new(&hook).args(arguments).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for (arguments, words) in
        [(&["page.html"][..], "--site"), (&["--site"], "needs a value"), (&["--loud", "x"], "unknown option --loud")]
    {
        let (code, words_said) = said(arguments);
        assert_eq!(code, 2);
        assert!(words_said.contains(words), "{words_said}");
    }
}

#[test]
fn the_hook_audits_each_file_under_its_address() {
    let site = tempfile::tempdir().unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_site-audit")).parent().unwrap();
    std::fs::create_dir_all(site.path().join("public/bread")).unwrap();
    for name in ["public/index.html", "public/bread/index.html", "public/bread/rye.html"] {
        std::fs::write(site.path().join(name), super::PAGE).unwrap();
    }
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let run = |bar: &[&str]| {
        Command::new(root().join("packaging/pre-commit/audit.sh").canonicalize().unwrap())
            .args(["--site", "https://example.com/", "--root", "public"])
            .args(bar)
            .args(["public/index.html", "public/bread/index.html", "public/bread/rye.html"])
            .current_dir(site.path())
            .env("PATH", &path)
            .output()
            .unwrap()
    };
    let failed = run(&[]);
    let text = String::from_utf8(failed.stdout).unwrap();
    for address in ["https://example.com/\n", "https://example.com/bread/\n", "https://example.com/bread/rye.html\n"] {
        assert!(text.contains(address), "{address} is not in {text}");
    }
    assert_eq!(failed.status.code(), Some(1), "the page has errors");
    assert_eq!(run(&["--fail-under", "0"]).status.code(), Some(0));
}
