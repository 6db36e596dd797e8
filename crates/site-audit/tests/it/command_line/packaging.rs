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

/// Answers over plain http of the proxy in `packaging/compose`, which a program that is installed runs; `None` without it.
fn plain_http_of_the_proxy(requests: &[&str]) -> Option<Vec<String>> {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpStream;

    let (http, https) = (testkit::free_port(), testkit::free_port());
    let folder = tempfile::tempdir().unwrap();
    let ours = std::fs::read_to_string(root().join("packaging/compose/Caddyfile")).unwrap();
    let settings = format!(
        "auto_https disable_redirects\nadmin off\nlocal_certs\nskip_install_trust\nhttp_port {http}\nhttps_port {https}\n"
    );
    let changed = ours.replacen("auto_https disable_redirects", &settings, 1);
    assert_ne!(changed, ours);
    std::fs::write(folder.path().join("Caddyfile"), changed).unwrap();
    let started = Command::new("caddy")
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(folder.path().join("Caddyfile"))
        .envs([("SITE_ADDRESS", "audit.localhost"), ("HOME", folder.path().to_str().unwrap())])
        .env("XDG_DATA_HOME", folder.path())
        .stderr(std::process::Stdio::piped())
        .spawn();
    let Ok(mut caddy) = started else {
        return None;
    };
    let mut lines = BufReader::new(caddy.stderr.take().unwrap()).lines().map(Result::unwrap);
    let log: Vec<String> = lines.by_ref().take_while(|line| !line.contains("serving initial configuration")).collect();
    let answers = requests.iter().map(|path| {
        let mut stream = TcpStream::connect(("127.0.0.1", http)).unwrap_or_else(|error| panic!("{error}: {log:?}"));
        write!(stream, "GET {path} HTTP/1.1\r\nhost: audit.localhost\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let answers = answers.collect();
    caddy.kill().unwrap();
    caddy.wait().unwrap();
    Some(answers)
}

#[test]
fn the_proxy_leads_people_to_https_and_refuses_programs_without_it() {
    let paths = ["/", "/checks?q=title", "/apis.json", "/api/", "/api/audits/1", "/mcp"];
    let Some(answers) = plain_http_of_the_proxy(&paths) else {
        println!("passed over, the proxy of packaging/compose: caddy is not installed");
        return;
    };
    for (path, answer) in paths.into_iter().zip(answers) {
        let is_program = path.starts_with("/api/") || path == "/mcp";
        let status = if is_program { "HTTP/1.1 403 " } else { "HTTP/1.1 308 " };
        assert!(answer.starts_with(status), "{path}: {answer}");
        let leads = answer.contains(&format!("Location: https://audit.localhost{path}\r\n"));
        assert_eq!(leads, !is_program, "{path}: {answer}");
    }
}
