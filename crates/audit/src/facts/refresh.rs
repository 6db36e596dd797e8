//! Refresh values: of `Refresh` headers and `meta http-equiv=refresh`.

/// Delay in seconds and target of a refresh value (WHATWG HTML §4.2.5.3, "shared declarative refresh steps").
pub fn parse_refresh(value: &str) -> Option<(u64, Option<String>)> {
    let value = value.trim_start();
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = value.split_at(digits);
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let delay = if digits == 0 { 0 } else { number.parse().unwrap_or(u64::MAX) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    if rest.is_empty() {
        return Some((delay, None));
    }
    let after_key = rest.get(..3).filter(|key| key.eq_ignore_ascii_case("url")).and_then(|_| rest.get(3..));
    let target = after_key.and_then(|after| after.trim_start().strip_prefix('=')).map_or(rest, str::trim_start);
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target.get(1..).unwrap_or_default().split(quote).next().unwrap_or_default(),
        _ => target,
    };
    Some((delay, Some(target.trim_end().to_owned()).filter(|target| !target.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_values_of_every_spelling_are_read() {
        let read = |value| parse_refresh(value).map(|(delay, url)| (delay, url.unwrap_or_default()));
        assert_eq!(read("0; url=/a"), Some((0, "/a".to_owned())));
        assert_eq!(read("5;URL='https://x/ y'"), Some((5, "https://x/ y".to_owned())));
        assert_eq!(read("3, /b"), Some((3, "/b".to_owned())));
        assert_eq!(read("30"), Some((30, String::new())));
        assert_eq!(read(".5;url=c"), Some((0, "c".to_owned())));
        assert_eq!(read("never"), None);
    }
}
