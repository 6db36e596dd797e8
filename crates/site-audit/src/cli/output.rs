//! Output of the commands: standard output, standard error, exit codes, language.

use std::io::Write as _;

use anyhow::Context as _;
use clap::ValueEnum;
use model::lang::Lang;

/// Language of the texts.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum LangName {
    /// English.
    #[default]
    En,
    /// Brazilian Portuguese.
    #[value(name = "pt-BR", alias = "pt")]
    PtBr,
}

impl From<LangName> for Lang {
    fn from(name: LangName) -> Self {
        match name {
            LangName::En => Self::En,
            LangName::PtBr => Self::PtBr,
        }
    }
}

/// Below the bar that the caller set.
pub(super) const BELOW_THE_BAR: u8 = 1;
/// Nothing could be audited.
pub(super) const COULD_NOT_AUDIT: u8 = 2;

/// Writes to stdout. A reader that went away (`| head`) is no error.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("could not write to standard output")
        }
        _ => Ok(()),
    }
}

/// Writes one line for a person.
pub(super) fn tell(line: &str) {
    // Progress that can't be shown is no reason to stop.
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Unless `NO_COLOR` is set to anything (no-color.org), or the terminal says that it knows none.
#[expect(clippy::disallowed_methods, reason = "conventions of terminals, not settings of the service")]
pub(super) fn is_colour_wanted() -> bool {
    let is_set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    is_set("NO_COLOR").is_none() && is_set("TERM").is_none_or(|term| term != "dumb")
}
