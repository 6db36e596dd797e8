use super::*;

/// A mutation of what stands at the first place of `original` in a source.
fn mutant(source: &str, number: u32, genre: &str, original: &str, replacement: &str) -> Mutant {
    let start = source.find(original).unwrap();
    Mutant {
        number,
        name: original.to_owned(),
        file: String::new(),
        genre: genre.to_owned(),
        span: start..start + original.len(),
        replacement: replacement.to_owned(),
        result: String::new(),
    }
}

/// The switched source, with the conditions shortened to `#1`.
fn short(source: &str, mutations: &[(&str, &str, &str)]) -> (String, Switched) {
    let mutants: Vec<Mutant> = mutations
        .iter()
        .zip(1..)
        .map(|((genre, original, replacement), number)| mutant(source, number, genre, original, replacement))
        .collect();
    let switched = switched(source, &mutants).unwrap();
    let condition = regex::Regex::new(r"crate::mutation_switch::on\((\d+)\)").unwrap();
    (condition.replace_all(&switched.text, "#$1").into_owned(), switched)
}

#[test]
fn operators_of_one_whole_have_one_host() {
    let source = "fn f() { x(a == b && !c) }";
    let mutations = [("BinaryOperator", "==", "!="), ("BinaryOperator", "&&", "||"), ("UnaryOperator", "!", "")];
    let (text, switched) = short(source, &mutations);
    let wanted = "fn f() { x((if #2 { a == b || !c } else if #1 { a != b && !c } else if #3 { a == b && c } \
                  else { a == b && !c })) }";
    assert_eq!(text, wanted);
    assert_eq!(switched.mutated.len(), 3);
    assert_eq!(switched.hosts.len(), 1);
    syn::parse_file(&switched.text).unwrap();
}

#[test]
fn what_is_inside_of_parentheses_or_calls_is_a_host_of_its_own() {
    let source = "fn f() { !(a < b) || g(c + 1) }";
    let (text, _) =
        short(source, &[("UnaryOperator", "!", ""), ("BinaryOperator", "<", ">"), ("BinaryOperator", "+", "-")]);
    let wanted = "fn f() { (if #1 { (a < b) || g(c + 1) } else { !((if #2 { a > b } else { a < b })) || \
                  g((if #3 { c - 1 } else { c + 1 })) }) }";
    assert_eq!(text, wanted);
}

#[test]
fn a_body_returns_first_and_an_arm_has_a_guard() {
    let source = "fn f(x: u8) { match x { 1 => 2, _ if x < 3 => 4, _ => 0 } }";
    let body = "match x { 1 => 2, _ if x < 3 => 4, _ => 0 }";
    let mutations = [
        ("FnValue", body, "7"),
        ("MatchArm", "1 => 2,", ""),
        ("MatchArmGuard", "x < 3", "true"),
        ("BinaryOperator", "<", ">"),
    ];
    let (text, switched) = short(source, &mutations);
    let wanted = "fn f(x: u8) { if #1 { return 7; } match x { 1 if !#2 => 2, \
                  _ if (if #3 { true } else if #4 { x > 3 } else { x < 3 }) => 4, _ => 0 } }";
    assert_eq!(text, wanted);
    syn::parse_file(&switched.text).unwrap();
}

#[test]
fn iterators_of_two_types_are_variants_of_one() {
    let source = "fn f() -> impl Iterator<Item = u8> { x.iter() }";
    let mut mutants = [
        mutant(source, 1, "FnValue", "x.iter()", "::std::iter::empty()"),
        mutant(source, 2, "FnValue", "x.iter()", "::std::iter::once(0)"),
    ];
    for mutant in &mut mutants {
        mutant.result = "-> impl Iterator<Item = u8>".to_owned();
    }
    let text = switched(source, &mutants).unwrap().text.replace("crate::mutation_switch::", "");
    let wanted = "fn f() -> impl Iterator<Item = u8> { if on(1) { return Either::A(::std::iter::empty()); } \
                  if on(2) { return Either::B(Either::A(::std::iter::once(0))); } Either::B(Either::B({ x.iter() })) }";
    assert_eq!(text, wanted);
}

#[test]
fn fields_are_deleted_with_their_comma() {
    let source = "fn f() -> S { S { a: 1, b, ..base } }";
    let (text, _) = short(source, &[("StructField", "a: 1,", "")]);
    assert_eq!(text, "fn f() -> S { (if #1 { S {  b, ..base } } else { S { a: 1, b, ..base } }) }");
}

#[test]
fn conditions_beside_a_let_are_hosts_but_their_conjunction_is_none() {
    let source = "fn f() { if let Some(x) = a && x == 1 { g() } }";
    let (text, switched) = short(source, &[("BinaryOperator", "&&", "||"), ("BinaryOperator", "==", "!=")]);
    assert_eq!(text, "fn f() { if let Some(x) = a && (if #2 { x != 1 } else { x == 1 }) { g() } }");
    assert_eq!(switched.unviable, [1]);
}

#[test]
fn bytes_of_a_mutation_are_told_from_those_of_its_host() {
    let source = "fn f() -> bool { a == b }";
    let (_, switched) = short(source, &[("BinaryOperator", "==", "!=")]);
    let text = |range: &Range<usize>| switched.text[range.clone()].to_owned();
    assert_eq!(
        switched.mutated.iter().map(|(range, number)| (text(range), *number)).collect::<Vec<_>>(),
        [("a != b".to_owned(), 1)]
    );
    let (host, numbers) = &switched.hosts[0];
    assert!(text(host).starts_with("(if ") && text(host).ends_with("{ a == b })"), "{}", text(host));
    assert_eq!(*numbers, [1]);
}

#[test]
fn what_is_not_found_is_an_error() {
    let source = "fn f() { g!(a == b) }";
    let lost = mutant(source, 1, "BinaryOperator", "==", "!=");
    assert!(switched(source, &[lost]).is_err());
}
