//! `site-audit checks`.

mod conditions;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use audit::check::{Check, Family};
use audit::checks;
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use model::lang::{Lang, Text, text};
use serde_json::Value;

use self::conditions::Conditions;
use super::format::pretty;
use super::{LangName, print};
use crate::reason;
use crate::shown::printable;

/// Codes named to one who mistyped one.
const MOST_NEAR: usize = 5;
/// Bytes of an unknown code that are compared: codes are shorter.
const COMPARED: usize = 64;

/// What `--help` says after the options.
const MORE_HELP: &str = "\
An error takes 18 points of a page's score, a warning 8, a note (info) none. JSON is an array of all checks, or the
object of the one that is asked for: code, severity, category, family, title, why, how, reference, notMeasured.

Exit codes:
  0  printed
  2  there is no such check; the nearest codes are named

Examples:
  site-audit checks
  site-audit checks canonical_missing
  site-audit checks canonical_missing --lang pt-BR
  site-audit checks --format json > checks.json";

/// Arguments of `site-audit checks`.
#[derive(Debug, Args)]
#[command(after_help = MORE_HELP)]
pub(super) struct Arguments {
    /// Explain this check only: what it costs, how to fix it, when it is not measured, and who says so.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    code: Option<String>,
    /// How to print it.
    #[arg(long, default_value = "text")]
    format: Format,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
}

/// How the catalog is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

/// A check with the family it belongs to.
type Entry = (&'static Family, &'static Check);

impl Arguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let lang = Lang::from(self.lang);
        let mut all =
            checks::FAMILIES.iter().flat_map(|family| family.checks.iter().map(move |check| (*family, check)));
        let text = match (&self.code, self.format) {
            (None, Format::Text) => list(&all.collect::<Vec<_>>(), lang),
            (None, Format::Json) => {
                let conditions = Conditions::found();
                pretty(&all.map(|entry| object(entry, &conditions, lang)).collect::<Vec<_>>())?
            }
            (Some(code), format) => {
                let Some(entry) = all.find(|(_, check)| check.code == code) else {
                    bail!("there is no check {}; {}", printable(code), near(code));
                };
                let conditions = Conditions::found();
                match format {
                    Format::Text => explanation(entry, &conditions, lang),
                    Format::Json => pretty(&object(entry, &conditions, lang))?,
                }
            }
        };
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What one who asked for an unknown code may have meant.
fn near(unknown: &str) -> String {
    let unknown: String = unknown.to_lowercase().replace('-', "_").chars().take(COMPARED).collect();
    let first_word = |code: &str| code.split('_').next().map(str::to_owned);
    let mut near: Vec<(usize, &str)> = checks::all()
        .map(|check| (distance(&unknown, check.code), check.code))
        .filter(|(distance, code)| {
            *distance <= unknown.len() / 3 || first_word(code) == first_word(&unknown) || code.contains(&unknown)
        })
        .collect();
    near.sort_unstable();
    let codes: Vec<&str> = near.into_iter().take(MOST_NEAR).map(|(_, code)| code).collect();
    match codes.as_slice() {
        [] => "`site-audit checks` lists them".to_owned(),
        codes => format!("near it: {}; `site-audit checks` lists all", codes.join(", ")),
    }
}

/// Bytes to add, take away or change between two texts (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, byte) in from.bytes().enumerate() {
        let mut left = index + 1;
        let mut next = vec![left];
        for (other, above) in to.bytes().zip(row.windows(2)) {
            let &[diagonal, above] = above else { continue };
            left = (diagonal + usize::from(byte != other)).min(above + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

fn list(entries: &[Entry], lang: Lang) -> String {
    const COUNT: Text = text(
        "{count} checks; `site-audit checks CODE` explains one.",
        "{count} verificações; `site-audit checks CODE` explica uma.",
    );
    let widest = entries.iter().map(|(_, check)| check.code.len()).max().unwrap_or_default();
    let mut out = String::new();
    let mut category = None;
    for (family, check) in entries {
        if category != Some(family.category) {
            let gap = if category.is_some() { "\n" } else { "" };
            category = Some(family.category);
            push(&mut out, format_args!("{gap}{}\n", family.category.title().in_lang(lang)));
        }
        push(
            &mut out,
            format_args!("  {:<5}  {:<widest$}  {}\n", check.severity.word(), check.code, check.title.in_lang(lang)),
        );
    }
    push(&mut out, format_args!("\n{}\n", COUNT.phrase(&[("count", entries.len().into())]).in_lang(lang)));
    out
}

fn explanation((family, check): Entry, conditions: &Conditions, lang: Lang) -> String {
    const HOW: Text = text("How to fix it", "Como corrigir");
    const UNMEASURED: Text = text("Not measured where", "Não é medida onde");
    const REFERENCE: Text = text("Reference", "Referência");
    let mut out = format!(
        "{} ({}, {})\n{}\n\n{}\n\n{}\n  {}\n",
        check.code,
        check.severity.word(),
        family.category.title().in_lang(lang),
        check.title.in_lang(lang),
        check.why.in_lang(lang),
        HOW.in_lang(lang),
        check.how.in_lang(lang).replace('\n', "\n  "),
    );
    let reasons: BTreeSet<String> =
        conditions.of(check.code).map(|word| reason::in_words(word).in_lang(lang).to_owned()).collect();
    if !reasons.is_empty() {
        push(&mut out, format_args!("\n{}\n", UNMEASURED.in_lang(lang)));
        for reason in reasons {
            push(&mut out, format_args!("  - {reason}\n"));
        }
    }
    push(&mut out, format_args!("\n{}\n  {}\n", REFERENCE.in_lang(lang), check.reference));
    out
}

fn object((family, check): Entry, conditions: &Conditions, lang: Lang) -> Value {
    serde_json::json!({
        "code": check.code,
        "severity": check.severity,
        "category": family.category.word(),
        "family": family.slug,
        "title": check.title.in_lang(lang),
        "why": check.why.in_lang(lang),
        "how": check.how.in_lang(lang),
        "reference": check.reference,
        "notMeasured": conditions.of(check.code).collect::<Vec<_>>(),
    })
}

/// Writing to a string can't fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _written = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_changes() {
        for (from, to, expected) in [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3)] {
            assert_eq!((distance(from, to), distance(to, from)), (expected, expected), "{from} {to}");
        }
    }

    #[test]
    fn a_mistyped_code_finds_its_neighbours() {
        for (typed, meant) in [
            ("titel_missing", "title_missing"),
            ("title_gone", "title_missing"),
            ("Canonical-Missing", "canonical_missing"),
            ("canonical", "canonical_missing"),
        ] {
            assert!(near(typed).contains(meant), "{typed}: {}", near(typed));
        }
        assert_eq!(near("zzzzzzzz"), "`site-audit checks` lists them");
        assert_eq!(near(&"x".repeat(1_000_000)), "`site-audit checks` lists them");
    }
}
