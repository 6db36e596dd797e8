//! Which rendering mode a doctype asks for (WHATWG HTML §13.2.6.4.1).

use html::{Options, Quirks};

const CASES: &[(&str, Quirks)] = &[
    ("", Quirks::Full),
    ("<!DOCTYPE html>", Quirks::No),
    ("<!DOCTYPE HTML>", Quirks::No),
    ("<!DOCTYPE>", Quirks::Full),
    ("<!DOCTYPE a>", Quirks::Full),
    ("<!DOCTYPE html a>", Quirks::Full),
    ("<!DOCTYPE html SYSTEM 'about:legacy-compat'>", Quirks::No),
    ("<!DOCTYPE html SYSTEM ''>", Quirks::No),
    ("<!DOCTYPE html PUBLIC ''>", Quirks::No),
    ("<!DOCTYPE html PUBLIC 'a' 'b'>", Quirks::No),
    ("<!DOCTYPE html PUBLIC 'HTML'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC 'html5'>", Quirks::No),
    ("<!DOCTYPE html PUBLIC '-/W3C/DTD HTML 4.0 Transitional/EN'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2 Final//EN'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC '-//w3c//dtd html 4.0 transitional//en' 'a'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.0//EN'>", Quirks::No),
    ("<!DOCTYPE html SYSTEM 'http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC 'a' 'HTTP://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'>", Quirks::Full),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN' ''>", Quirks::Limited),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Frameset//EN' 'a'>", Quirks::Limited),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01//EN'>", Quirks::No),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Transitional//EN'>", Quirks::Limited),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Frameset//EN' 'a'>", Quirks::Limited),
    ("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'>", Quirks::No),
    // Only the first token can be one.
    ("a<!DOCTYPE html>", Quirks::Full),
    ("<!DOCTYPE html><!DOCTYPE a>", Quirks::No),
    ("<!--a--> <!DOCTYPE html>", Quirks::No),
];

#[test]
fn a_doctype_asks_for_a_rendering_mode() {
    for (source, wanted) in CASES {
        assert_eq!(html::parse((*source).to_owned(), &Options::default()).quirks(), *wanted, "{source}");
    }
}
