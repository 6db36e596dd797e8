//! Hosts in punycode, for a reader: behind the form on the wire the one in letters (UTS #46), where it can't be taken
//! for another.

use icu_properties::CodePointMapData;
use icu_properties::props::Script;
use idna::uts46::{AsciiDenyList, Hyphens, Uts46};
use url::Url;

/// An address, followed by its Unicode host where it is in Punycode and safe to read.
pub fn address(url: &str) -> String {
    beside(url, Url::parse(url).ok().and_then(|url| in_letters(url.host_str()?)))
}

/// A host, followed by its Unicode form, as [`address`] does.
pub fn host(host: &str) -> String {
    beside(host, in_letters(host))
}

fn beside(shown: &str, letters: Option<String>) -> String {
    letters.map_or_else(|| shown.to_owned(), |letters| format!("{shown} ({letters})"))
}

/// The host in letters. `None` where it has no other form, or one that is no name, or one that may deceive.
fn in_letters(host: &str) -> Option<String> {
    let mut is_plain = true;
    let (letters, read) =
        Uts46::new().to_user_interface(host.as_bytes(), AsciiDenyList::URL, Hyphens::Allow, |label, _, _| {
            is_plain &= is_honest(label);
            true
        });
    (read.is_ok() && is_plain && letters != host).then(|| letters.into_owned())
}

/// Scripts that are written together ("highly restrictive", UTS #39 §5.2).
const TOGETHER: [&[Script]; 3] = [
    &[Script::Latin, Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Latin, Script::Han, Script::Bopomofo],
    &[Script::Latin, Script::Han, Script::Hangul],
];

/// Cyrillic letters that are drawn as Latin ones (Chromium, `idn_spoof_checker.cc`, 2026-11).
const LIKE_LATIN: &str = "асԁеһіјӏорԛѕԝхуԍ";

/// Whether a label looks like nothing but itself: of one script, or of those of one language; without signs, without
/// letters that belong to no alphabet, and not all of Cyrillic letters that are drawn as Latin ones.
fn is_honest(label: &[char]) -> bool {
    let mut scripts = Vec::new();
    for letter in label.iter().filter(|c| !matches!(c, '0'..='9' | '-')) {
        match script(*letter) {
            Script::Common | Script::Inherited | Script::Unknown => return false,
            Script::Latin if !is_of_an_alphabet(*letter) => return false,
            script => scripts.push(script),
        }
    }
    let is_one = scripts.windows(2).all(|pair| pair.first() == pair.last());
    let is_of_one_language = TOGETHER.iter().any(|set| scripts.iter().all(|script| set.contains(script)));
    let is_mimicry = label.iter().all(|c| c.is_ascii() || LIKE_LATIN.contains(*c));
    (is_one || is_of_one_language) && !is_mimicry
}

fn script(letter: char) -> Script {
    match letter {
        // The sign for long vowels is of both kinds of kana.
        '\u{30FC}' => Script::Katakana,
        _ => CodePointMapData::<Script>::new().get(letter),
    }
}

/// Whether a Latin letter is one that a language is written in today: no click, no letter of phonetics, no variant form.
fn is_of_an_alphabet(letter: char) -> bool {
    matches!(letter, 'a'..='z' | '\u{DF}'..='\u{17F}' | '\u{1A0}'..='\u{1B0}' | '\u{1CD}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u16_a_host_in_punycode_is_shown_in_letters_too() {
        for (typed, letters) in [
            ("münchen.de", "münchen.de"),
            ("ação.com.br", "ação.com.br"),
            ("пример.рф", "пример.рф"),
            ("日本語ドメイン.jp", "日本語ドメイン.jp"),
            ("データー.jp", "データー.jp"),
            ("한국.kr", "한국.kr"),
            ("παράδειγμα.gr", "παράδειγμα.gr"),
            ("हिन्दी.in", "हिन्दी.in"),
            ("עברית.com", "עברית.com"),
            ("việt-nam-24.vn", "việt-nam-24.vn"),
        ] {
            let url = Url::parse(&format!("https://{typed}/x")).unwrap();
            assert_eq!(address(url.as_str()), format!("{url} ({letters})"));
            let wire = url.host_str().unwrap();
            assert_eq!(host(wire), format!("{wire} ({letters})"));
        }
    }

    #[test]
    fn what_may_deceive_is_shown_in_punycode_alone() {
        for typed in [
            "gооgle.com",
            "аррӏе.com",
            "ехаmрӏе.com",
            "example╱a.com",
            "ɡoogle.com",
            "exampleǃ.com",
            "a☃.com",
            "münchen.gооd.de",
        ] {
            let url = Url::parse(&format!("https://{typed}/")).unwrap();
            assert!(url.host_str().unwrap().contains("xn--"), "{typed}");
            assert_eq!(address(url.as_str()), url.as_str(), "{typed}");
        }
    }

    #[test]
    fn other_hosts_have_one_form() {
        for url in [
            "https://example.com/?q=münchen",
            "http://[::1]/",
            "http://127.0.0.1/",
            "https://xn--zzz---.com/",
            "no url",
            "",
        ] {
            assert_eq!(address(url), url);
        }
    }
}
