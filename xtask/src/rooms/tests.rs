use super::*;

/// Files by their path below `src`.
fn code(files: &[(&str, &str)]) -> CrateSource {
    CrateSource::of(files.iter().map(|(path, source)| {
        let module = segments(path.strip_suffix(".rs").unwrap());
        (format!("src/{path}"), module, (*source).to_owned())
    }))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Faults of a crate `c` whose rooms are `rooms`, lowest first.
#[track_caller]
fn check(files: &[(&str, &str)], rooms: &str, wanted: &[&str]) {
    assert_eq!(code(files).faults("c", &[], &words(rooms), &[]), wanted);
}

const ROOT: (&str, &str) = ("lib.rs", "mod low; pub mod high; use high::go; pub use low::Thing;");

#[test]
fn an_import_downward_is_legal() {
    let files = [
        ROOT,
        ("low.rs", "use std::fmt; fn f() { self::g() }"),
        ("high.rs", "use crate::low::Thing; mod inner;"),
        ("high/inner.rs", "use super::super::{low, high::go}; fn f() { crate::high::go() }"),
    ];
    check(&files, "low high", &[]);
}

#[test]
fn an_import_upward_is_a_turned_arrow() {
    let wanted =
        ["src/low.rs:2: `crate::high::go` turns the arrow high → low: `rooms` of [c] in rooms.toml has low below high"];
    check(&[ROOT, ("low.rs", "//! Low.\nuse crate::high::go;")], "low high", &wanted);
    check(&[ROOT, ("low.rs", "\nuse crate::{low::Thing, high::go};")], "low high", &wanted);
    check(&[ROOT, ("low.rs", "\nfn f() { crate::high::go() }")], "low high", &wanted);
    let nested = [
        "src/low/x.rs:1: `super::super::high::go` turns the arrow high → low: `rooms` of [c] in rooms.toml has low below high",
    ];
    check(&[ROOT, ("low/x.rs", "use super::super::high::go;")], "low high", &nested);
}

#[test]
fn tests_may_import_anything() {
    let files = [
        ROOT,
        ("low.rs", "#[cfg(test)] mod tests { use crate::high::go; } #[cfg(test)] mod samples;"),
        ("low/samples.rs", "use crate::high::go;"),
    ];
    check(&files, "low high", &[]);
}

#[test]
fn nothing_is_imported_from_the_root() {
    let wanted = ["src/high.rs:1: `crate::Thing` imports from the root of the crate; name the room that holds it"];
    check(&[ROOT, ("high.rs", "use crate::Thing;")], "low high", &wanted);
}

#[test]
fn a_turned_arrow_may_be_known_while_it_is_there() {
    let turned = ["low->high".to_owned(), "high->root".to_owned()];
    let upward = ("low.rs", "use crate::high::go;");
    let of = |files: &[(&str, &str)]| code(files).faults("c", &[], &words("low high"), &turned);
    assert_eq!(of(&[ROOT, upward, ("high.rs", "use crate::Thing;")]), Vec::<String>::new());
    assert_eq!(of(&[ROOT, upward]), ["c: no import turns high->root any more; remove it from `turned` in rooms.toml"]);
}

#[test]
fn the_list_has_every_room_and_no_other() {
    let wanted = [
        "c: `rooms` of [c] in rooms.toml has gone, which is no module; remove it",
        "c: `rooms` of [c] in rooms.toml lacks high; add it after the rooms that it imports",
    ];
    check(&[ROOT], "low gone", &wanted);
}

#[test]
fn a_folder_has_an_order_of_its_own() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod x; mod y; struct Shared;"),
        ("a/x.rs", "use super::{Shared, y};"),
        ("a/y.rs", "use super::Shared;"),
    ];
    let faults = |rooms| code(&files).faults("c", &words("a"), &words(rooms), &[]);
    assert_eq!(faults("y x"), Vec::<String>::new());
    assert_eq!(
        faults("x y"),
        ["src/a/x.rs:1: `super::y` turns the arrow y → x: \"a\" of [c.inside] in rooms.toml has x below y"]
    );
}

#[test]
fn every_folder_of_several_modules_needs_an_order() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "mod x; mod y;"),
        ("a/x.rs", "use super::y;"),
        ("a/y.rs", "mod only; #[cfg(test)] mod tests;"),
        ("b.rs", "#[cfg(test)] mod tests; mod only;"),
    ];
    let unlisted = |listed: &[&str]| {
        let rooms = listed.iter().map(|level| ((*level).to_owned(), Vec::new())).collect();
        code(&files).unlisted("c", &rooms)
    };
    assert_eq!(unlisted(&["", "a"]), Vec::<String>::new());
    assert_eq!(unlisted(&[""]), ["c: [c.inside] in rooms.toml lacks \"a\"; add it, perhaps as \"y x\""]);
}

#[test]
fn an_arrow_between_folders_of_a_folder_is_found_at_any_depth() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod x; mod y;"),
        ("a/x.rs", "mod deep; mod other;"),
        ("a/x/deep.rs", "use crate::a::y::f; use super::other::g;"),
        ("a/x/other.rs", "pub(super) fn g() { super::deep::h() }"),
    ];
    let faults = |inside: &str, rooms| code(&files).faults("c", &segments(inside), &words(rooms), &[]);
    assert_eq!(
        faults("a", "x y"),
        ["src/a/x/deep.rs:1: `crate::a::y::f` turns the arrow y → x: \"a\" of [c.inside] in rooms.toml has x below y"]
    );
    assert_eq!(faults("a", "y x"), Vec::<String>::new());
    // A circle: one of its arrows is turned in either order.
    assert_eq!(faults("a/x", "deep other").len(), 1);
    assert_eq!(faults("a/x", "other deep").len(), 1);
}

#[test]
fn an_order_is_measured() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::f; use crate::c::g;"),
        ("b.rs", "use crate::c::g;"),
    ];
    assert_eq!(code(&files).order(&[], &words("a b c")), ["c", "b", "a"]);
}

#[test]
fn dependencies_are_arrows_between_crates() {
    let packages = BTreeSet::from(["model", "store", "api"]);
    let manifest = "[dependencies]\nmodel.workspace = true\nserde = \"1\"\nstore = { path = \"x\" }\n[dev-dependencies]\napi.workspace = true\n";
    let faults = |needs| dependency_faults("service", &words(needs), manifest, &packages).unwrap();
    assert_eq!(faults("model store"), Vec::<String>::new());
    assert_eq!(
        faults("api model"),
        [
            "service: Cargo.toml depends on store, an arrow that [service] of rooms.toml does not have under `needs`",
            "service: [service] of rooms.toml has api under `needs`, and Cargo.toml no such dependency",
        ]
    );
}

#[test]
fn the_list_is_read() {
    let list = parse_list("[c]\nneeds = \"model\"\nrooms = \"\"\"\n a b\n c\n\"\"\"\n[c.inside]\n\"a/x\" = \"d e\"\n")
        .unwrap();
    let section = list.get("c").unwrap();
    assert_eq!(section.needs, ["model"]);
    assert_eq!(section.rooms.get("").unwrap(), &["a", "b", "c"]);
    assert_eq!(section.rooms.get("a/x").unwrap(), &["d", "e"]);
    assert!(parse_list("[c]\nroms = \"a\"\n").is_err());
}
