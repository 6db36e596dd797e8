//! Refusal of names that a call does not take, with the nearest that it takes.

use model::lang::{Text, text};
use render::catalog::near::nearest;

use super::problem::refused;
use service::error::{Code, ServiceError};

/// Names of a call that are listed at most.
const MOST_LISTED: usize = 24;

/// The error for a parameter or a member that a call does not take. `known`: the names that it takes.
pub(crate) fn unknown(code: Code, name: &str, known: &[&str]) -> ServiceError {
    unknown_at(code, "", name, known)
}

/// The same for a member of the object at `parent`.
pub(crate) fn unknown_at(code: Code, parent: &str, name: &str, known: &[&str]) -> ServiceError {
    const NOTHING: Text =
        text("unknown field; this call takes no body", "campo desconhecido; esta chamada não aceita corpo");
    const NEAR: Text = text("unknown field; did you mean: {names}", "campo desconhecido; você quis dizer: {names}");
    const FAR: Text = text("unknown field; accepted fields: {names}", "campo desconhecido; campos aceitos: {names}");
    // To no name at all, every one is near.
    let near = if name.is_empty() { Vec::new() } else { nearest(name, known.iter().copied()) };
    let why = if known.is_empty() {
        NOTHING.into()
    } else if near.is_empty() {
        let mut listed: Vec<&str> = Vec::new();
        for name in known.iter().copied().take(MOST_LISTED) {
            // A call may declare itself what every call takes.
            if !listed.contains(&name) {
                listed.push(name);
            }
        }
        FAR.phrase(&[("names", listed.join(", ").into())])
    } else {
        NEAR.phrase(&[("names", near.join(", ").into())])
    };
    let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
    refused(code, &path, &why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail(name: &str, known: &[&str]) -> String {
        unknown(Code::InvalidParameter, name, known).detail.unwrap().en
    }

    #[test]
    fn an_unknown_name_is_told_the_nearest_or_all() {
        assert_eq!(detail("budgte", &["fields", "budget"]), "budgte: unknown field; did you mean: budget");
        assert_eq!(detail("xyz", &["id", "fields", "id"]), "xyz: unknown field; accepted fields: id, fields");
        assert_eq!(detail("xyz", &["fields", "id"]), "xyz: unknown field; accepted fields: fields, id");
        assert_eq!(detail("x", &[]), "x: unknown field; this call takes no body");
        assert_eq!(detail("<script>", &["id"]), "?: unknown field; accepted fields: id");
    }
}
