//! `site-audit receipt`: signed receipts, verified without a server or network.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::Value;

use super::output::{BELOW_THE_BAR, print};
use render::shown::printable;
use service::receipts::{self, Jwk, JwkSet};

/// Bytes read of a file: far above a receipt, which has a report of at most 1 MiB.
const FILE_BYTES: u64 = 16 * 1024 * 1024;

/// What `receipt verify --help` says after the options.
const VERIFY_HELP: &str = "\
FILE is the answer of GET /api/audits/ID/receipt or GET /api/shared/SLUG/receipt. It may be formatted in any way. Get the keys
from the server's /.well-known/jwks.json, over https, and keep them: whoever can replace them can sign as that server.

Exit codes:
  0  the server with one of these keys signed this report
  1  it did not: the report was changed, or another key signed it
  2  a file could not be read, or the command is invalid

Examples:
  curl -s https://audit.example.com/.well-known/jwks.json > keys.json
  site-audit receipt verify receipt.json --jwks keys.json
  site-audit receipt verify receipt.json --jwks keys.json --report report.json";

/// Arguments of `site-audit receipt`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(super) struct ReceiptArguments {
    #[command(subcommand)]
    command: ReceiptCommand,
}

#[derive(Debug, Subcommand)]
enum ReceiptCommand {
    /// Verify a signed receipt, without network.
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifyReceipt),
}

#[derive(Debug, Args)]
struct VerifyReceipt {
    /// The receipt.
    file: PathBuf,
    /// The report that it is to be the receipt of, instead of the one inside: the answer of GET /api/audits/ID in the
    /// language of the receipt.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    keys: TrustedKeys,
}

/// The keys that are trusted.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct TrustedKeys {
    /// A public key as JWK.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Public keys as JWK set, as the server has them at /.well-known/jwks.json.
    #[arg(long, value_name = "FILE")]
    jwks: Option<PathBuf>,
}

/// A receipt, as it is read.
#[derive(Debug, Deserialize)]
struct ReadReceipt {
    report: Value,
    signature: String,
}

/// The report of a receipt, as it is printed.
#[derive(Debug, Deserialize)]
struct ReceiptSubject {
    url: String,
    score: u32,
    created_at: String,
}

impl ReceiptArguments {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            ReceiptCommand::Verify(verify) => verify.run(),
        }
    }
}

impl VerifyReceipt {
    fn run(self) -> Result<ExitCode> {
        let keys = self.keys.read()?;
        let ReadReceipt { report, signature } = read(&self.file, "a receipt")?;
        let report = match &self.report {
            Some(file) => read(file, "a report as JSON")?,
            None => report,
        };
        let subject = ReceiptSubject::deserialize(&report).context("the report has no url, score and created_at")?;
        match receipts::verify(&signature, report, &keys) {
            Ok(signed) => {
                let ReceiptSubject { url, score, created_at } = subject;
                print(&format!(
                    "valid: signed by {} with the key {}\n  page     {}\n  audited  {}\n  score    {score}\n",
                    printable(&signed.issuer),
                    printable(&signed.key),
                    printable(&url),
                    printable(&created_at),
                ))?;
                Ok(ExitCode::SUCCESS)
            }
            Err(invalid) => {
                print(&format!("not valid: {}\n", printable(&invalid.to_string())))?;
                Ok(ExitCode::from(BELOW_THE_BAR))
            }
        }
    }
}

impl TrustedKeys {
    fn read(&self) -> Result<Vec<Jwk>> {
        match (&self.key, &self.jwks) {
            (Some(file), _) => Ok(vec![read::<Jwk>(file, "a public key as JWK")?]),
            (_, Some(file)) => Ok(read::<JwkSet>(file, "a JWK set")?.keys),
            (None, None) => bail!("name the keys that you trust, with --jwks or --key"),
        }
    }
}

/// Reads a file of JSON; `what` it is to be, for the error.
fn read<T: for<'de> Deserialize<'de>>(file: &Path, what: &str) -> Result<T> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).and_then(|opened| opened.take(FILE_BYTES + 1).read_to_end(&mut bytes));
    opened.with_context(|| format!("{} could not be read", file.display()))?;
    if bytes.len() as u64 > FILE_BYTES {
        bail!("{} has more than 16 MB", file.display());
    }
    serde_json::from_slice(&bytes).with_context(|| format!("{} is not {what}", file.display()))
}
