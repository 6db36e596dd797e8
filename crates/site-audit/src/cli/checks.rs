//! `site-audit checks`.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use model::finding::Severity;
use model::lang::{Lang, Text, text};

use super::output::{LangName, print};
use render::catalog::check::Explained;
use render::catalog::near::nearest;
use render::catalog::{self, CatalogEntry};
use render::format::pretty;
use render::shown::printable;

/// What `--help` says after the options.
const MORE_HELP: &str = "\
An error costs 18 points of a page's score, a warning 8, a note (info) none. JSON is an array of all checks, or one
object for one check: code, severity, category, family, title, why, how, rule, thresholds, reference,
fix, not_measured, since.

Exit codes:
  0  success
  2  unknown check; similar codes are suggested

Examples:
  site-audit checks
  site-audit checks canonical_missing
  site-audit checks canonical_missing --lang pt-BR
  site-audit checks --format json > checks.json";

/// Arguments of `site-audit checks`.
#[derive(Debug, Args)]
#[command(after_help = MORE_HELP)]
pub(super) struct ChecksArguments {
    /// Explain this check only: its points, its fix, when it is not measured, and its source.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    code: Option<String>,
    /// Output format.
    #[arg(long, default_value = "text")]
    format: CatalogFormat,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
}

/// How the catalog is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CatalogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl ChecksArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let lang = Lang::from(self.lang);
        let all = catalog::entries();
        let text = match (&self.code, self.format) {
            (None, CatalogFormat::Text) => list(&all.collect::<Vec<_>>(), lang),
            (None, CatalogFormat::Json) => pretty(&all.map(|entry| Explained::new(entry, lang)).collect::<Vec<_>>())?,
            (Some(code), format) => {
                let Some(entry) = catalog::entry(code) else {
                    bail!("unknown check {}; {}", printable(code), near(code));
                };
                let explained = Explained::new(entry, lang);
                match format {
                    CatalogFormat::Text => explanation(&explained, entry.0.category.title().in_lang(lang), lang),
                    CatalogFormat::Json => pretty(&explained)?,
                }
            }
        };
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Suggestions for an unknown code.
fn near(unknown: &str) -> String {
    match nearest(unknown, catalog::entries().map(|(_, check)| check.code)).as_slice() {
        [] => "`site-audit checks` lists all codes".to_owned(),
        codes => format!("did you mean {}? `site-audit checks` lists all", codes.join(", ")),
    }
}

/// A severity for people; a finding of severity `info` is a note.
fn severity_name(severity: Severity, lang: Lang) -> &'static str {
    let name = match severity {
        Severity::Error => text("error", "erro"),
        Severity::Warn => text("warning", "aviso"),
        Severity::Info => text("note", "observação"),
    };
    name.in_lang(lang)
}

fn list(entries: &[CatalogEntry], lang: Lang) -> String {
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
            format_args!(
                "  {:<7}  {:<widest$}  {}\n",
                severity_name(check.severity, lang),
                check.code,
                check.title.in_lang(lang)
            ),
        );
    }
    push(&mut out, format_args!("\n{}\n", COUNT.phrase(&[("count", entries.len().into())]).in_lang(lang)));
    out
}

fn explanation(check: &Explained, category: &str, lang: Lang) -> String {
    const RULE: Text = text("The rule", "A regra");
    const HOW: Text = text("How to fix it", "Como corrigir");
    const UNMEASURED: Text = text("Not measured when", "Não é medida quando");
    const REFERENCE: Text = text("Reference", "Referência");
    let mut out = format!(
        "{} ({}, {})\n{}\n\n{}\n\n{}\n  {}\n\n{}\n  {}\n",
        check.code,
        severity_name(check.severity, lang),
        category,
        check.title,
        check.why,
        RULE.in_lang(lang),
        check.rule,
        HOW.in_lang(lang),
        check.how.replace('\n', "\n  "),
    );
    if !check.not_measured.is_empty() {
        push(&mut out, format_args!("\n{}\n", UNMEASURED.in_lang(lang)));
        for reason in &check.not_measured {
            push(&mut out, format_args!("  - {}\n", reason.text));
        }
    }
    push(&mut out, format_args!("\n{}\n  {}\n", REFERENCE.in_lang(lang), check.reference));
    out
}

/// Writing to a string can't fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _written = out.write_fmt(text);
}
