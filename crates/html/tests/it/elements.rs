//! Small cases of what html5lib's tests hardly know: templates, shadow roots, selects of 2025, scripting off. Chromium 156
//! gave every tree.

mod selects;

use html::Options;

use crate::body::in_body;
use crate::dump::dump;

/// Sources after `<!DOCTYPE html><body>`, and what is in the body.
const TEMPLATES: &str = r#"<template><td>a</td></template>
| <template>
|   content
|     <td>
|       "a"

<template><tr><td>a</template>b
| <template>
|   content
|     <tr>
|       <td>
|         "a"
| "b"

<template><option>a</template>
| <template>
|   content
|     <option>
|       "a"

<table><template><td>a</template>b
| "b"
| <table>
|   <template>
|     content
|       <td>
|         "a"

<template><col><td>a</template>
| <template>
|   content
|     <col>

<template><li>a<template>b</template>c</template>
| <template>
|   content
|     <li>
|       "a"
|       <template>
|         content
|           "b"
|       "c"

<template><html><body><head>a</template>
| <template>
|   content
|     "a"

</template>a
| "a"

<select><template><option>a</template></select>
| <select>
|   <template>
|     content
|       <option>
|         "a"

<template><form><form></template><form>
| <template>
|   content
|     <form>
|       <form>
| <form>

<template></div>a</p>b
| <template>
|   content
|     "ab"

<table><tr><template>a</template><td>b
| <table>
|   <tbody>
|     <tr>
|       <template>
|         content
|           "a"
|       <td>
|         "b"

<b><template>a</b>c</template>d
| <b>
|   <template>
|     content
|       "ac"
|   "d"

<svg><template>a</template>
| <svg svg>
|   <svg template>
|     "a"

<p><template></p>a</template>b
| <p>
|   <template>
|     content
|       "a"
|   "b"

<template>a</body></html>b
| <template>
|   content
|     "ab""#;

/// Which templates declare a shadow root, and of what.
const SHADOW_ROOTS: &str = r#"<div><template shadowrootmode=open>a</template>b</div>
| <div>
|   #shadow-root
|     "a"
|   "b"

<div>a<template shadowrootmode=OPEN>b</template>c
| <div>
|   #shadow-root
|     "b"
|   "ac"

<div><template shadowrootmode=open>a</template><template shadowrootmode=open>b</template></div>
| <div>
|   #shadow-root
|     "a"
|   <template>
|     shadowrootmode="open"
|     content
|       "b"

<span><template shadowrootmode=open><p>a</span>b</template>c
| <span>
|   #shadow-root
|     <p>
|       "ab"
|   "c"

<ul><template shadowrootmode=open>a</template></ul>
| <ul>
|   <template>
|     shadowrootmode="open"
|     content
|       "a"

<x-a><template shadowrootmode=open>a</template>
| <x-a>
|   #shadow-root
|     "a"

<font-face><template shadowrootmode=open>a</template>
| <font-face>
|   <template>
|     shadowrootmode="open"
|     content
|       "a"

<xa><template shadowrootmode=open>a</template>
| <xa>
|   <template>
|     shadowrootmode="open"
|     content
|       "a"

<div><template shadowrootmode=any>a</template>
| <div>
|   <template>
|     shadowrootmode="any"
|     content
|       "a"

<div><template shadowrootmode>a</template>
| <div>
|   <template>
|     shadowrootmode=""
|     content
|       "a"

<template><div><template shadowrootmode=open>a</template>
| <template>
|   content
|     <div>
|       #shadow-root
|         "a"

<table><template shadowrootmode=open>a</template>
| <table>
|   <template>
|     shadowrootmode="open"
|     content
|       "a"

<div><table><tr><td><p><template shadowrootmode=open>a
| <div>
|   <table>
|     <tbody>
|       <tr>
|         <td>
|           <p>
|             #shadow-root
|               "a"

<template shadowrootmode=open>a</template>b
| #shadow-root
|   "a"
| "b"

<div><template shadowrootmode=open><div><template shadowrootmode=open>a</template>b</div>c</template>d
| <div>
|   #shadow-root
|     <div>
|       #shadow-root
|         "a"
|       "b"
|     "c"
|   "d"

<div><p></p><template shadowrootmode=open>a
| <div>
|   #shadow-root
|     "a"
|   <p>

<svg><g><template shadowrootmode=open>a
| <svg svg>
|   <svg g>
|     <svg template>
|       shadowrootmode="open"
|       "a""#;

fn check(table: &str) {
    for case in table.split("\n\n") {
        let (source, wanted) = case.split_once('\n').unwrap();
        let tree = html::parse(format!("<!DOCTYPE html><body>{source}"), &Options::default());
        assert_eq!(in_body(&tree), wanted.replace("\n| ", "\n").trim_start_matches("| "), "{source}");
    }
}

#[test]
fn a_template_holds_what_fits_nowhere_else() {
    check(TEMPLATES);
}

#[test]
fn a_template_declares_the_shadow_root_of_what_can_have_one() {
    check(SHADOW_ROOTS);
}

#[test]
fn a_closed_shadow_root_is_one_and_its_template_stays_known() {
    let tree = html::parse("<p><template shadowrootmode=closed id=a>b".to_owned(), &Options::default());
    let [(host, root)] = tree.shadow_roots().collect::<Vec<_>>()[..] else { panic!("one shadow root") };
    let template = tree.parent(root).unwrap();
    assert!(tree.is(host, "p") && tree.is_shadow_root(template) && tree.first_child(host).is_none());
    assert_eq!(tree.attribute(template, "id").map(|id| id.value()), Some("a"));
    assert_eq!(tree.texts(tree.first_child(root).unwrap()).collect::<String>(), "b");
}

#[test]
fn noscript_is_markup_where_scripts_do_not_run() {
    let parsed = |source: &str, scripting| {
        dump(&html::parse(source.to_owned(), &Options { scripting, ..Options::default() })).replace("\n| ", "\n")
    };
    for (source, on, off) in [
        (
            "<body><noscript><i>a</noscript>b",
            "<html>\n  <head>\n  <body>\n    <noscript>\n      \"<i>a\"\n    \"b\"",
            "<html>\n  <head>\n  <body>\n    <noscript>\n      <i>\n        \"a\"\n    <i>\n      \"b\"",
        ),
        (
            "<noscript><link></noscript>",
            "<html>\n  <head>\n    <noscript>\n      \"<link>\"\n  <body>",
            "<html>\n  <head>\n    <noscript>\n      <link>\n  <body>",
        ),
        // What is no metadata leaves the head.
        (
            "<noscript><img></noscript>",
            "<html>\n  <head>\n    <noscript>\n      \"<img>\"\n  <body>",
            "<html>\n  <head>\n    <noscript>\n  <body>\n    <img>",
        ),
        // A comment start hides the end tag from markup only.
        (
            "<body><noscript><!--</noscript>-->a",
            "<html>\n  <head>\n  <body>\n    <noscript>\n      \"<!--\"\n    \"-->a\"",
            "<html>\n  <head>\n  <body>\n    <noscript>\n      <!-- </noscript> -->\n      \"a\"",
        ),
    ] {
        assert_eq!(parsed(source, true).trim_start_matches("| ").trim_end(), on, "{source}");
        assert_eq!(parsed(source, false).trim_start_matches("| ").trim_end(), off, "{source}");
    }
}
