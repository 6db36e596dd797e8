use super::*;

fn known(name: &str) -> Option<AttributeId> {
    AttributeId::known_mixed(name.as_bytes(), Mixed::of(name.as_bytes()))
}

#[test]
fn the_mixed_case_names_stand_as_their_lower_case_forms_do() {
    let first = usize::from(AttributeId::FIRST_SVG.0);
    for (at, svg) in SVG_ATTRIBUTES.iter().enumerate() {
        assert_eq!(ATTRIBUTES.get(first + at).copied(), Some(svg.to_ascii_lowercase().as_str()));
    }
}

#[test]
fn every_name_is_found_in_any_case() {
    for name in ATTRIBUTES {
        let id = known(&name.to_ascii_uppercase());
        assert_eq!(id.and_then(AttributeId::text), Some(*name));
    }
    assert_eq!(known("data-unknown"), None);
    assert_eq!(known(""), None);
}
