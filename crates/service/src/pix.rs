//! Credit by Pix: offer, requests with receipts, and their status.

use model::credit::{PixOffer, PixPack, PixReceipt};
use model::lang::{Text, text};
use model::money::Micros;
use sha2::{Digest as _, Sha256};
use store::{NewCredit, NewPixRequest, PixSummary, ReceiptFile, Requested};

use crate::accounts::address::{Address, reachable};
use crate::brcode::{BrCode, plain};
use crate::caller::Cx;
use crate::credential::{TokenKind, token_digest};
use crate::database::Database;
use crate::error::{Code, ServiceError};
use crate::form::Field;
use crate::services::Services;
use crate::x402::{NO_PACK, PACKS};

/// Size limit of a receipt, in bytes. Chosen: 2 MiB, enough for a photo or a PDF.
pub const RECEIPT_BYTES: usize = 2 * 1024 * 1024;
/// Bytes allowed for the rest of the form: boundaries, names, other fields.
const FORM_BYTES: usize = 16 * 1024;
/// Characters of a buyer's name or e-mail at most.
const TEXT_CHARS: usize = 254;
/// Millionths of a dollar in a hundredth.
const MICROS_PER_CENT: u64 = 10_000;
/// The daily rate limit's counter of requests.
const PIX: &str = "pix";

/// Hex digits of a request's id.
const ID_DIGITS: usize = 32;

/// Magic numbers of the accepted receipt types.
const TYPES: [(&[u8], &str); 3] =
    [(b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"%PDF-", "application/pdf")];

/// The recipient, and the exchange rate.
#[derive(Debug, Clone)]
pub struct Receiver {
    key: String,
    name: String,
    city: String,
    /// Millionths of a real per dollar.
    rate: Micros,
}

/// A request that was accepted.
#[derive(Debug)]
pub struct AcceptedPix {
    /// Its id.
    pub id: String,
    /// The credit's token.
    pub token: String,
}

impl Receiver {
    /// As configured; [`Code::PixUnavailable`] when the configuration is incomplete.
    pub fn of(services: &Services) -> Result<Self, ServiceError> {
        let pix = services.config().pix.clone();
        match (pix.key, pix.name, pix.city, pix.brl_per_usd) {
            (Some(key), Some(name), Some(city), Some(rate)) => {
                Ok(Self { key, name: plain(&name), city: plain(&city), rate })
            }
            _ => Err(ServiceError::new(Code::PixUnavailable)),
        }
    }

    /// Price of a dollar amount, in centavos, rounded up.
    pub fn centavos(&self, usd: u32) -> u64 {
        (u64::from(usd) * self.rate.0).div_ceil(MICROS_PER_CENT)
    }

    /// Key and name of the recipient, as the payer's bank shows them.
    pub fn shown(&self) -> (&str, &str) {
        (&self.key, &self.name)
    }

    /// The Pix code that pays a pack.
    pub fn code(&self, usd: u32) -> String {
        let message = format!("Creditos {usd} USD");
        let code = BrCode {
            key: &self.key,
            name: &self.name,
            city: &self.city,
            centavos: Some(self.centavos(usd)),
            message: Some(&message),
            txid: None,
        };
        code.text()
    }

    /// The offer.
    pub fn offer(&self) -> PixOffer {
        let packs = PACKS.map(|usd| {
            let br_code = self.code(usd);
            PixPack { usd, brl_centavos: self.centavos(usd), qr_svg: qr_svg(&br_code), br_code }
        });
        let mut types: Vec<&'static str> = TYPES.iter().map(|(_, media_type)| *media_type).collect();
        types.push("image/webp");
        PixOffer {
            key: self.key.clone(),
            brl_per_usd: self.rate,
            packs: packs.into(),
            receipt: PixReceipt { types, max_bytes: RECEIPT_BYTES },
            release: "manual",
        }
    }
}

/// QR code as SVG. Black on white in any theme, otherwise scanners can't read it.
fn qr_svg(code: &str) -> String {
    let Some((path, size)) = render::qr::qr_path(code) else { return String::new() };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h{size}v{size}H0z\"/><path d=\"{path}\"/></svg>"
    )
}

/// The receipt's type, by magic number; its file name and declared type are ignored.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let media_type =
        TYPES.iter().find(|(beginning, _)| bytes.starts_with(beginning)).map(|(_, media_type)| *media_type);
    media_type.or(is_webp.then_some("image/webp"))
}

/// Accepts a request for credit. Checks the queue first, then the network's rate limit, then the form. `form` reads
/// the form up to a size limit, and may fail.
pub async fn request<F: AsRef<[Field]>>(
    cx: &Cx,
    form: impl AsyncFnOnce(usize) -> Result<F, ServiceError>,
) -> Result<AcceptedPix, ServiceError> {
    let services = &cx.services;
    let receiver = Receiver::of(services)?;
    let pix = &services.config().pix;
    if services.database().ask(|store| store.waiting_pix()).await? >= u64::from(pix.queue) {
        return Err(ServiceError::new(Code::PixQueueFull).retry_after(3_600));
    }
    let (database, ports, network) = (services.database(), services.ports(), cx.caller.network);
    let per_day = pix.requests_per_day;
    let none_left = || ServiceError::new(Code::RateLimited).retry_after(services.ports().seconds_to_midnight());
    if !services.allowance().has_left_of_day(database, ports, network, PIX, per_day).await? {
        return Err(none_left());
    }
    // The form is read before a use is spent: an aborted upload must not count.
    let fields = form(RECEIPT_BYTES + FORM_BYTES).await?;
    let (token, new) = read(cx, &receiver, fields.as_ref())?;
    if let Some(email) = &new.email {
        reachable(services, email).await?;
    }
    if !services.allowance().spend_daily(database, ports, network, PIX, per_day).await? {
        return Err(none_left());
    }
    let accepted = keep(database, token, new).await;
    if accepted.is_err() {
        services.allowance().release_daily(database, ports, network, PIX).await;
    }
    accepted
}

/// Parses the form, and makes the credit's token.
fn read(cx: &Cx, receiver: &Receiver, fields: &[Field]) -> Result<(String, NewPixRequest), ServiceError> {
    let services = &cx.services;
    let content = |name: &str| fields.iter().find(|field| field.name == name).map(|field| &field.content);
    let receipt = content("comprovante").filter(|bytes| !bytes.is_empty());
    if receipt.is_some_and(|bytes| bytes.len() > RECEIPT_BYTES) {
        const TOO_LARGE: Text =
            text("comprovante: send at most {bytes} bytes", "comprovante: envie no máximo {bytes} bytes");
        return Err(
            ServiceError::new(Code::BodyTooLarge).explained(TOO_LARGE.phrase(&[("bytes", RECEIPT_BYTES.into())]))
        );
    }
    let media_type = match receipt {
        Some(bytes) => Some(media_type(bytes).ok_or_else(|| ServiceError::new(Code::ReceiptType))?),
        None => None,
    };
    let usd = pack(content("usd").map(|bytes| bytes.as_ref()))?;
    let (Some(bytes), Some(media_type)) = (receipt, media_type) else {
        const MISSING: Text = text("comprovante: is missing", "comprovante: está faltando");
        return Err(ServiceError::new(Code::InvalidBody).explained(MISSING.into()));
    };
    let (name, email) = (text_field("nome", content("nome"))?, text_field("email", content("email"))?);
    if let Some(email) = &email {
        Address::parse(email)?;
    }
    let token = TokenKind::Credit.token(services.ports().entropy.bytes());
    let now = services.ports().now();
    let new = NewPixRequest {
        id: services.ports().nonce(),
        credit: NewCredit {
            id: services.ports().id(),
            token_digest: token_digest(&token),
            owner: cx.caller.owner().map(|owner| owner.to_string()),
            is_dev: false,
            network: None,
            created_at: now,
        },
        usd,
        brl_centavos: i64::try_from(receiver.centavos(usd)).unwrap_or(i64::MAX),
        brl_per_usd: receiver.rate.to_string(),
        receipt_digest: Sha256::digest(bytes).into(),
        receipt: ReceiptFile { media_type: media_type.to_owned(), bytes: bytes.to_vec() },
        name,
        email,
        queue: services.config().pix.queue,
        now,
    };
    Ok((token, new))
}

/// Stores the request.
async fn keep(database: &Database, token: String, new: NewPixRequest) -> Result<AcceptedPix, ServiceError> {
    let id = new.id.clone();
    match database.write(|store| store.request_pix(new)).await? {
        Requested::Accepted => Ok(AcceptedPix { id, token }),
        Requested::QueueFull => Err(ServiceError::new(Code::PixQueueFull).retry_after(3_600)),
        Requested::Duplicate { first } => Err(ServiceError::new(Code::ReceiptAlreadySent).with("id", first.into())),
    }
}

fn pack(usd: Option<&[u8]>) -> Result<u32, ServiceError> {
    let text = usd.and_then(|bytes| std::str::from_utf8(bytes).ok()).map(str::trim);
    // As it is written: `05` is none.
    PACKS
        .into_iter()
        .find(|usd| text == Some(&usd.to_string()))
        .ok_or_else(|| ServiceError::new(Code::InvalidBody).explained(NO_PACK.into()))
}

/// Parses an optional text field.
fn text_field(name: &str, bytes: Option<&bytes::Bytes>) -> Result<Option<String>, ServiceError> {
    const SHAPE: Text =
        text("{name}: use at most 254 characters on one line", "{name}: use no máximo 254 caracteres em uma linha");
    let refused = || ServiceError::new(Code::InvalidBody).explained(SHAPE.phrase(&[("name", name.into())]));
    let Some(bytes) = bytes else { return Ok(None) };
    let text = std::str::from_utf8(bytes).map_err(|_| refused())?.trim();
    if text.chars().count() > TEXT_CHARS || text.chars().any(char::is_control) {
        return Err(refused());
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// The status of a request, for its buyer; [`Code::PixRequestNotFound`] when there is none.
pub async fn status(services: &Services, id: &str) -> Result<PixSummary, ServiceError> {
    let unknown = || ServiceError::new(Code::PixRequestNotFound);
    // An invalid id is "not found", without a query.
    if id.len() != ID_DIGITS || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(unknown());
    }
    services.database().ask(|store| store.pix_summary(id)).await?.ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_told_by_the_first_bytes() {
        for (bytes, wanted) in [
            (&b"\xff\xd8\xff\xe0"[..], Some("image/jpeg")),
            (b"\x89PNG\r\n\x1a\nrest", Some("image/png")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"%PDF-1.7", Some("application/pdf")),
            (b"<svg", None),
            (b"", None),
        ] {
            assert_eq!(media_type(bytes), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn a_field_has_254_characters_on_one_line() {
        let read = |text: &str| text_field("nome", Some(&bytes::Bytes::from(text.to_owned())));
        assert_eq!(read(" Ana ").unwrap().as_deref(), Some("Ana"));
        assert_eq!((read(" ").unwrap(), text_field("nome", None).unwrap()), (None, None));
        assert!(read(&"é".repeat(254)).is_ok());
        for text in ["é".repeat(255), "a\nb".to_owned()] {
            assert_eq!(read(&text).unwrap_err().code, Code::InvalidBody, "{text}");
        }
        assert!(text_field("nome", Some(&bytes::Bytes::from_static(b"\xff"))).is_err());
    }

    #[test]
    fn a_price_in_reais_is_rounded_up() {
        let receiver = |micros| Receiver {
            key: "+5511987654321".to_owned(),
            name: "LOJA".to_owned(),
            city: "SAO PAULO".to_owned(),
            rate: Micros(micros),
        };
        for (rate, usd, centavos) in [(5_750_000, 5, 2_875), (5_333_333, 1, 534), (5_333_333, 25, 13_334), (1, 1, 1)] {
            assert_eq!(receiver(rate).centavos(usd), centavos, "{rate} {usd}");
        }
        assert!(receiver(5_750_000).code(5).contains("540528.75"));
        assert_eq!(receiver(1).shown(), ("+5511987654321", "LOJA"));
    }

    #[tokio::test]
    async fn a_form_has_16_kib_besides_its_receipt() {
        let test = crate::testing::service_on(|config| {
            let text = |text: &str| Some(text.to_owned());
            (config.pix.key, config.pix.name) = (text("+5511987654321"), text("Loja"));
            (config.pix.city, config.pix.brl_per_usd) = (text("Sao Paulo"), Some(Micros(5_000_000)));
        })
        .await;
        let mut most = 0;
        let form = async |bytes: usize| {
            most = bytes;
            Err::<Vec<Field>, _>(ServiceError::new(Code::BodyTooLarge))
        };
        let refused = request(&test.nobody(), form).await.unwrap_err();
        assert_eq!((refused.code, most), (Code::BodyTooLarge, (2 * 1024 + 16) * 1024));
    }
}
