//! A signed payment of the scheme `exact` as a header has it, in version 1 or 2 of x402, and the checks that ask nobody.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use model::lang::{Phrase, Text, text};
use model::money::Micros;
use serde::Deserialize;
use serde_json::{Value, json};
use store::PaymentKey;

use super::chain::{Chain, TOKEN_VERSION};
use crate::error::{Code, ServiceError};

/// Bytes of a payment header.
const HEADER_BYTES: usize = 8 * 1024;
/// Seconds that settling a verified payment takes at most, of the authorization's life.
const SETTLE_SECONDS: u64 = 6;
/// Why a payment in a version of x402 that is not supported is refused.
pub(crate) const UNSUPPORTED_VERSION: &str = "invalid_x402_version";
/// The largest 256-bit number, decimal.
const MOST: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
/// Hex digits of a smart wallet's signature at most; a plain account's has 130.
const MOST_SIGNATURE_DIGITS: usize = 6_000;

/// With padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A signed payment, parsed and not judged.
#[derive(Debug, Clone)]
pub struct SignedPayment {
    /// The caller's version of x402.
    pub version: u8,
    scheme: String,
    network: String,
    /// What the caller says it accepted; version 2 only.
    accepted: Option<Value>,
    /// Who pays what to whom.
    pub authorization: Authorization,
    signature: String,
    /// The id of the extension `payment-identifier`.
    pub identifier: Option<String>,
}

/// What was signed: EIP-3009's `TransferWithAuthorization`.
#[derive(Debug, Clone, Deserialize)]
pub struct Authorization {
    /// Who pays.
    pub from: String,
    to: String,
    value: String,
    #[serde(rename = "validAfter")]
    valid_after: String,
    #[serde(rename = "validBefore")]
    valid_before: String,
    nonce: String,
}

#[derive(Deserialize)]
struct Signed {
    signature: String,
    authorization: Authorization,
}

/// What a payment must agree with.
#[derive(Debug)]
pub struct ExpectedPayment<'a> {
    pub chain: &'a Chain,
    pub pay_to: &'a str,
    pub price: Micros,
    /// What is offered now, version 2.
    pub requirements: &'a Value,
    /// Seconds since 1970.
    pub now: u64,
    /// Seconds that the work may still take.
    pub work: u64,
}

fn unparseable(problem: impl Into<Phrase>) -> ServiceError {
    let Phrase { en, pt } = problem.into();
    ServiceError::new(Code::InvalidPayment)
        .explained(Phrase { en: format!("payment: {en}"), pt: format!("pagamento: {pt}") })
}

const NO_VERSION: Text = text("x402Version must be 1 or 2", "x402Version deve ser 1 ou 2");
const NOT_SIGNED: Text =
    text("payload must contain a signed authorization", "payload deve conter uma autorização assinada");
const NOT_HEX: Text = text(
    "{name} must be 0x followed by {digits} hex digits",
    "{name} deve ser 0x seguido de {digits} dígitos hexadecimais",
);
const NOT_NUMBER: Text =
    text("{name} must be a decimal number below 2^256", "{name} deve ser um número decimal abaixo de 2^256");
const NOT_SIGNATURE: Text = text(
    "signature must be 0x followed by at least 130 hex digits",
    "signature deve ser 0x seguido de ao menos 130 dígitos hexadecimais",
);

fn read(json: Value) -> Result<Option<SignedPayment>, ServiceError> {
    let word = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let version = json.get("x402Version").and_then(Value::as_u64);
    let accepted = json.get("accepted").cloned();
    let (version, scheme, network) = match version {
        Some(1) => (1, word(json.get("scheme")), word(json.get("network"))),
        Some(2) => {
            let accepted = accepted.as_ref();
            let of = |name: &str| word(accepted.and_then(|accepted| accepted.get(name)));
            (2, of("scheme"), of("network"))
        }
        Some(_) => return Ok(None),
        None if json.get("x402Version").is_some() => return Err(unparseable(NO_VERSION)),
        None => return Err(unparseable(text("x402Version is missing", "falta x402Version"))),
    };
    let identifier = json
        .pointer("/extensions/payment-identifier/info/id")
        .or_else(|| json.pointer("/extensions/payment-identifier/id"))
        .and_then(Value::as_str)
        .map(str::to_owned);
    let signed = json.get("payload").cloned().unwrap_or_default();
    let Signed { signature, mut authorization } =
        serde_json::from_value(signed).map_err(|_| unparseable(NOT_SIGNED))?;
    for (name, text, bytes) in [
        ("from", &mut authorization.from, 20),
        ("to", &mut authorization.to, 20),
        ("nonce", &mut authorization.nonce, 32),
    ] {
        if !is_hex(text, bytes) {
            return Err(unparseable(NOT_HEX.phrase(&[("name", name.into()), ("digits", (bytes * 2).into())])));
        }
        text.make_ascii_lowercase();
    }
    for (name, text) in [
        ("value", &authorization.value),
        ("validAfter", &authorization.valid_after),
        ("validBefore", &authorization.valid_before),
    ] {
        if !is_number(text) {
            return Err(unparseable(NOT_NUMBER.phrase(&[("name", name.into())])));
        }
    }
    let digits = signature.strip_prefix("0x").unwrap_or_default();
    if !(130..=MOST_SIGNATURE_DIGITS).contains(&digits.len())
        || digits.len() % 2 == 1
        || !digits.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return Err(unparseable(NOT_SIGNATURE));
    }
    Ok(Some(SignedPayment { version, scheme, network, accepted, authorization, signature, identifier }))
}

impl SignedPayment {
    /// The payment in the value of a header; `None` for a version of x402 that is not supported, `invalid_payment` for a
    /// value that can't be parsed.
    pub(super) fn parse(value: &[u8]) -> Result<Option<Self>, ServiceError> {
        if value.len() > HEADER_BYTES {
            return Err(unparseable(text("is larger than 8 KB", "tem mais de 8 KB")));
        }
        let json = BASE64
            .decode(value)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
            .ok_or_else(|| unparseable(text("must be JSON in base64", "deve ser JSON em base64")))?;
        read(json)
    }

    /// Its authorization, which the token accepts once (EIP-3009).
    pub fn key(&self, chain: &Chain) -> PaymentKey {
        PaymentKey {
            network: chain.caip2.to_owned(),
            asset: chain.asset.to_ascii_lowercase(),
            payer: self.authorization.from.clone(),
            nonce: self.authorization.nonce.clone(),
        }
    }

    /// When the authorization expires on the chain, in seconds since 1970.
    pub fn valid_before(&self) -> u64 {
        seconds(&self.authorization.valid_before)
    }

    /// Judges it without asking anybody; the reason of a refusal, a word of the x402 specification.
    pub fn judge(&self, expected: &ExpectedPayment<'_>) -> Result<(), &'static str> {
        let chain = expected.chain;
        let name = if self.version == 1 { chain.name } else { chain.caip2 };
        if self.scheme != "exact" {
            return Err("invalid_scheme");
        }
        if self.network != name {
            return Err("invalid_network");
        }
        if self.version == 2 && !self.accepted.as_ref().is_some_and(|accepted| agrees(accepted, expected.requirements))
        {
            return Err("invalid_payment_requirements");
        }
        let Authorization { to, value, valid_after, .. } = &self.authorization;
        if !to.eq_ignore_ascii_case(expected.pay_to) {
            return Err("invalid_exact_evm_payload_recipient_mismatch");
        }
        if significant(value) != expected.price.0.to_string() {
            return Err("invalid_exact_evm_payload_authorization_value");
        }
        if seconds(valid_after) > expected.now {
            return Err("invalid_exact_evm_payload_authorization_valid_after");
        }
        if self.valid_before() < expected.now.saturating_add(SETTLE_SECONDS).saturating_add(expected.work) {
            return Err("invalid_exact_evm_payload_authorization_valid_before");
        }
        Ok(())
    }

    /// As the facilitator takes it: always version 2, with requirements of ours.
    pub(crate) fn for_facilitator(&self, resource: &str, requirements: &Value) -> Value {
        let Authorization { from, to, value, valid_after, valid_before, nonce } = &self.authorization;
        json!({
            "x402Version": 2,
            "resource": {"url": resource},
            "accepted": requirements,
            "payload": {
                "signature": self.signature,
                "authorization": {
                    "from": from, "to": to, "value": value,
                    "validAfter": valid_after, "validBefore": valid_before, "nonce": nonce,
                },
            },
        })
    }
}

/// Whether what a caller accepted is what is offered: addresses without case, the amount as a number.
fn agrees(accepted: &Value, offered: &Value) -> bool {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let same = |name: &str| text(accepted, name).eq_ignore_ascii_case(&text(offered, name));
    let extra = |name: &str| {
        let of = |value: &Value| value.get("extra").and_then(|extra| extra.get(name)).cloned();
        of(accepted) == of(offered)
    };
    let amount = text(accepted, "amount");
    is_number(&amount)
        && significant(&amount) == text(offered, "amount")
        && same("asset")
        && same("payTo")
        && accepted.get("maxTimeoutSeconds") == offered.get("maxTimeoutSeconds")
        && extra("name")
        && extra("version")
}

/// Our requirements, version 2.
pub(super) fn requirements(chain: &Chain, pay_to: &str, price: Micros, seconds: u32) -> Value {
    json!({
        "scheme": "exact",
        "network": chain.caip2,
        "amount": price.0.to_string(),
        "asset": chain.asset,
        "payTo": pay_to,
        "maxTimeoutSeconds": seconds,
        "extra": {"name": chain.token, "version": TOKEN_VERSION},
    })
}

fn is_hex(text: &str, bytes: usize) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() == bytes * 2 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether a text is a decimal number below 2^256.
fn is_number(text: &str) -> bool {
    let digits = significant(text);
    !text.is_empty()
        && text.len() <= MOST.len()
        && text.bytes().all(|b| b.is_ascii_digit())
        && (digits.len() < MOST.len() || digits <= MOST)
}

/// A decimal number without zeros at its beginning.
fn significant(text: &str) -> &str {
    match text.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    }
}

/// A number of seconds; one that fits nowhere is the end of time.
fn seconds(text: &str) -> u64 {
    text.parse().unwrap_or(u64::MAX)
}
