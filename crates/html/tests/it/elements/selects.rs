//! Selects: what they take in, and what shows of a chosen option.

use html::{NodeId, Options};

use super::check;

/// What a `select` takes in, and what closes it.
const CHOICES: &str = r#"<select><input>
| <select>
| <input>

<select><div><option>a</div>b
| <select>
|   <div>
|     <option>
|       "a"
|   "b"

<select><p>a<option>b<option>c</select>
| <select>
|   <p>
|     "a"
|   <option>
|     "b"
|   <option>
|     "c"

<select><optgroup><option>a<optgroup>b
| <select>
|   <optgroup>
|     <option>
|       "a"
|   <optgroup>
|     "b"

<select><option>a<hr>b
| <select>
|   <option>
|     "a"
|   <hr>
|   "b"

<select>a<select>b
| <select>
|   "a"
| "b"

<select><button>a</button>b
| <select>
|   <button>
|     "a"
|   "b"

<select><textarea>a</textarea>b
| <select>
|   <textarea>
|     "a"
|   "b"

<option>a<optgroup>b
| <option>
|   "a"
| <optgroup>
|   "b"

<optgroup><option>a<option>b
| <optgroup>
|   <option>
|     "a"
|   <option>
|     "b"

<table><select><td>a
| <select>
| <table>
|   <tbody>
|     <tr>
|       <td>
|         "a"

<select><table><tr><td><select>
| <select>
|   <table>
|     <tbody>
|       <tr>
|         <td>
|           <select>

<select><svg><g>a
| <select>
|   <svg svg>
|     <svg g>
|       "a"

<p><select><p>a
| <p>
|   <select>
|     <p>
|       "a"

<select></p>a
| <select>
|   <p>
|   "a"

<select><a>b<option></a>c
| <select>
|   <a>
|     "b"
|     <option>
|   "c"

<select><option><b>a<option>b
| <select>
|   <option>
|     <b>
|       "a"
|       <option>
|         "b"

<select><option><div>a<option>b
| <select>
|   <option>
|     <div>
|       "a"
|       <option>
|         "b"

<div><select></div>a
| <div>
|   <select>
|     "a"

<select><keygen>a
| <select>
|   <keygen>
|   "a"

<select><option>a</select>b</option>
| <select>
|   <option>
|     "a"
| "b"

<select><li>a<li>b
| <select>
|   <li>
|     "a"
|   <li>
|     "b""#;

/// What a `selectedcontent` shows.
const COPIES: &str = r#"<select><button><selectedcontent></selectedcontent></button><option>a<option selected><b x=1>c</b>d</select>
| <select>
|   <button>
|     <selectedcontent>
|       <b>
|         x="1"
|         "c"
|       "d"
|   <option>
|     "a"
|   <option>
|     selected=""
|     <b>
|       x="1"
|       "c"
|     "d"

<select><button><selectedcontent></button><option><i>a</i></select>
| <select>
|   <button>
|     <selectedcontent>
|       <i>
|         "a"
|   <option>
|     <i>
|       "a"

<select multiple><selectedcontent></selectedcontent><option>a
| <select>
|   multiple=""
|   <selectedcontent>
|   <option>
|     "a"

<selectedcontent></selectedcontent><option>a
| <selectedcontent>
| <option>
|   "a""#;

#[test]
fn a_select_takes_in_nearly_anything() {
    check(CHOICES);
}

#[test]
fn a_selectedcontent_shows_the_chosen_option() {
    check(COPIES);
}

#[test]
fn the_copy_of_an_option_says_so_and_tells_the_tag_it_copies() {
    let source = "<select><selectedcontent></selectedcontent><option><b x=1>c";
    let tree = html::parse(source.to_owned(), &Options::default());
    let all: Vec<NodeId> = tree.descendants(NodeId::DOCUMENT).filter(|id| tree.is(*id, "b")).collect();
    let [copy, original] = all[..] else { panic!("two b") };
    assert_eq!((tree.origin(copy), tree.origin(original)), (html::Origin::Clone, html::Origin::Source));
    assert_eq!(tree.start_tag(copy).map(|span| &source[span]), Some("<b x=1>"));
    assert_eq!(tree.attribute(copy, "x").map(|x| x.span()), tree.attribute(original, "x").map(|x| x.span()));
}
