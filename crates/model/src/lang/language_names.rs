//! Names of languages, for people.

use super::Lang;

/// Names by language subtag; the file says what its columns mean.
const NAMES: &str = include_str!("../data/language_names.tsv");

/// The name of a language tag's language in `lang`: `French`, `Portuguese (pt-BR)`; the tag itself where it has no name here.
pub(super) fn name(tag: &str, lang: Lang) -> String {
    let primary = tag.split(['-', '_']).next().unwrap_or(tag);
    let named = NAMES.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut columns = line.split('\t');
        columns.next().filter(|code| code.eq_ignore_ascii_case(primary))?;
        columns.nth(match lang {
            Lang::En => 0,
            Lang::PtBr => 1,
        })
    });
    match named {
        None => tag.to_owned(),
        Some(name) if primary.len() == tag.len() => name.to_owned(),
        Some(name) => format!("{name} ({tag})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_code_and_both_names() {
        for line in NAMES.lines().filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            assert!(
                matches!(columns[..], [code, en, pt] if code.len() == 2 && !en.is_empty() && !pt.is_empty()),
                "{line}"
            );
            assert_eq!(name(columns[0], Lang::En), columns[1]);
        }
    }
}
