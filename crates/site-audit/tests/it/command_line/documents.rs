//! The guides show commands and options that the program has.

use super::{code, site_audit, stdout};
use crate::tidy::root;

const GUIDES: [&str; 6] =
    ["README.md", "docs/installing.md", "docs/lab.md", "docs/operating.md", "docs/quick-start.md", "docs/site-runs.md"];
/// Commands with commands of their own.
const GROUPS: [&str; 3] = ["lab", "operator", "pix"];

/// The words after `site-audit` of each line in the blocks of shell commands.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let mut is_shell = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
            continue;
        }
        let line = line.split(" # ").next().unwrap();
        // `sudo -u site-audit site-audit backup` names the account first.
        let words: Vec<&str> = line.split_whitespace().collect();
        if is_shell && let Some(at) = words.iter().rposition(|word| *word == "site-audit") {
            commands.push(words[at + 1..].to_vec());
        }
    }
    // What is no command ends with the name: `systemctl start site-audit`, `docker build --tag site-audit .`.
    commands.retain(|words| words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_lowercase())));
    commands
}

#[test]
fn commands_are_read_from_blocks_of_shell_commands() {
    let text = "site-audit a\n```sh\nsudo -u site-audit site-audit backup --config x # b\nstop site-audit\n```\n";
    assert_eq!(commands(text), [["backup", "--config", "x"]]);
}

#[test]
fn guides_show_commands_and_options_that_exist() {
    for guide in GUIDES {
        let text = std::fs::read_to_string(root().join(guide)).unwrap();
        let commands = commands(&text);
        assert!(!commands.is_empty(), "{guide} shows no command");
        for words in commands {
            let names = if GROUPS.contains(&words[0]) { 2 } else { 1 };
            let asked: Vec<&str> = words.iter().take(names).copied().chain(["--help"]).collect();
            let output = site_audit(&asked, "");
            assert_eq!(code(&output), 0, "{guide}: {words:?}");
            let help = stdout(&output);
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap();
                assert!(help.split_whitespace().any(|word| word == option), "{guide}: {option}");
            }
        }
    }
}
