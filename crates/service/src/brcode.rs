//! BR Code, the payload of Pix QR codes (Banco Central do Brasil; EMV merchant-presented mode).

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;

/// Characters of the recipient's name at most.
const NAME: usize = 25;
/// Characters of the recipient's city at most.
const CITY: usize = 15;
/// Characters of a transaction id at most.
const TXID: usize = 25;
/// Characters of the account template (key and message) at most.
const ACCOUNT: usize = 99;
/// Characters of an e-mail key at most.
const EMAIL: usize = 77;

/// A payment request.
#[derive(Debug, Clone)]
pub struct BrCode<'a> {
    /// The recipient's key.
    pub key: &'a str,
    /// The recipient's name.
    pub name: &'a str,
    /// The recipient's city.
    pub city: &'a str,
    /// Amount in centavos; `None`: the payer chooses.
    pub centavos: Option<u64>,
    /// Message to the payer; truncated to what fits.
    pub message: Option<&'a str>,
    /// Transaction id: letters and digits, at most 25.
    pub txid: Option<&'a str>,
}

impl BrCode<'_> {
    /// The payload.
    pub fn text(&self) -> String {
        let mut account = field("00", "br.gov.bcb.pix") + &field("01", self.key);
        if let Some(message) = self.message {
            // Four characters are the field's id and length.
            let room = ACCOUNT.saturating_sub(account.len() + 4);
            let message = cut(&ascii(message), room);
            if !message.is_empty() {
                account += &field("02", &message);
            }
        }
        let mut code = field("00", "01") + &field("26", &account) + &field("52", "0000") + &field("53", "986");
        if let Some(centavos) = self.centavos {
            code += &field("54", &format!("{}.{:02}", centavos / 100, centavos % 100));
        }
        let txid: String =
            self.txid.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).take(TXID).collect();
        let txid = if txid.is_empty() { "***" } else { &txid };
        code += &field("58", "BR");
        code += &field("59", &cut(&ascii(self.name), NAME));
        code += &field("60", &cut(&ascii(self.city), CITY));
        code += &field("62", &field("05", txid));
        code += "6304";
        let crc = crc16(code.as_bytes());
        // Writing to a string does not fail.
        let _ = write!(code, "{crc:04X}");
        code
    }
}

/// A field: id, length in two digits, value.
fn field(id: &str, value: &str) -> String {
    format!("{id}{:02}{value}", value.len())
}

/// A text in upper-case ASCII without accents, which every bank accepts.
pub fn plain(text: &str) -> String {
    ascii(text).to_ascii_uppercase()
}

/// A text without accents and non-ASCII characters.
fn ascii(text: &str) -> String {
    text.nfd().filter(|c| c.is_ascii() && !c.is_ascii_control()).collect::<String>().trim().to_owned()
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect::<String>().trim_end().to_owned()
}

/// CRC-16/CCITT-FALSE: polynomial 0x1021, initial value 0xFFFF.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xFFFF, |crc, byte| {
        (0..8).fold(
            crc ^ (u16::from(*byte) << 8),
            |crc: u16, _| {
                if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
            },
        )
    })
}

/// Whether a text is a Pix key: CPF, CNPJ, phone, e-mail or random key.
pub(crate) fn is_key(text: &str) -> bool {
    is_cpf(text) || is_cnpj(text) || is_phone(text) || is_email(text) || is_random(text)
}

fn is_cpf(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let is_check = |count: usize| {
        let weights = (2..=u32::try_from(count).unwrap_or_default() + 1).rev();
        let sum: u32 = digits.iter().take(count).zip(weights).map(|(digit, weight)| digit * weight).sum();
        digits.get(count) == Some(&check_digit(sum))
    };
    text.len() == 11
        && digits.len() == 11
        && digits.windows(2).any(|pair| pair.first() != pair.last())
        && is_check(9)
        && is_check(10)
}

/// May contain letters (Receita Federal, from July 2026): each character counts as its ASCII code less 48.
fn is_cnpj(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_check = |count: usize| {
        // Weights 2 to 9 from the right, repeating.
        let sum: u32 = bytes
            .iter()
            .take(count)
            .rev()
            .zip((2..=9).cycle())
            .map(|(byte, weight)| u32::from(byte.saturating_sub(48)) * weight)
            .sum();
        bytes.get(count).map(|byte| u32::from(byte.saturating_sub(48))) == Some(check_digit(sum))
    };
    let (body, checks) = bytes.split_at(bytes.len().min(12));
    bytes.len() == 14
        && body.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && checks.iter().all(u8::is_ascii_digit)
        && bytes.windows(2).any(|pair| pair.first() != pair.last())
        && is_check(12)
        && is_check(13)
}

fn check_digit(sum: u32) -> u32 {
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

fn is_phone(text: &str) -> bool {
    text.strip_prefix("+55")
        .is_some_and(|digits| (10..=11).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_email(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && b != b'@');
    text.len() <= EMAIL
        && !text.bytes().any(|b| b.is_ascii_uppercase())
        && text.split_once('@').is_some_and(|(local, domain)| is_part(local) && is_part(domain) && domain.contains('.'))
}

fn is_random(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok_and(|uuid| uuid.hyphenated().to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "123e4567-e12b-12d1-a456-426655440000";

    #[test]
    fn the_check_sum_is_ccitt_false() {
        assert_eq!(crc16(b"123456789"), 0x29B1);
    }

    #[test]
    fn a_code_is_the_one_of_the_central_bank() {
        let code =
            BrCode { key: KEY, name: "Fulano de Tal", city: "BRASILIA", centavos: None, message: None, txid: None };
        assert_eq!(
            code.text(),
            "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D"
        );
    }

    #[test]
    fn an_amount_a_message_and_a_transfer_have_their_places() {
        let (name, city) = (plain("Loja Exemplo"), plain("São Paulo"));
        let code = BrCode {
            key: KEY,
            name: &name,
            city: &city,
            centavos: Some(2_875),
            message: Some("Créditos 5 USD"),
            txid: Some("CRED5ABCD1234EFGH5678"),
        };
        assert_eq!(
            code.text(),
            "00020126760014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400000214Creditos 5 USD520400005303986540528.755802BR5912LOJA EXEMPLO6009SAO PAULO62250521CRED5ABCD1234EFGH56786304B8E6"
        );
        let long = BrCode { message: Some(&"x".repeat(200)), name: &"ção ".repeat(20), ..code };
        assert!(long.text().contains("2699") && long.text().contains("5925"), "{}", long.text());
    }

    #[test]
    fn keys_are_of_five_kinds() {
        for key in ["52998224725", "11222333000181", "12ABC34501DE35", "+5511987654321", "loja@exemplo.com.br", KEY] {
            assert!(is_key(key), "{key}");
        }
        for not in [
            "52998224726",
            "11111111111",
            "11222333000182",
            "12ABC34501DE36",
            "+551198765432x",
            "+1415555",
            "LOJA@exemplo.com",
            "loja@",
            "123E4567-E12B-12D1-A456-426655440000",
            "",
            "abc",
            "00000000000000",
        ] {
            assert!(!is_key(not), "{not}");
        }
    }
}
