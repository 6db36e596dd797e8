//! `site-audit checks`.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use audit::check::{Check, Family};
use audit::checks;
use clap::Args;
use model::lang::Lang;

use super::{LangName, print};

/// Arguments of `site-audit checks`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Explain this check only.
    code: Option<String>,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let lang = Lang::from(self.lang);
        let wanted = self.code.as_deref();
        let chosen: Vec<(&Family, &Check)> = checks::FAMILIES
            .iter()
            .flat_map(|family| family.checks.iter().map(move |check| (*family, check)))
            .filter(|(_, check)| wanted.is_none_or(|code| code == check.code))
            .collect();
        let text = match (wanted, self.json) {
            (Some(code), _) if chosen.is_empty() => {
                bail!("there is no check {code}; `site-audit checks` lists them{}", like(code))
            }
            (_, true) => json(&chosen, lang)?,
            (None, false) => list(&chosen, lang),
            (Some(_), false) => chosen.iter().map(|(family, check)| explanation(family, check, lang)).collect(),
        };
        print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The codes that share their first word with an unknown one.
fn like(code: &str) -> String {
    let word = code.split('_').next().unwrap_or_default();
    let near: Vec<&str> =
        checks::all().map(|check| check.code).filter(|known| known.split('_').next() == Some(word)).collect();
    if near.is_empty() { String::new() } else { format!("; near it: {}", near.join(", ")) }
}

fn list(chosen: &[(&Family, &Check)], lang: Lang) -> String {
    let widest = chosen.iter().map(|(_, check)| check.code.len()).max().unwrap_or_default();
    let mut out = String::new();
    let mut category = None;
    for (family, check) in chosen {
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
    push(&mut out, format_args!("\n{}\n", chosen.len()));
    out
}

fn explanation(family: &Family, check: &Check, lang: Lang) -> String {
    format!(
        "{} ({}, {})\n{}\n\n{}\n\n{}\n\n{}\n",
        check.code,
        check.severity.word(),
        family.category.word(),
        check.title.in_lang(lang),
        check.why.in_lang(lang),
        check.how.in_lang(lang),
        check.reference
    )
}

fn json(chosen: &[(&Family, &Check)], lang: Lang) -> Result<String> {
    let checks: Vec<serde_json::Value> = chosen
        .iter()
        .map(|(family, check)| {
            serde_json::json!({
                "code": check.code,
                "severity": check.severity,
                "category": family.category.word(),
                "family": family.slug,
                "title": check.title.in_lang(lang),
                "why": check.why.in_lang(lang),
                "how": check.how.in_lang(lang),
                "reference": check.reference,
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&checks)? + "\n")
}

/// Writing to a string can't fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _written = out.write_fmt(text);
}
