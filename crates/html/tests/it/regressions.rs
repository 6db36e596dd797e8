//! Trees that once were not Chromium's: each source, and what lies below its `html` element.

use html::Options;

use crate::dump::dump;

const CASES: [(&str, &str); 8] = [
    // What can't start a target makes a comment, though the source ends right there.
    ("<div><?1", "<head>\n<body>\n  <div>\n    <!-- ?1 -->"),
    // Amid SVG and MathML, which end tags of the document leave open, a comment stays there.
    ("<math></html><!--a-->", "<head>\n<body>\n  <math math>\n    <!-- a -->"),
    // A `selectedcontent` that comes late has the option chosen before it, as has each that comes.
    (
        "<select><option>a</option><selectedcontent></selectedcontent><selectedcontent>",
        "<head>\n<body>\n  <select>\n    <option>\n      \"a\"\n    <selectedcontent>\n      \"a\"\n    \
         <selectedcontent>\n      \"a\"",
    ),
    // A disabled option is not chosen unasked, nor is one of a `datalist`, nor any where several are shown.
    (
        "<select><selectedcontent></selectedcontent><optgroup disabled><option>a</optgroup><option>b",
        "<head>\n<body>\n  <select>\n    <selectedcontent>\n      \"b\"\n    <optgroup>\n      disabled=\"\"\n      \
         <option>\n        \"a\"\n    <option>\n      \"b\"",
    ),
    (
        "<select><selectedcontent></selectedcontent><datalist><option>a",
        "<head>\n<body>\n  <select>\n    <selectedcontent>\n    <datalist>\n      <option>\n        \"a\"",
    ),
    (
        "<select size=2><selectedcontent>k</selectedcontent><option>a",
        "<head>\n<body>\n  <select>\n    size=\"2\"\n    <selectedcontent>\n      \"k\"\n    <option>\n      \"a\"",
    ),
    // A `selectedcontent` in an option would hold itself without end.
    (
        "<select><option>a<selectedcontent>",
        "<head>\n<body>\n  <select>\n    <option>\n      \"a\"\n      <selectedcontent>",
    ),
    // What a template holds is copied with it.
    (
        "<select><selectedcontent></selectedcontent><option><template>a",
        "<head>\n<body>\n  <select>\n    <selectedcontent>\n      <template>\n        content\n          \"a\"\n    \
         <option>\n      <template>\n        content\n          \"a\"",
    ),
];

#[test]
fn what_chromium_showed_stays() {
    for (source, wanted) in CASES {
        let tree = dump(&html::parse(source.to_owned(), &Options::default()));
        let below: Vec<&str> = tree.lines().filter_map(|line| line.strip_prefix("|   ")).collect();
        assert_eq!(below.join("\n"), wanted, "{source}");
    }
}
