//! How the alternative text of an image is written: ended by a quotation mark of its own, or with HTML tags that show.

use std::borrow::Cow;
use std::ops::Range;

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::document::{WrittenAttribute, attributes_of, collapse};
use crate::facts::names::is_decorative;
use crate::facts::page::Html;

/// How the text that an image lacks is to be written.
const DESCRIBE: Text = text("Describe in `alt` what the image shows.", "Descreva em `alt` o que a imagem mostra.");

pub(super) const CUT: Check = Check {
    code: "image_alt_cut",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Alt text ended by a quotation mark", "Texto alternativo encerrado por uma aspa"),
    why: text(
        "A quotation mark inside `alt=\"…\"`, or an apostrophe inside `alt='…'`, ends the value. Screen readers and image search get the words before it; browsers take the rest for attributes.",
        "Uma aspa dentro de `alt=\"…\"`, ou um apóstrofo dentro de `alt='…'`, encerra o valor. Leitores de tela e a busca de imagens recebem só as palavras antes dela; o navegador toma o resto por atributos.",
    ),
    how: text(
        "Write each quotation mark inside the value as `&quot;` and each apostrophe as `&#39;`, or have the template escape the text.",
        "Escreva cada aspa dentro do valor como `&quot;` e cada apóstrofo como `&#39;`, ou faça o template escapar o texto.",
    ),
    reference: "https://html.spec.whatwg.org/multipage/syntax.html#attributes-2",
    rule: text(
        "Fails when attribute names follow the quoted `alt` of an `img` that are the rest of its text: they have no value (or an empty one, as browsers save them), one of them contains the quotation mark or apostrophe that ended the value, and they have at least one letter or digit. Hidden images and those removed from reading by `role` or `aria-hidden` are skipped. Not applicable when no image has an `alt`.",
        "Falha quando, depois do `alt` entre aspas de um `img`, vêm nomes de atributo que são o resto do texto: não têm valor (ou têm um vazio, como os navegadores os salvam), um deles contém a aspa ou o apóstrofo que encerrou o valor, e há neles pelo menos uma letra ou um dígito. Imagens ocultas ou retiradas da leitura por `role` ou `aria-hidden` são ignoradas. Não se aplica quando nenhuma imagem tem `alt`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Image),
    since: SECOND_READING,
    run: cut,
};

pub(super) const MARKUP: Check = Check {
    code: "image_alt_markup",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("HTML tags in alt text", "Tags HTML no texto alternativo"),
    why: text(
        "The value of `alt` is plain text: a screen reader reads its tags aloud, and image search takes them for words.",
        "O valor de `alt` é texto puro: o leitor de tela lê as tags em voz alta, e a busca de imagens as toma por palavras.",
    ),
    how: text("Take the tags out, and leave the words.", "Retire as tags e deixe as palavras."),
    reference: "https://html.spec.whatwg.org/multipage/images.html#alt",
    rule: text(
        "Fails when the `alt` of an `img` has a tag of HTML text, such as `<br>`, `<span …>` or `</a>`, after its character references are decoded. Hidden images and those removed from reading by `role` or `aria-hidden` are skipped. Not applicable when no image has a non-empty `alt`.",
        "Falha quando o `alt` de um `img` tem uma tag de texto HTML, como `<br>`, `<span …>` ou `</a>`, depois de decodificadas as referências de caracteres. Imagens ocultas ou retiradas da leitura por `role` ou `aria-hidden` são ignoradas. Não se aplica quando nenhuma imagem tem `alt` preenchido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Image),
    since: SECOND_READING,
    run: markup,
};

/// Elements whose tags people put into a text. A break or a block parts words; the others are within a line.
const TAGS: [(&str, bool); 20] = [
    ("a", false),
    ("abbr", false),
    ("b", false),
    ("br", true),
    ("cite", false),
    ("code", false),
    ("div", true),
    ("em", false),
    ("font", false),
    ("h2", true),
    ("h3", true),
    ("i", false),
    ("li", true),
    ("p", true),
    ("small", false),
    ("span", false),
    ("strong", false),
    ("sub", false),
    ("sup", false),
    ("u", false),
];
/// Most characters of a restored text: a quotation mark that is closed far behind is another defect.
const MOST_RESTORED: usize = 500;

/// Images with an `alt` of the kind that is looked at, and its value, without those that nobody reads.
fn with_alt(html: &Html, is_concerned: fn(&str) -> bool) -> Result<Vec<(Element<'_>, &str)>, NotMeasured> {
    let with_text = html
        .elements(&html.images)
        .filter_map(|image| Some((image, image.attribute("alt").filter(|alt| is_concerned(alt))?)));
    let all: Vec<(Element<'_>, &str)> = with_text.collect();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    Ok(all.into_iter().filter(|(image, _)| !is_decorative(*image) && !html.listed.is_unseen(*image)).collect())
}

fn cut(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found: Vec<(Element<'_>, &str, Rest)> = with_alt(html, |_| true)?
        .into_iter()
        // Names with a quotation mark are rare: the tag is read again only where there is one.
        .filter(|(image, _)| image.attributes().any(|(name, _)| name.contains(MARKS)))
        .filter_map(|(image, alt)| Some((image, alt, rest_of(image.start_tag_source()?)?)))
        .collect();
    let Some((first, alt, rest)) = found.first() else { return PASS };
    const ENDED: Text = text(
        "A quotation mark ends the alt text of {count|an image|{count} images}{count|: only “{alt}” is read|; of the first only “{alt}” is read}.",
        "Uma aspa encerra o texto alternativo de {count|uma imagem|{count} imagens}{count|: só “{alt}” é lido|; da primeira só “{alt}” é lido}.",
    );
    const ENDED_AT_ONCE: Text = text(
        "A quotation mark ends the alt text of {count|an image|{count} images}{count|: nothing of it is read|; of the first nothing is read}.",
        "Uma aspa encerra o texto alternativo de {count|uma imagem|{count} imagens}{count|: nada dele é lido|; da primeira nada é lido}.",
    );
    const RESTORED: Text = text("the words that follow the quotation mark", "as palavras depois da aspa");
    const SAVED: Text = text(
        "the words that follow the quotation mark, in lower case and each only once, as the browser saved them",
        "as palavras depois da aspa, em minúsculas e cada uma só uma vez, como o navegador as salvou",
    );
    let fix = match &rest.restored {
        Some(tag) => {
            let origin = if rest.is_saved { SAVED } else { RESTORED };
            FixDraft::edit(FixTarget::Image, tag.as_str()).into_draft().from(origin, &[])
        }
        None => {
            let tag = first.start_tag_with("alt", "{{DESCRIPTION}}").unwrap_or_default();
            FixDraft::template(FixTarget::Image, tag).note(DESCRIBE, &[])
        }
    };
    let alt = collapse(alt);
    let message = if alt.is_empty() { ENDED_AT_ONCE } else { ENDED };
    let values = [("count", found.len().into()), ("alt", alt.into())];
    problem(message, &values, fix).on(found.iter().map(|(image, ..)| image)).fail()
}

/// The signs around a value, of which one within it ends it.
const MARKS: [char; 2] = ['"', '\''];

/// What a quotation mark left of an alternative.
struct Rest {
    /// The tag with the whole text in its `alt`; `None` where it would be too long.
    restored: Option<String>,
    /// Whether a browser saved the page: it writes what it took for names in lower case, each once, with an empty value.
    is_saved: bool,
}

/// What follows the value of `alt` in a tag, if a quotation mark ended it too early.
fn rest_of(tag: &str) -> Option<Rest> {
    let attributes = attributes_of(tag);
    let name_of = |written: &WrittenAttribute| tag.get(written.name.clone()).unwrap_or_default();
    let at = attributes.iter().position(|written| name_of(written).eq_ignore_ascii_case("alt"))?;
    let (alt, behind) = (attributes.get(at)?, attributes.get(at + 1..)?);
    let value = alt.value.clone()?;
    let around = tag.get(..value.start)?.chars().next_back().filter(|sign| MARKS.contains(sign))?;
    let nameless = behind.iter().take_while(|written| written.value.as_ref().is_none_or(Range::is_empty)).count();
    let left = behind.get(..nameless)?;
    let is_saved = left.iter().any(|written| written.value.is_some());
    // A browser that saves a page puts every value in double quotation marks, whatever ended it.
    let may_end = |name: &str| name.rfind(|sign: char| sign == around || is_saved && MARKS.contains(&sign));
    let last = left.iter().rposition(|written| may_end(name_of(written)).is_some())?;
    let left = left.get(..=last)?;
    if !left.iter().any(|written| name_of(written).contains(char::is_alphanumeric)) {
        return None;
    }
    let last_name = name_of(left.last()?);
    // The mark that ends the text as its author meant it is the last of the last name.
    let end = may_end(last_name)?;
    let mark = last_name.get(end..)?.chars().next()?;
    let mut whole = format!("{}{mark}", tag.get(value)?);
    let mut from = alt.whole.end;
    for (index, written) in left.iter().enumerate() {
        // The space before the first name is the browser's.
        if !(is_saved && index == 0) {
            whole.push_str(tag.get(from..written.name.start)?);
        }
        whole.push_str(if index == last { last_name.get(..end)? } else { name_of(written) });
        from = written.whole.end;
    }
    let restored = (whole.chars().count() <= MOST_RESTORED).then(|| {
        let escaped = whole.replace(around, if around == '"' { "&quot;" } else { "&#39;" });
        let behind = tag.get(left.last()?.whole.end..)?;
        Some(format!("{}{escaped}{around}{behind}", tag.get(..alt.value.as_ref()?.start)?))
    });
    Some(Rest { restored: restored.flatten(), is_saved })
}

fn markup(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let found: Vec<(Element<'_>, String)> = with_alt(html, |alt| !alt.trim().is_empty())?
        .into_iter()
        .filter_map(|(image, alt)| match without_tags(alt) {
            Cow::Owned(words) => Some((image, collapse(&words))),
            Cow::Borrowed(_) => None,
        })
        .collect();
    let Some((first, words)) = found.first() else { return PASS };
    const TAGGED: Text = text(
        "The alt text of {count|an image|{count} images} has HTML tags{count|: “{alt}”|; the first is “{alt}”}.",
        "O texto alternativo de {count|uma imagem|{count} imagens} tem tags HTML{count|: “{alt}”|; o primeiro é “{alt}”}.",
    );
    const WORDS: Text = text("the alt text without its tags", "o texto alternativo sem as tags");
    let is_whole = found.iter().all(|(image, words)| !words.is_empty() && image.start_tag().is_some());
    let fix = if is_whole {
        let shown = found.iter().take(MAX_PLACES).filter_map(|(image, words)| image.start_tag_with("alt", words));
        let fix = FixDraft::edit(FixTarget::Image, shown.collect::<Vec<_>>().join("\n")).from(WORDS, &[]);
        found.iter().fold(fix, |fix, (image, words)| fix.set(*image, "alt", words))
    } else {
        let described = if words.is_empty() { "{{DESCRIPTION}}" } else { words };
        let fix = FixDraft::template(FixTarget::Image, first.start_tag_with("alt", described).unwrap_or_default());
        if words.is_empty() { fix.note(DESCRIBE, &[]) } else { fix }
    };
    let alt = collapse(first.attribute("alt").unwrap_or_default());
    let values = [("count", found.len().into()), ("alt", alt.into())];
    problem(TAGGED, &values, fix).on(found.iter().map(|(image, _)| image)).fail()
}

/// A text without the tags of [`TAGS`]; borrowed where it has none.
fn without_tags(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut kept, mut from) = (0, 0);
    while let Some(open) = text.get(from..).and_then(|rest| rest.find('<')).map(|at| from + at) {
        from = open + 1;
        let Some((end, parts)) = tag_at(text, open) else { continue };
        out.push_str(text.get(kept..open).unwrap_or_default());
        if parts {
            out.push(' ');
        }
        (kept, from) = (end, end);
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Where the tag that begins at `open` ends, and whether it parts words.
fn tag_at(text: &str, open: usize) -> Option<(usize, bool)> {
    let inner = text.get(open + 1..)?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let name_end = inner.find(|c: char| !c.is_ascii_alphanumeric())?;
    let name = inner.get(..name_end)?.to_ascii_lowercase();
    let (_, parts) = TAGS.iter().find(|(tag, _)| *tag == name)?;
    let behind = inner.get(name_end..)?;
    if !behind.starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace()) {
        return None;
    }
    let end = behind.find('>')?;
    Some((text.len() - behind.len() + end + 1, *parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_cut_text_is_found() {
        let restored = |tag: &str| rest_of(tag).and_then(|rest| rest.restored);
        for (tag, whole) in [
            (
                r#"<img src=a alt="He said "hello" to me" class="x">"#,
                Some(r#"<img src=a alt="He said &quot;hello&quot; to me" class="x">"#),
            ),
            (r#"<img alt="The "sign"" src=b>"#, Some(r#"<img alt="The &quot;sign&quot;" src=b>"#)),
            // Nothing stands before the mark.
            (r#"<img alt=""Open" sign" src=b>"#, Some(r#"<img alt="&quot;Open&quot; sign" src=b>"#)),
            // An apostrophe, of a value between such.
            ("<img alt='The mill's sign' src=b>", Some("<img alt='The mill&#39;s sign' src=b>")),
            // As a browser saves them.
            (
                r#"<img alt="Welcome to " island":="" a="" nightmare"="" data-x="y">"#,
                Some(r#"<img alt="Welcome to &quot;island&quot;: a nightmare" data-x="y">"#),
            ),
            (
                r#"<img alt="" open"="" sign""="" src="b"/>"#,
                Some(r#"<img alt="&quot;open&quot; sign&quot;" src="b"/>"#),
            ),
            (r#"<img alt="The mill" s="" sign'="" src="b">"#, Some(r#"<img alt="The mill's sign" src="b">"#)),
            // Another attribute was cut, or nothing.
            (r#"<img alt="A sign" class="" title="The " sign"="">"#, None),
            (r#"<img alt="A sign" class="" hidden="">"#, None),
            (r#"<img alt="The miller" it's hidden>"#, None),
            (r#"<img alt=A mill" hidden>"#, None),
            // A mark too many cuts nothing.
            (r#"<img alt="A sign"" src=b>"#, None),
            (r#"<img alt="A sign" "="" src="b">"#, None),
            (r#"<img alt="A sign" title="The "sign" here">"#, None),
            (r#"<img alt="A sign" hidden>"#, None),
            (r#"<img src=a "alt">"#, None),
        ] {
            assert_eq!(restored(tag).as_deref(), whole, "{tag}");
        }
        let long = format!(r#"<img alt="a" {} b">"#, "x ".repeat(300));
        assert!(rest_of(&long).is_some_and(|rest| rest.restored.is_none()));
    }

    #[test]
    fn tags_are_told_from_signs_of_comparison() {
        for (text, words) in [
            ("Two<br>lines", "Two lines"),
            ("Photo by <a href=\"/x\">Ana</a>", "Photo by Ana"),
            ("<SPAN style=x>Nintendo</SPAN>/Apple", "Nintendo/Apple"),
            ("<br/>", " "),
        ] {
            assert_eq!(without_tags(text), words, "{text}");
        }
        for text in ["a < b > c", "1<b", "x <bold> y", "i<j and k>l", "", "<", "The <video> element"] {
            assert!(matches!(without_tags(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
