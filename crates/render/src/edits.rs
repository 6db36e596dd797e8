//! The edits of a fix in words: what to add, replace, move or delete, with the text before and after.

use model::fix::{Fix, FixEdit, Verb};
use model::lang::{Lang, Text, text};

/// Edits that are written out of one fix; the report's JSON has all.
const MOST: usize = 10;

/// One edit as it is shown.
#[derive(Debug)]
pub struct EditStep<'f> {
    /// What to do and where: `Replace on line 5`.
    pub what: String,
    /// What goes, or moves; `None` where something is added.
    pub before: Option<&'f str>,
    /// What comes; `None` where something is deleted or moved as it is.
    pub after: Option<&'f str>,
    /// `before` stays as it is, in another place.
    pub is_moved: bool,
}

/// The edits of a ready fix, at most 10 of them, and how many more there are.
pub fn steps<T>(fix: &Fix<T>, lang: Lang) -> (Vec<EditStep<'_>>, usize) {
    (fix.edits.iter().take(MOST).map(|edit| step(edit, lang)).collect(), fix.edits.len().saturating_sub(MOST))
}

fn step(edit: &FixEdit, lang: Lang) -> EditStep<'_> {
    const ADD: Text = text("Add on line {line}", "Adicione na linha {line}");
    const REPLACE: Text = text("Replace on line {line}", "Substitua na linha {line}");
    const MOVE: Text = text("Move from line {line} to line {to}", "Mova da linha {line} para a linha {to}");
    const DELETE: Text = text("Delete on line {line}", "Apague na linha {line}");
    let words = match edit.verb {
        Verb::Add => ADD,
        Verb::Replace => REPLACE,
        Verb::Move => MOVE,
        Verb::Delete => DELETE,
    };
    let values = [("line", edit.at.line.into()), ("to", edit.to.map_or(edit.at.line, |to| to.line).into())];
    let (before, after) = (edit.before.trim_matches('\n'), edit.after.trim_matches('\n'));
    let is_moved_as_it_is = edit.verb == Verb::Move && before == after;
    EditStep {
        what: words.phrase(&values).in_lang(lang).to_owned(),
        before: Some(before).filter(|text| !text.is_empty()),
        after: Some(after).filter(|text| !text.trim().is_empty() && !is_moved_as_it_is),
        is_moved: is_moved_as_it_is,
    }
}

/// What a fix has to apply: a file's content, its edits as lines of a comparison (`-` goes, `+` comes), or a template.
pub fn ready<T>(fix: &Fix<T>, lang: Lang) -> Option<String> {
    if let Some(file) = &fix.file {
        return Some(file.content.clone());
    }
    if fix.edits.is_empty() {
        return fix.snippet.clone().filter(|snippet| !snippet.is_empty());
    }
    let (steps, more) = steps(fix, lang);
    let mut lines: Vec<String> = Vec::new();
    for EditStep { what, before, after, is_moved } in steps {
        let mark = if is_moved { ' ' } else { '-' };
        lines.push(format!("{what}:"));
        lines.extend(before.into_iter().flat_map(str::lines).map(|line| format!("{mark} {line}")));
        lines.extend(after.into_iter().flat_map(str::lines).map(|line| format!("+ {line}")));
    }
    lines.extend((more > 0).then(|| more_edits(more, lang)));
    Some(lines.join("\n"))
}

/// The line that says how many edits are left out.
pub fn more_edits(count: usize, lang: Lang) -> String {
    const MORE: Text =
        text("{count} more {count|edit|edits} in the patch", "Mais {count} {count|edição|edições} no patch");
    MORE.phrase(&[("count", count.into())]).in_lang(lang).to_owned()
}

#[cfg(test)]
mod tests {
    use audit::example;

    use super::*;

    fn shown(page: &str, code: &str, lang: Lang) -> String {
        let report = audit::report(&example::page(example::PAGE_URL, page));
        let fix = report.fixes.iter().find(|fix| fix.code == code).unwrap_or_else(|| panic!("no {code}"));
        ready(fix, lang).unwrap()
    }

    #[test]
    fn an_edit_says_what_goes_and_what_comes() {
        let head = "<!doctype html>\n<html lang=en>\n<head><meta charset=utf-8><title>Bread and butter</title>";
        assert_eq!(
            shown(&format!("{head}\n<meta name=viewport content=''></head><p>a"), "viewport_missing", Lang::En),
            "Replace on line 4:\n- <meta name=viewport content=''>\n+ <meta name=viewport content=\"width=device-width, initial-scale=1\">"
        );
        assert_eq!(
            shown(&format!("{head}</head><p>a"), "viewport_missing", Lang::PtBr),
            "Adicione na linha 3:\n+ <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        );
        let twice = format!("{head}\n<title>Bread and butter</title></head><p>a");
        assert_eq!(shown(&twice, "title_multiple", Lang::En), "Delete on line 4:\n- <title>Bread and butter</title>");
    }

    #[test]
    fn a_move_is_no_tag_to_paste() {
        let late = format!(
            "<!doctype html>\n<html lang=en>\n<head>\n<title>Bread and butter</title>\n<style>{}</style>\n<meta charset=utf-8></head><p>é",
            "a".repeat(1100)
        );
        let report = audit::report(&example::with_headers(
            example::PAGE_URL,
            &[("content-type", "text/html")],
            late.into_bytes(),
        ));
        let fix = report.fixes.iter().find(|fix| fix.code == "charset_late").unwrap();
        assert_eq!(ready(fix, Lang::En).unwrap(), "Move from line 6 to line 3:\n  <meta charset=utf-8>");
    }
}
