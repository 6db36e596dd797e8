//! Prices, plain numbers and trade item numbers.

/// Characters of a price that is looked at.
const LONGEST: usize = 32;

/// Digits, with a point before decimals.
pub(super) fn is_price(text: &str) -> bool {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    [whole, decimals].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The price as a number, by the decimal mark of the page's language. `may_drop_unit`: the currency stands elsewhere.
pub(super) fn repaired_price(text: &str, decimal_mark: char, may_drop_unit: bool) -> Option<String> {
    let text = text.trim();
    let first = text.find(|c: char| c.is_ascii_digit()).filter(|_| text.len() <= LONGEST)?;
    let last = text.rfind(|c: char| c.is_ascii_digit())?;
    let (before, amount, after) = (text.get(..first)?.trim(), text.get(first..=last)?, text.get(last + 1..)?.trim());
    let is_unit = |unit: &str| unit.chars().all(|c| !c.is_ascii() || c.is_ascii_uppercase() || c == '$');
    let has_unit = !before.is_empty() || !after.is_empty();
    if has_unit && !may_drop_unit || !is_unit(before) || !is_unit(after) {
        return None;
    }
    let (whole, decimals) = amount.split_once(decimal_mark).map_or((amount, None), |(whole, rest)| (whole, Some(rest)));
    let group_mark = if decimal_mark == ',' { '.' } else { ',' };
    let mut groups = whole.split([group_mark, ' ', '\u{a0}', '\u{202f}']);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let lead = groups.next().filter(|lead| is_digits(lead))?;
    let rest: Vec<&str> = groups.collect();
    let is_grouped =
        rest.iter().all(|group| group.len() == 3 && is_digits(group)) && (rest.is_empty() || lead.len() <= 3);
    let whole = format!("{lead}{}", rest.concat());
    let price = decimals.map_or_else(|| whole.clone(), |decimals| format!("{whole}.{decimals}"));
    (is_grouped && is_price(&price)).then_some(price)
}

/// A number, and as it is to be written where a comma stood for the point.
pub(super) fn number(text: &str) -> Option<(f64, Option<String>)> {
    let text = text.trim();
    let is_plain = |text: &str| text.strip_prefix('-').map_or_else(|| is_price(text), is_price);
    if is_plain(text) {
        return Some((text.parse().ok()?, None));
    }
    let with_point = text.replacen(',', ".", 1);
    is_plain(&with_point).then(|| Some((with_point.parse().ok()?, Some(with_point.clone())))).flatten()
}

/// Whether a text is a trade item number: 8, 12, 13 or 14 digits, the last one right (GS1 General Specifications §7.9).
pub(super) fn is_gtin(text: &str) -> bool {
    let digits = || text.bytes().rev().map(|byte| u32::from(byte.wrapping_sub(b'0')));
    let weighed: u32 = digits().take(14).enumerate().map(|(at, digit)| digit * if at % 2 == 0 { 1 } else { 3 }).sum();
    matches!(text.len(), 8 | 12 | 13 | 14)
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && weighed.is_multiple_of(10)
}

/// The number without its spaces and hyphens, and with the zeros that were lost in front.
pub(super) fn repaired_gtin(text: &str, length: Option<usize>) -> Option<String> {
    let digits = text.trim().replace([' ', '-'], "");
    if is_gtin(&digits) {
        return Some(digits);
    }
    let length = length.or_else(|| [8, 12, 13, 14].into_iter().find(|length| *length > digits.len()))?;
    Some(format!("{digits:0>length$}")).filter(|gtin| !digits.is_empty() && is_gtin(gtin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prices_are_read_by_the_decimal_mark_of_the_language() {
        let comma = |text| repaired_price(text, ',', true);
        assert_eq!(comma("1.299,00").as_deref(), Some("1299.00"));
        assert_eq!(comma("R$ 10").as_deref(), Some("10"));
        assert_eq!(comma("R$\u{a0}1.299").as_deref(), Some("1299"));
        assert_eq!(comma("1 299,5 €").as_deref(), Some("1299.5"));
        assert_eq!(repaired_price("$1,299.00", '.', true).as_deref(), Some("1299.00"));
        assert_eq!(repaired_price("R$ 10", ',', false), None);
        assert_eq!(repaired_price("10,50", ',', false).as_deref(), Some("10.50"));
        for text in ["", "free", "1.29,00", "10-20", "from 10", "1,2,3", "10,", "12345.678,0", "{{10}}"] {
            assert_eq!(comma(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_have_a_point() {
        assert_eq!(number("4.5"), Some((4.5, None)));
        assert_eq!(number("-23,55"), Some((-23.55, Some("-23.55".to_owned()))));
        assert_eq!(number("1,2,3"), None);
        assert_eq!(number("five"), None);
    }

    #[test]
    fn trade_item_numbers_end_with_their_check_digit() {
        for gtin in ["96385074", "036000291452", "4006381333931", "14006381333938"] {
            assert!(is_gtin(gtin), "{gtin}");
        }
        for gtin in ["", "4006381333930", "400638133393", "400638133393é", "0"] {
            assert!(!is_gtin(gtin), "{gtin}");
        }
        assert_eq!(repaired_gtin("4 006381 333931", None).as_deref(), Some("4006381333931"));
        assert_eq!(repaired_gtin("36000291452", None).as_deref(), Some("036000291452"));
        assert_eq!(repaired_gtin("36000291452", Some(13)).as_deref(), Some("0036000291452"));
        assert_eq!(repaired_gtin("4006381333930", None), None);
        assert_eq!(repaired_gtin("", Some(8)), None);
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in "[0-9.,$ R€-]{0,20}") {
            let _judged = (is_gtin(&text), repaired_gtin(&text, None), number(&text));
            for mark in [',', '.'] {
                prop_assert!(repaired_price(&text, mark, true).is_none_or(|price| is_price(&price)));
            }
        }
    }
}
