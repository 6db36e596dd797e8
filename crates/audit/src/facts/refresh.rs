//! Refresh values: of `Refresh` headers and `meta http-equiv=refresh`.

/// Delay in seconds and target of a refresh value (WHATWG HTML §4.2.5.3, "shared declarative refresh steps"). `None` for
/// what is none: no digits, or digits that something other than `;`, `,` or white space follows.
pub fn parse_refresh(value: &str) -> Option<(u64, Option<String>)> {
    let value = value.trim_start_matches(is_space);
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = value.split_at(digits);
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let delay = if digits == 0 { 0 } else { number.parse().unwrap_or(u64::MAX) };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.is_empty() && !rest.starts_with(|c| matches!(c, ';' | ',') || is_space(c)) {
        return None;
    }
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start_matches(is_space);
    let target = target(rest).trim_end_matches(is_space);
    Some((delay, (!target.is_empty()).then(|| target.to_owned())))
}

/// The address after the delay, without `url=` and quotes.
fn target(rest: &str) -> &str {
    let after_key = rest.get(..3).filter(|key| key.eq_ignore_ascii_case("url")).and_then(|_| rest.get(3..));
    let after_sign = after_key.and_then(|after| after.trim_start_matches(is_space).strip_prefix('='));
    let target = after_sign.map_or(rest, |after| after.trim_start_matches(is_space));
    match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target.get(1..).unwrap_or_default().split(quote).next().unwrap_or_default(),
        _ => target,
    }
}

/// ASCII white space (WHATWG Infra).
fn is_space(c: char) -> bool {
    c.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refresh_values_of_every_spelling_are_read() {
        let read = |value| parse_refresh(value).map(|(delay, url)| (delay, url.unwrap_or_default()));
        for (value, delay, url) in [
            ("0; url=/a", 0, "/a"),
            ("5;URL='https://x/ y'", 5, "https://x/ y"),
            ("3, /b", 3, "/b"),
            ("3 /b", 3, "/b"),
            ("30", 30, ""),
            ("30 ;", 30, ""),
            (".5;url=c", 0, "c"),
            ("1.5.5;url=c", 1, "c"),
            ("3;\"/d\" e", 3, "/d"),
            ("3; url /e", 3, "url /e"),
            ("3;; /f", 3, "; /f"),
        ] {
            assert_eq!(read(value), Some((delay, url.to_owned())), "{value}");
        }
    }

    #[test]
    fn after_the_delay_comes_a_separator_or_nothing_is_read() {
        for value in
            ["never", "", ";url=/a", "3: url=/a", "3s; url=/a", "3url=/a", "3-/a", "3\u{a0};url=/a", "-3;url=/a"]
        {
            assert_eq!(parse_refresh(value), None, "{value}");
        }
    }
}
