//! Templates of texts: places, choices by number, and how numbers, sizes and languages are written.

use super::{Lang, Value, language_names};

/// Fills the places of a template; [`super::Text::phrase`] has the rules.
pub(super) fn fill(template: &str, values: &[(&str, Value)], lang: Lang) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        out.push_str(before);
        rest = after;
        if after.starts_with("{{") {
            let end = after.find("}}").map_or(after.len(), |end| end + 2);
            let (literal, tail) = after.split_at(end);
            out.push_str(literal);
            rest = tail;
            continue;
        }
        let Some(end) = end_of_place(after) else { break };
        let (place, tail) = after.split_at(end);
        out.push_str(&fill_place(place, values, lang));
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// Past the brace that closes the place at the beginning; places may lie in it.
fn end_of_place(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn fill_place(place: &str, values: &[(&str, Value)], lang: Lang) -> String {
    let inner = place.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(place);
    let mut parts = parts(inner).into_iter();
    let first = parts.next().unwrap_or_default();
    let (name, format) = first.split_once(':').map_or((first, None), |(name, format)| (name, Some(format)));
    let Some((_, value)) = values.iter().find(|(key, _)| *key == name) else { return place.to_owned() };
    match (parts.next(), parts.next(), format, value) {
        (Some(one), Some(more), _, _) => fill(if *value == Value::Number(1) { one } else { more }, values, lang),
        (_, _, Some("size"), Value::Number(bytes)) => size(*bytes, lang),
        (_, _, Some("language"), Value::Text(tag)) => language_names::name(tag, lang),
        (_, _, None, Value::Number(number)) => grouped(*number, lang),
        (_, _, None, Value::Text(text)) => text.clone(),
        (_, _, Some(_), _) => place.to_owned(),
    }
}

/// The parts of a choice: its name and what is written for one and for more.
fn parts(inner: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => {
                parts.extend(inner.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(inner.get(start..));
    parts
}

/// A number with separators of thousands: `109,566`, `109.566`.
pub(super) fn grouped(number: i64, lang: Lang) -> String {
    let separator = match lang {
        Lang::En => ',',
        Lang::PtBr => '.',
    };
    let digits = number.unsigned_abs().to_string();
    let mut out = if number < 0 { "-".to_owned() } else { String::new() };
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// Bytes of a KB, as vendors count their limits: Googlebot's 2 MB are 2,097,152 bytes.
const KB: i64 = 1024;
/// Bytes of a MB.
const MB: i64 = 1024 * KB;

/// A count of bytes: `1 byte`, `800 bytes`, `2.5 KB`, `64 KB`, `1.4 MB`. One decimal below 10 KB and from 1 MB on.
fn size(bytes: i64, lang: Lang) -> String {
    // Below so many tenths a decimal tells something.
    const TENTHS_SHOWN: i64 = 100;
    let tenths = |unit: i64| bytes.saturating_mul(10).saturating_add(unit / 2) / unit;
    if bytes < KB {
        return format!("{} {}", grouped(bytes, lang), if bytes == 1 { "byte" } else { "bytes" });
    }
    let in_kb = bytes.saturating_add(KB / 2) / KB;
    let (tenths, unit) = match in_kb {
        _ if tenths(KB) < TENTHS_SHOWN => (tenths(KB), "KB"),
        ..KB => (in_kb * 10, "KB"),
        _ => (tenths(MB), "MB"),
    };
    let whole = grouped(tenths / 10, lang);
    match (tenths % 10, lang) {
        (0, _) => format!("{whole} {unit}"),
        (tenth, Lang::En) => format!("{whole}.{tenth} {unit}"),
        (tenth, Lang::PtBr) => format!("{whole},{tenth} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::text;
    use super::*;

    #[track_caller]
    fn check(template: &str, values: &[(&str, Value)], wanted: &str) {
        assert_eq!(fill(template, values, Lang::En), wanted);
    }

    #[test]
    fn a_choice_may_hold_places_and_choices() {
        let only = "{total|The only image has|{count} of {total} images {count|has|have}} no alt.";
        let counts = |count: usize, total: usize| [("count", count.into()), ("total", total.into())];
        check(only, &counts(1, 1), "The only image has no alt.");
        check(only, &counts(1, 4), "1 of 4 images has no alt.");
        check(only, &counts(2_000, 4_000), "2,000 of 4,000 images have no alt.");
        check("{count|one {{TITLE}}|{count}}.", &[("count", 1usize.into())], "one {{TITLE}}.");
        check("{count|one {{TITLE}}|{count}}.", &[("count", 2usize.into())], "2.");
    }

    #[test]
    fn what_has_no_value_stays_visible() {
        check("{gone} end", &[], "{gone} end");
        check("{gone|a|{b}} end", &[], "{gone|a|{b}} end");
        check("{n:size}, {n:weight}", &[("n", "x".into())], "{n:size}, {n:weight}");
        check("open { brace", &[], "open { brace");
        check("{count|one", &[("count", 1usize.into())], "{count|one");
        check("{a} {b|one|more}", &[("a", "{b}".into()), ("b", 1usize.into())], "{b} one");
    }

    #[test]
    fn numbers_have_the_separators_of_their_language() {
        for (number, en, pt) in [
            (0, "0", "0"),
            (999, "999", "999"),
            (1_000, "1,000", "1.000"),
            (-12_345, "-12,345", "-12.345"),
            (109_566, "109,566", "109.566"),
            (i64::MIN, "-9,223,372,036,854,775,808", "-9.223.372.036.854.775.808"),
        ] {
            assert_eq!((grouped(number, Lang::En).as_str(), grouped(number, Lang::PtBr).as_str()), (en, pt));
        }
    }

    #[test]
    fn bytes_are_written_in_kb_and_mb() {
        for (bytes, en, pt) in [
            (1_i64, "1 byte", "1 byte"),
            (1_023, "1,023 bytes", "1.023 bytes"),
            (1_024, "1 KB", "1 KB"),
            (2_560, "2.5 KB", "2,5 KB"),
            (10_239, "10 KB", "10 KB"),
            (65_536, "64 KB", "64 KB"),
            (1_048_063, "1,023 KB", "1.023 KB"),
            (1_048_575, "1 MB", "1 MB"),
            (2_097_152, "2 MB", "2 MB"),
            (1_480_000, "1.4 MB", "1,4 MB"),
        ] {
            let phrase = text("{n:size}", "{n:size}").phrase(&[("n", bytes.into())]);
            assert_eq!((phrase.en.as_str(), phrase.pt.as_str()), (en, pt));
        }
    }

    #[test]
    fn languages_have_names() {
        let sentence = text("The text is in {lang:language}.", "O texto está em {lang:language}.");
        for (tag, en, pt) in [
            ("fr", "The text is in French.", "O texto está em francês."),
            ("PT-br", "The text is in Portuguese (PT-br).", "O texto está em português (PT-br)."),
            ("xx", "The text is in xx.", "O texto está em xx."),
        ] {
            let phrase = sentence.phrase(&[("lang", tag.into())]);
            assert_eq!((phrase.en.as_str(), phrase.pt.as_str()), (en, pt));
        }
    }
}
