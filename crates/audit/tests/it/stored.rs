//! Files beside what they are made of: the test that compares is the one that writes, with `UPDATE=1`.

use std::path::Path;

/// What is wrong with a stored file, if anything.
pub(crate) fn compared(path: &Path, wanted: &str) -> Option<String> {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, wanted).unwrap();
        return None;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    if found == wanted {
        return None;
    }
    let differs = found.lines().zip(wanted.lines()).take_while(|(found, wanted)| found == wanted).count();
    let line = |text: &str| text.lines().nth(differs).unwrap_or("nothing").to_owned();
    Some(format!(
        "{}, line {}: stored is\n    {}\nbut now it is\n    {}\nIf that is right, store it with UPDATE=1 and read what changed.",
        path.display(),
        differs + 1,
        line(&found),
        line(wanted)
    ))
}
