//! Lists of image files for screens of different kinds, as browsers read them.

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "srcset", category: Category::Images, landing: LANDING, checks: &[INVALID] };

const LANDING: Landing = Landing {
    title: text("Srcset validator", "Validador de srcset"),
    h1: text("Do browsers understand your srcset?", "Os navegadores entendem seu srcset?"),
    description: text(
        "Check the srcset of every image as browsers read it, and find entries they drop: wrong descriptors, missing commas, duplicates.",
        "Confira o srcset de cada imagem como os navegadores o leem e encontre entradas descartadas: descritores errados, vírgulas ausentes, repetições.",
    ),
    lead: text(
        "A browser silently drops each `srcset` entry that it can't read, and shows another file. This tool reads them by the algorithm of the HTML standard and quotes the dropped entries.",
        "O navegador descarta sem aviso cada entrada de `srcset` que não consegue ler e mostra outro arquivo. Esta ferramenta lê as entradas pelo algoritmo do padrão HTML e cita as descartadas.",
    ),
    example: include_str!("srcset/bad_descriptor.html"),
};

const INVALID: Check = Check {
    code: "srcset_invalid",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Invalid srcset entries", "Entradas inválidas em srcset"),
    why: text(
        "Browsers drop a `srcset` entry that they can't read. Some screens then get an image that is too large or too blurry.",
        "Os navegadores descartam uma entrada de `srcset` que não conseguem ler. Algumas telas recebem então uma imagem grande demais ou sem nitidez.",
    ),
    how: text(
        "Write each entry as a URL, a space and one descriptor (`800w` or `2x`), with a comma between entries.",
        "Escreva cada entrada como URL, espaço e um descritor (`800w` ou `2x`), com vírgula entre elas.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/images.html#parse-a-srcset-attribute",
    rule: text(
        "Fails when the algorithm of the HTML standard drops an entry (“candidate”) of the `srcset` of an `img` or `source`. It drops an entry whose descriptor isn't a positive integer with `w` or a number from 0 on with `x`; one with several descriptors of a kind, or with both `w` and `x`; and one that repeats the descriptor of an earlier entry. Not applicable without `srcset`.",
        "Falha quando o algoritmo do padrão HTML descarta uma entrada (“candidato”) do `srcset` de um `img` ou `source`. Ele descarta uma entrada cujo descritor não é um inteiro positivo com `w` nem um número a partir de 0 com `x`; uma com vários descritores do mesmo tipo, ou com `w` e `x` juntos; e uma que repete o descritor de uma entrada anterior. Não se aplica sem `srcset`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Image),
    since: WHOLE,
    run: invalid,
};

/// Candidates of one list that are compared with each other: no page has more kinds of screens.
const MOST_CANDIDATES: usize = 100;

/// What a candidate is for.
#[derive(Debug, Clone, PartialEq)]
enum Descriptor {
    Width(u32),
    Density(f64),
}

/// A descriptor as the standard reads it (WHATWG HTML §4.8.4.3.10); `None` where the candidate is dropped.
fn size(descriptors: &str) -> Option<Descriptor> {
    let (mut width, mut density, mut height) = (None, None, None);
    for descriptor in descriptors.split_ascii_whitespace() {
        let (number, unit) = descriptor.split_at_checked(descriptor.len().checked_sub(1)?)?;
        let is_whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        match unit {
            "w" if is_whole && width.is_none() && density.is_none() => {
                width = Some(number.parse().ok().filter(|n| *n > 0)?)
            }
            "x" if density.is_none() && width.is_none() && height.is_none() => {
                density = Some(number.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0)?);
            }
            "h" if is_whole && height.is_none() && density.is_none() => height = Some(number.parse::<u32>().ok()?),
            _ => return None,
        }
    }
    match (width, density, height) {
        (Some(width), ..) => Some(Descriptor::Width(width)),
        // A height says nothing without a width.
        (None, _, Some(_)) => None,
        (None, density, None) => Some(Descriptor::Density(density.unwrap_or(1.0))),
    }
}

/// Candidates of a list with their descriptors: the steps of "parse a srcset attribute".
fn candidates(list: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    let mut rest = list;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (address, behind) = rest.split_at(end);
        if address.is_empty() {
            return out;
        }
        let trimmed = address.trim_end_matches(',');
        if trimmed.len() < address.len() {
            out.push((trimmed, ""));
            rest = behind;
            continue;
        }
        let end = descriptors_end(behind);
        let (descriptors, behind) = behind.split_at(end);
        out.push((address, descriptors.trim()));
        rest = behind;
    }
}

/// Where the descriptors of a candidate end: at a comma outside of parentheses.
fn descriptors_end(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

/// The first candidate of a list that is dropped.
fn dropped(list: &str) -> Option<String> {
    let mut seen: Vec<Descriptor> = Vec::new();
    for (address, descriptors) in candidates(list) {
        let written = || if descriptors.is_empty() { address.to_owned() } else { format!("{address} {descriptors}") };
        let Some(size) = size(descriptors) else { return Some(written()) };
        if seen.contains(&size) {
            return Some(written());
        }
        if seen.len() < MOST_CANDIDATES {
            seen.push(size);
        }
    }
    None
}

fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let lists = || {
        html.elements(&html.addressed)
            .filter(|element| element.is("img") || element.is("source"))
            .filter_map(|element| Some((element, element.attribute("srcset").filter(|set| !set.trim().is_empty())?)))
    };
    if lists().next().is_none() {
        return Err(NotMeasured::Absent);
    }
    let found: Vec<(Element<'_>, String)> =
        lists().filter_map(|(element, list)| Some((element, dropped(list)?))).collect();
    let Some((_, candidate)) = found.first() else { return PASS };
    const DROPPED: Text = text(
        "{count|One srcset attribute has an entry that browsers drop: “{candidate}”.|{count} srcset attributes have entries that browsers drop; the first is “{candidate}”.}",
        "{count|Um atributo srcset tem uma entrada que os navegadores descartam: “{candidate}”.|{count} atributos srcset têm entradas que os navegadores descartam; a primeira é “{candidate}”.}",
    );
    let values = [("count", found.len().into()), ("candidate", candidate.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Image, INVALID.how, &[]);
    problem(DROPPED, &values, fix).on(found.iter().map(|(element, _)| element)).fail()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_read_as_the_standard_says() {
        for list in [
            "a.jpg",
            "a.jpg 1x, b.jpg 1.5x, c.jpg 2x",
            "a.jpg 400w, b.jpg 800w",
            "a,b.jpg 400w,c.jpg 800w",
            "a.jpg, b.jpg 2x,",
            "data:image/gif;base64,AAAA 1w",
            "a.jpg 400w 300h, b.jpg 800w 600h",
        ] {
            assert_eq!(dropped(list), None, "{list}");
        }
        for (list, candidate) in [
            ("a.jpg 400, b.jpg 800w", "a.jpg 400"),
            ("a.jpg 400w b.jpg 800w", "a.jpg 400w b.jpg 800w"),
            ("a.jpg 400px", "a.jpg 400px"),
            ("a.jpg 0w", "a.jpg 0w"),
            ("a.jpg 1x, b.jpg", "b.jpg"),
            ("a.jpg 400w, b.jpg 400w", "b.jpg 400w"),
            ("my photo.jpg 2x", "my photo.jpg 2x"),
        ] {
            assert_eq!(dropped(list).as_deref(), Some(candidate), "{list}");
        }
    }
}
