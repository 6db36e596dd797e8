//! Signed receipts: that this server audited a page at a time and found what the report says. Anybody verifies one without
//! this server, with its public keys.

mod canonical;
mod jws;

use anyhow::Context as _;
use model::lang::{Lang, Text, text};
use model::report::StoredAudit;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::{ReceiptKeyRecord, StoredReport};

use crate::blocking::off_worker;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use canonical::Uncanonical;
use jws::Signer;
pub use jws::{InvalidSignature, Jwk, JwkSet, Signed};

/// Path of the public keys.
pub const KEYS_PATH: &str = "/.well-known/jwks.json";
/// The member of a report that is not signed: where it is shared now.
const UNSIGNED: &str = "share_slug";

/// A signed report (Recibo).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Recibo")]
pub struct Receipt {
    /// The audit in the language of the call, with nothing put off. `share_slug` is null and not signed.
    report: StoredAudit,
    /// Detached JWS (RFC 7515 appendix F, Ed25519) of the canonical JSON (RFC 8785) of `report` without `share_slug`.
    signature: String,
    /// Where the public keys are, a JWK set (RFC 7517).
    keys: String,
}

/// Signs an audit as it is read now. The same audit gets the same receipt, until it has another lab test or the server
/// another secret. [`Code::AuthUnavailable`] where the server has no secret to sign with.
pub async fn receipt(services: &Services, stored: StoredReport, lang: Lang) -> Result<Receipt, ServiceError> {
    let key = signer(services)?;
    keep(services, &key).await?;
    let (issuer, keys) = (services.base_url().to_owned(), services.url(KEYS_PATH));
    off_worker(move || {
        let (report, signature) = signed(&key, &issuer, &stored, lang).map_err(|error| unsigned(&error))?;
        Ok(Receipt { report, signature, keys })
    })
    .await?
}

/// The key of this server's secret.
fn signer(services: &Services) -> Result<Signer, ServiceError> {
    const NO_SECRET: Text = text(
        "This server has no auth.secret to sign with, or plain http as its public address.",
        "Este servidor não tem auth.secret para assinar, ou seu endereço público é http.",
    );
    let keys = services.vault().keys().map_err(|error| error.saying(NO_SECRET))?;
    Signer::new(keys.receipt_seed()).map_err(|error| unsigned(&error))
}

fn unsigned(error: &anyhow::Error) -> ServiceError {
    tracing::error!(%error, "an audit can't be signed");
    ServiceError::new(Code::Internal)
}

/// Stores the public key, unless it is there, so that it stays in the set when the secret is replaced.
async fn keep(services: &Services, key: &Signer) -> Result<(), ServiceError> {
    let record = ReceiptKeyRecord {
        id: key.public().kid.clone(),
        public_key: key.public_key(),
        created_at: services.ports().now(),
    };
    if !services.database().ask(|store| store.has_receipt_key(&record.id)).await? {
        services.database().write(|store| store.keep_receipt_key(&record)).await?;
    }
    Ok(())
}

fn signed(key: &Signer, issuer: &str, stored: &StoredReport, lang: Lang) -> anyhow::Result<(StoredAudit, String)> {
    let mut report = StoredAudit { share_slug: None, ..stored.stored_audit(lang) };
    // A page may declare numbers that have no canonical form.
    report.json_ld.retain(|block| canonical::canonical(block).is_ok());
    let payload = payload(serde_json::to_value(&report).context("the report")?)?;
    let signature = key.sign(issuer, &payload)?;
    Ok((report, signature))
}

/// The public keys of this server: that of its secret, and all that signed receipts before.
pub async fn keys(services: &Services) -> Result<JwkSet, ServiceError> {
    let current = match services.vault().off() {
        None => Some(signer(services)?.public().clone()),
        Some(_) => None,
    };
    let stored = services.database().ask(|store| store.receipt_keys()).await?;
    let stored = stored.iter().map(|record| Jwk::new(&record.public_key)).filter(|key| Some(key) != current.as_ref());
    let stored: Vec<Jwk> = stored.collect();
    Ok(JwkSet { keys: current.into_iter().chain(stored).collect() })
}

/// Verifies a signature over a report, which may be formatted in any way. Needs no server.
pub fn verify(signature: &str, report: Value, keys: &[Jwk]) -> Result<Signed, InvalidSignature> {
    // What has no canonical form was never signed.
    let payload = payload(report).map_err(|_| InvalidSignature::Changed)?;
    jws::verify(signature, &payload, keys)
}

/// The text that is signed of a report.
fn payload(mut report: Value) -> Result<String, Uncanonical> {
    if let Value::Object(fields) = &mut report {
        fields.remove(UNSIGNED);
    }
    canonical::canonical(&report)
}
