//! `site-audit pix`: a person reviews receipts and decides. No route of the service can.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use model::credit::PixState;
use store::{PixDecision, PixSummary, Store, StoreError};

use super::output::print;
use super::place::{self, with_store};
use render::shown::printable;
use service::ports::Ports;

/// Requests that are listed at most.
const LISTED: u32 = 200;
/// Characters of the bank's id of a Pix: `E`, the bank's number, the minute, and a part of its own.
const END_TO_END: usize = 32;

pub(super) const HELP: &str = "\
A request for credit is pending until you confirm that the money arrived. A decision is final.

Exit codes: 0 success, 2 failure.

Examples:
  site-audit pix list
  site-audit pix show 0123456789abcdef0123456789abcdef --out receipt.png
  site-audit pix release 0123456789abcdef0123456789abcdef --end-to-end E12345678202601310930abcdefghijk
  site-audit pix refuse 0123456789abcdef0123456789abcdef 123456789abcdef0123456789abcdef0";

/// Arguments of `site-audit pix`.
#[derive(Debug, Args)]
pub(super) struct PixArguments {
    #[command(subcommand)]
    command: PixCommand,
}

#[derive(Debug, Subcommand)]
enum PixCommand {
    /// List pending requests, oldest first.
    List {
        #[command(flatten)]
        place: place::ConfigArguments,
    },
    /// Show a request, and save its receipt to a file.
    Show {
        /// The request's id.
        id: String,
        /// File for the receipt; an existing file is not overwritten.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        #[command(flatten)]
        place: place::ConfigArguments,
    },
    /// Release a request, so that its credit can be spent.
    Release {
        /// The request's id.
        id: String,
        /// The bank's end-to-end id of the payment, as on the bank statement; one payment releases one request.
        #[arg(long, value_name = "E…")]
        end_to_end: String,
        #[command(flatten)]
        place: place::ConfigArguments,
    },
    /// Refuse requests.
    Refuse {
        /// Ids of the requests.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        #[command(flatten)]
        place: place::ConfigArguments,
    },
}

impl PixArguments {
    /// Runs the command.
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            PixCommand::List { place } => with_store(place, list),
            PixCommand::Show { id, out, place } => with_store(place, async |store| show(store, &id, out).await),
            PixCommand::Release { id, end_to_end, place } => {
                if !is_end_to_end(&end_to_end) {
                    bail!("--end-to-end must be E, 20 digits, and 11 letters or digits, as on the bank statement");
                }
                with_store(place, async |store| {
                    decide(&store, &id, PixDecision::Release { end_to_end_id: end_to_end }).await?;
                    Ok(ExitCode::SUCCESS)
                })
            }
            PixCommand::Refuse { ids, place } => with_store(place, async |store| refuse(store, &ids).await),
        }
    }
}

/// Whether a text is the bank's id of a Pix: `E[0-9]{8}[0-9]{12}[0-9A-Za-z]{11}`.
fn is_end_to_end(text: &str) -> bool {
    text.len() == END_TO_END
        && text.strip_prefix('E').and_then(|rest| rest.split_at_checked(20)).is_some_and(|(digits, own)| {
            digits.bytes().all(|b| b.is_ascii_digit()) && own.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}

async fn list(store: Store) -> Result<ExitCode> {
    let waiting = store.pending_pix(LISTED).await?;
    if waiting.is_empty() {
        print("nothing waits\n")?;
    }
    print(&waiting.iter().map(line).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn line(request: &PixSummary) -> String {
    let PixSummary { id, usd, brl_centavos, created_at, .. } = request;
    format!("{id}  {usd} USD  {}.{:02} BRL  {created_at}\n", brl_centavos / 100, brl_centavos % 100)
}

async fn show(store: Store, id: &str, out: Option<PathBuf>) -> Result<ExitCode> {
    let Some(request) = store.pix_request(id).await? else { bail!("unknown request {}", printable(id)) };
    let mut text = line(&request.summary);
    let state = match request.summary.state {
        PixState::Pending => "waits",
        PixState::Released => "released",
        PixState::Refused => "refused",
    };
    // Writing to a String can't fail.
    let _ = writeln!(text, "  {state}, at {} BRL per USD", request.brl_per_usd);
    for (what, value) in [("name", &request.name), ("e-mail", &request.email), ("paid by", &request.end_to_end_id)] {
        if let Some(value) = value {
            let _ = writeln!(text, "  {what}: {}", printable(value));
        }
    }
    match (&request.receipt, &out) {
        (Some(receipt), Some(path)) => {
            use std::io::Write as _;
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            // Personal data: readable by the operator only.
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(path).with_context(|| format!("{} could not be made", path.display()))?;
            file.write_all(&receipt.bytes).with_context(|| format!("{} could not be written", path.display()))?;
            let _ = writeln!(text, "  receipt: {}, written to {}", receipt.media_type, path.display());
        }
        (Some(receipt), None) => {
            let _ = writeln!(
                text,
                "  receipt: {}, {} bytes; --out FILE writes it",
                receipt.media_type,
                receipt.bytes.len()
            );
        }
        (None, _) => text.push_str("  receipt: forgotten\n"),
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses each of these, also after one that could not be.
async fn refuse(store: Store, ids: &[String]) -> Result<ExitCode> {
    let mut failed = Vec::new();
    for id in ids {
        if let Err(error) = decide(&store, id, PixDecision::Refuse).await {
            failed.push(error.to_string());
        }
    }
    if failed.is_empty() { Ok(ExitCode::SUCCESS) } else { bail!("{}", failed.join("; ")) }
}

async fn decide(store: &Store, id: &str, decision: PixDecision) -> Result<()> {
    let word = if decision == PixDecision::Refuse { "refused\n" } else { "released\n" };
    match store.decide_pix(id, decision, Ports::real().now()).await {
        Ok(true) => print(word)?,
        Ok(false) => bail!("no pending request {}", printable(id)),
        Err(StoreError::Conflict { .. }) => bail!("this payment already released another request"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banks_id_has_its_shape() {
        for (text, is) in [
            ("E12345678202601310930abcdefghijk", true),
            ("E12345678202601310930ABCDEFGHIJ1", true),
            ("E12345678202601310930abcdefghij", false),
            ("E1234567820260131093xabcdefghijk", false),
            ("D12345678202601310930abcdefghijk", false),
            ("E12345678202601310930abcdefghij!", false),
            ("", false),
        ] {
            assert_eq!(is_end_to_end(text), is, "{text}");
        }
    }
}
