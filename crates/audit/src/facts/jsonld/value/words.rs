//! Values that are words of a list: currencies, members of enumerations, kinds of employment.

use super::verdict::{ValueVerdict, judged};
use crate::facts::jsonld::graph::local;
use crate::facts::schema_org;

/// Currency codes.
const CURRENCIES: &str = include_str!("../../../data/currencies.txt");
/// Signs that stand for one currency only.
const SIGNS: [(&str, &str); 10] = [
    ("R$", "BRL"),
    ("US$", "USD"),
    ("€", "EUR"),
    ("₹", "INR"),
    ("₽", "RUB"),
    ("₺", "TRY"),
    ("₪", "ILS"),
    ("₫", "VND"),
    ("₴", "UAH"),
    ("₦", "NGN"),
];
/// Properties whose values are members of an enumeration of schema.org.
const ENUMERATIONS: [(&str, &str); 7] = [
    ("availability", "ItemAvailability"),
    ("eventAttendanceMode", "EventAttendanceModeEnumeration"),
    ("eventStatus", "EventStatusType"),
    ("itemCondition", "OfferItemCondition"),
    ("returnFees", "ReturnFeesEnumeration"),
    ("returnMethod", "ReturnMethodEnumeration"),
    ("returnPolicyCategory", "MerchantReturnEnumeration"),
];
/// Google's words for how a person is employed.
const EMPLOYMENT: [&str; 8] =
    ["FULL_TIME", "PART_TIME", "CONTRACTOR", "TEMPORARY", "INTERN", "VOLUNTEER", "PER_DIEM", "OTHER"];

/// Whether a text is a code of ISO 4217.
pub(super) fn is_currency(text: &str) -> bool {
    let lines = CURRENCIES.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| line.split(' ')).any(|code| code == text)
}

/// The code that a sign or a code in small letters stands for.
pub(super) fn repaired_currency(text: &str) -> Option<String> {
    let text = text.trim();
    let sign = SIGNS.iter().find(|(sign, _)| *sign == text).map(|(_, code)| (*code).to_owned());
    sign.or_else(|| Some(text.to_ascii_uppercase()).filter(|code| is_currency(code)))
}

/// Letters and digits in lower case: `in_stock` is `In stock`.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a property has members of an enumeration as values.
pub(super) fn is_of_enumeration(property: &str) -> bool {
    ENUMERATIONS.iter().any(|(name, _)| *name == property)
}

/// Judges a member of an enumeration, or else a kind of employment.
pub(super) fn judge_member(property: &str, text: &str) -> ValueVerdict {
    let text = text.trim();
    let Some((_, enumeration)) = ENUMERATIONS.iter().find(|(name, _)| *name == property) else {
        let meant = EMPLOYMENT.iter().find(|word| bare(word) == bare(text));
        return judged(EMPLOYMENT.contains(&text), || meant.map(|word| (*word).to_owned()));
    };
    let name = local(text);
    // Readers take the word without its class for the member: `new` for `NewCondition`.
    let short = |member: &str| bare(member.trim_start_matches("Event").trim_end_matches("Condition"));
    let members = || schema_org::members(enumeration);
    let meant = members().find(|member| bare(member) == bare(name) || short(member) == bare(name));
    judged(members().any(|member| member == name), || meant.map(|member| format!("https://schema.org/{member}")))
}
