//! Trees that once were not Chromium's: each source, and what lies below its `html` element.

use html::{Limits, Options, Tree};

use crate::dump::dump;

const CASES: [(&str, &str); 9] = [
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
    (
        "<option><select><selectedcontent><option>",
        "<head>\n<body>\n  <option>\n    <select>\n      <selectedcontent>\n        <option>",
    ),
    // What a template holds is copied with it.
    (
        "<select><selectedcontent></selectedcontent><option><template>a",
        "<head>\n<body>\n  <select>\n    <selectedcontent>\n      <template>\n        content\n          \"a\"\n    \
         <option>\n      <template>\n        content\n          \"a\"",
    ),
];

/// The same with no more than three levels: `html`, `body` and one below.
const FLAT: [(&str, &str); 4] = [
    // Comments and templates are cut as elements are, text is not.
    (
        "<div><!--a-->b<template>c</template>d",
        "<head>\n<body>\n  <div>\n    \"bd\"\n  <!-- a -->\n  <template>\n    content\n      \"c\"",
    ),
    // What is too deep in a template goes beside it.
    ("<div><template>a<p>b", "<head>\n<body>\n  <div>\n  <template>\n    content\n      \"a\"\n  <p>\n    \"b\""),
    // A shadow root has no sibling.
    (
        "<div><template shadowrootmode=open>a<p>b",
        "<head>\n<body>\n  <div>\n    #shadow-root\n      \"a\"\n      <p>\n        \"b\"",
    ),
    // A formatting element that is opened again is cut, too.
    ("<div><p><b>a</p>c", "<head>\n<body>\n  <div>\n  <p>\n  <b>\n    \"a\"\n  <b>\n    \"c\""),
];

/// What the standard says, also where Chromium does otherwise (`docs/html-parser/browser.md`).
const STANDARD: [(&str, &str); 3] = [
    // In a template an end tag closes a form that more than its own implied ends stand in.
    (
        "<body><template><form><div></form>a",
        "<head>\n<body>\n  <template>\n    content\n      <form>\n        <div>\n      \"a\"",
    ),
    (
        "<body><template><table><form></form><tr>",
        "<head>\n<body>\n  <template>\n    content\n      <table>\n        <tbody>\n          <tr>",
    ),
    // A NUL amid text in a table is none, and so misplaces no white space.
    ("<table>\0 <tr>", "<head>\n<body>\n  <table>\n    \" \"\n    <tbody>\n      <tr>"),
];

/// Templates that fill a marker.
const FILLED: [(&str, &str); 10] = [
    ("<p>a<?marker name=\"x\"?>b</p><template for=x>c</template>d", "<p>\n  \"ac\"\n  \"b\"\n\"d\""),
    ("<p>a<?start name='x'?>b<?end?>c</p><template for=x>d</template>", "<p>\n  \"a\"\n  \"d\"\n  \"c\""),
    // What has no end goes on to the end of its parent.
    ("<p><?start name='x'?>a<i>b</i></p><template for=x>c</template>", "<p>\n  \"c\""),
    // A start in a start has an end of its own.
    ("<p><?start name='x'?>a<?start?>b<?end?>c<?end?>d</p><template for=x>e</template>", "<p>\n  \"e\"\n  \"d\""),
    // Content is read as that of a template.
    ("<p><?marker name='x'?></p><template for=x><td>a</template>", "<p>\n  <td>\n    \"a\""),
    // A marker is looked for below the template's parent.
    (
        "<p><?marker name='x'?></p><div><template for=x>a</template>",
        "<p>\n  <?marker name='x'?>\n<div>\n  <template>\n    for=\"x\"\n    content\n      \"a\"",
    ),
    // It is filled once.
    (
        "<p><?marker name='x'?></p><template for=x>a</template><template for=x>b</template>",
        "<p>\n  \"a\"\n<template>\n  for=\"x\"\n  content\n    \"b\"",
    ),
    // Of several the first in the tree is, though it came last.
    (
        "<p><?marker name='x'?>a<?marker name='y'?></p><template for=x><?marker name='y'?></template><template for=y>b",
        "<p>\n  \"b\"\n  \"a\"\n  <?marker name='y'?>",
    ),
    // Its attributes are those of XML.
    ("<p><?marker b='1' name='x&#x79;&amp;'?></p><template for=xy&amp;>a</template>", "<p>\n  \"a\""),
    (
        "<p><?marker name=x?></p><template for=x></template>",
        "<p>\n  <?marker name=x?>\n<template>\n  for=\"x\"\n  content",
    ),
];

#[test]
fn a_template_fills_its_marker() {
    for (source, wanted) in FILLED {
        let tree = html::parse(source.to_owned(), &Options::default());
        let all = below_html(&tree);
        let below: Vec<&str> = all.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        assert_eq!(below.join("\n"), wanted, "{source}");
    }
}

/// Of what any page may say, all is done once for each byte or is counted.
#[test]
fn markers_that_are_out_of_reach_are_counted() {
    let many = |count: usize| {
        format!("<p>{}<div>{}", "<?marker name='x'?>".repeat(count), "<template for=x></template>".repeat(count))
    };
    let tree = html::parse(many(5_000), &Options::default());
    // No more of them are looked at than the limit allows.
    let Limits { work, work_per_byte, .. } = Limits::default();
    let limit = work + work_per_byte * tree.source().len() as u64;
    assert!(tree.cut().work && (limit..limit + 10).contains(&tree.work()), "{}", tree.work());
    assert!(!html::parse(many(50), &Options::default()).cut().work);
}

#[test]
fn copies_that_stay_empty_are_counted() {
    let many = "<select>".to_owned() + &"<selectedcontent></selectedcontent>".repeat(10_000);
    let tree = html::parse(many + &"<option selected>".repeat(10_000), &Options::default());
    assert!(tree.cut().work);
}

#[test]
fn what_is_too_deep_stands_where_chromium_puts_it() {
    let options = Options { limits: Limits { depth: 3, ..Limits::default() }, ..Options::default() };
    for (source, wanted) in FLAT {
        let tree = html::parse(source.to_owned(), &options);
        assert_eq!(below_html(&tree), wanted, "{source}");
    }
}

#[test]
fn what_chromium_showed_stays() {
    for (source, wanted) in CASES {
        let tree = html::parse(source.to_owned(), &Options::default());
        assert_eq!(below_html(&tree), wanted, "{source}");
    }
}

#[test]
fn what_the_standard_says_stays() {
    for (source, wanted) in STANDARD {
        let tree = html::parse(source.to_owned(), &Options::default());
        assert_eq!(below_html(&tree), wanted, "{source}");
    }
    // Without scripts, what can't stand in a "noscript" of the head is left out.
    let off = Options { scripting: false, ..Options::default() };
    let tree = html::parse("<noscript><head> <noscript> <link>".to_owned(), &off);
    assert_eq!(below_html(&tree), "<head>\n  <noscript>\n    \"  \"\n    <link>\n<body>");
}

fn below_html(tree: &Tree) -> String {
    let lines = dump(tree);
    let below: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("|   ")).collect();
    below.join("\n")
}
