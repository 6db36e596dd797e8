//! `Content-Signal` lines (contentsignals.org): what a site allows to be done with what is fetched.

use super::line::{self, LineKey, RobotsLine};

/// What may be signalled.
const KEYS: [&str; 3] = ["search", "ai-input", "ai-train"];
/// A key that Cloudflare's managed files have besides; its values are its own.
const FREE_KEY: &str = "use";
/// Other spellings of yes and no that can mean nothing else.
const YES: [&str; 5] = ["yes", "y", "true", "1", "allow"];
const NO: [&str; 6] = ["no", "n", "false", "0", "disallow", "deny"];

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignalFault {
    /// This part is no known key with `yes` or `no`.
    Unknown(String),
    /// It says yes to this, in a group that lets its crawlers fetch nothing.
    Closed(String),
}

/// A line that can't be followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignalLine {
    /// 1-based.
    pub(crate) line: u32,
    /// As written.
    pub(crate) text: String,
    /// What is wrong with it.
    pub(crate) fault: SignalFault,
    /// The line as it should be, when there is one reading.
    pub(crate) corrected: Option<String>,
}

/// The group that lines belong to.
#[derive(Debug, Default, Clone, Copy)]
struct SignalGroup {
    disallows_all: bool,
    allows: bool,
}

/// Whether a file has such lines, and those that can't be followed.
pub(crate) fn faults(text: &str) -> Option<Vec<SignalLine>> {
    let mut groups: Vec<SignalGroup> = Vec::new();
    let mut is_open = false;
    let mut found: Vec<(u32, &str, &str, Option<usize>)> = Vec::new();
    for (number, source) in line::lines(text) {
        let read = RobotsLine::read(source);
        match read.key {
            LineKey::UserAgent => {
                if !is_open {
                    groups.push(SignalGroup::default());
                }
                is_open = true;
            }
            LineKey::Allow | LineKey::Disallow => {
                is_open = false;
                if let Some(group) = groups.last_mut() {
                    group.allows |= read.key == LineKey::Allow && !read.value.is_empty();
                    group.disallows_all |= read.key == LineKey::Disallow && matches!(read.value, "/" | "/*" | "*");
                }
            }
            LineKey::Unsupported if is_signal(source) => {
                found.push((number, source.trim(), read.value, groups.len().checked_sub(1)));
            }
            LineKey::Unsupported | LineKey::Sitemap | LineKey::Unknown | LineKey::Blank => {}
        }
    }
    let closed = |group: Option<usize>| {
        group.and_then(|at| groups.get(at)).is_some_and(|group| group.disallows_all && !group.allows)
    };
    let judge = |(line, text, value, group): &(u32, &str, &str, Option<usize>)| {
        let (fault, corrected) = fault(value, closed(*group))?;
        Some(SignalLine { line: *line, text: (*text).to_owned(), fault, corrected })
    };
    (!found.is_empty()).then(|| found.iter().filter_map(judge).collect())
}

fn is_signal(source: &str) -> bool {
    source.split_once(':').is_some_and(|(name, _)| name.trim().eq_ignore_ascii_case("content-signal"))
}

/// What is wrong with a line's value, and the line as it should be.
fn fault(value: &str, is_closed: bool) -> Option<(SignalFault, Option<String>)> {
    // A path may stand in front; it limits what is said.
    let (path, list) = match value.split_once(char::is_whitespace) {
        Some((path, list)) if path.starts_with('/') => (Some(path), list),
        _ => (None, value),
    };
    let parts: Vec<&str> = list.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
    let read: Vec<Option<(String, &str)>> = parts.iter().map(|part| signal(part)).collect();
    let wrong = parts.iter().zip(&read).find(|(part, read)| match read {
        Some((key, value)) => key != FREE_KEY && format!("{key}={value}") != spaceless(part),
        None => true,
    });
    if let Some((part, _)) = wrong.or_else(|| parts.is_empty().then_some((&"", &None))) {
        let pairs: Option<Vec<String>> =
            read.iter().map(|read| read.as_ref().map(|(key, value)| format!("{key}={value}"))).collect();
        let pairs = pairs.filter(|pairs| !pairs.is_empty()).map(|pairs| pairs.join(", "));
        let path = path.map(|path| format!("{path} ")).unwrap_or_default();
        return Some((
            SignalFault::Unknown((*part).to_owned()),
            pairs.map(|pairs| format!("Content-Signal: {path}{pairs}")),
        ));
    }
    let says_yes = read.into_iter().flatten().find(|(_, value)| is_closed && path.is_none() && *value == "yes");
    says_yes.map(|(key, _)| (SignalFault::Closed(key), None))
}

/// Key and value in their right spelling; `None` where no reading is certain.
fn signal(part: &str) -> Option<(String, &str)> {
    let (key, value) = part.split_once('=').or_else(|| part.split_once(':'))?;
    let key = key.trim().to_ascii_lowercase().replace('_', "-");
    let value = value.trim();
    if key == FREE_KEY {
        return Some((key, value));
    }
    let is_one = |known: &[&str]| known.iter().any(|known| value.eq_ignore_ascii_case(known));
    let value = match (is_one(&YES), is_one(&NO)) {
        (true, _) => "yes",
        (_, true) => "no",
        _ => return None,
    };
    KEYS.contains(&key.as_str()).then_some((key, value))
}

/// A part in lower case, without spaces around its sign: case and space are free.
fn spaceless(part: &str) -> String {
    part.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(value: &str) -> Option<(SignalFault, Option<String>)> {
        fault(value, false)
    }

    #[test]
    fn known_signals_pass_in_any_case() {
        for fine in [
            "search=yes",
            "search=yes, ai-train=no",
            "AI-Input = No",
            "/docs ai-train=yes",
            "search=yes, use=reference",
        ] {
            assert_eq!(one(fine), None, "{fine}");
        }
    }

    #[test]
    fn what_is_certain_is_corrected_and_the_rest_is_told() {
        let corrected = |value: &str| one(value).unwrap().1;
        assert_eq!(corrected("search=true; ai_train:no").as_deref(), Some("Content-Signal: search=yes, ai-train=no"));
        assert_eq!(corrected("/a search=allow").as_deref(), Some("Content-Signal: /a search=yes"));
        for vague in ["", "search", "search=maybe", "training=no", "search=yes, all=no"] {
            assert_eq!(corrected(vague), None, "{vague}");
        }
        assert_eq!(one("search=yes, train=no").unwrap().0, SignalFault::Unknown("train=no".to_owned()));
    }

    #[test]
    fn a_group_that_is_closed_allows_nothing() {
        let closed = |rules: &str| faults(&format!("User-agent: *\nContent-Signal: ai-train=yes\n{rules}")).unwrap();
        assert_eq!(
            closed("Disallow: /").first().map(|line| line.fault.clone()),
            Some(SignalFault::Closed("ai-train".to_owned()))
        );
        assert!(closed("Disallow: /\nAllow: /public").is_empty());
        assert!(closed("Disallow: /private").is_empty());
        assert!(closed("Allow: /\nUser-agent: GPTBot\nDisallow: /\n").is_empty());
        assert_eq!(faults("User-agent: *\nDisallow: /\n"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_what_is_corrected_is_right(value in "[-a-z=,;: /_]{0,40}") {
            if let Some((_, Some(corrected))) = one(&value) {
                let again = corrected.trim_start_matches("Content-Signal: ");
                prop_assert_eq!(one(again), None);
            }
        }
    }
}
