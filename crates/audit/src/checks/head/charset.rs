//! The character encoding: undeclared, declared too late, or declared wrongly.

use encoding_rs::{Encoding, UTF_8};

use crate::check::prelude::*;
use crate::facts::charset::{CharsetSource, PRESCAN_BYTES};
use crate::facts::page::Html;
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "charset", category: Category::Head, landing: LANDING, checks: &[MISSING, LATE, INVALID] };

const LANDING: Landing = Landing {
    title: text("Charset and encoding checker", "Verificador de charset e codificação"),
    h1: text("Is the encoding of your page declared correctly?", "A codificação da sua página está bem declarada?"),
    description: text(
        "Check how a page declares its character encoding in header and meta tags, and whether browsers and crawlers agree on it.",
        "Verifique como a página declara sua codificação no cabeçalho HTTP e nas meta tags, e se navegadores e robôs concordam.",
    ),
    lead: text(
        "Accents and dashes may be garbled when browsers have to guess the encoding. This tool reads the byte order mark, the response header and the meta tags as browsers do, and shows where they conflict.",
        "Acentos e travessões podem aparecer corrompidos quando o navegador precisa adivinhar a codificação. Esta ferramenta lê a marca de ordem de bytes, o cabeçalho HTTP e as meta tags como os navegadores e mostra onde discordam.",
    ),
    example: include_str!("charset/bad_twice.html"),
};

const STANDARD: &str = "https://html.spec.whatwg.org/multipage/semantics.html#charset";
const TAG: &str = "<meta charset=\"utf-8\">";

const MISSING: Check = Check {
    code: "charset_missing",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Character encoding not declared", "Codificação de caracteres não declarada"),
    why: text(
        "Every browser and crawler has to guess the encoding, and accents or dashes may be garbled.",
        "Cada navegador e robô precisa adivinhar a codificação, e acentos ou travessões podem aparecer corrompidos.",
    ),
    how: text(
        "Add `<meta charset=\"utf-8\">` as the first element of `<head>`, or send `Content-Type: text/html; charset=utf-8`, and save the file as UTF-8.",
        "Adicione `<meta charset=\"utf-8\">` como primeiro elemento do `<head>`, ou envie `Content-Type: text/html; charset=utf-8`, e salve o arquivo em UTF-8.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails when no byte order mark, `Content-Type` header, XML declaration or `meta` in the head declares an encoding, and the page has a byte above 0x7F or came without a `Content-Type`. A pure ASCII page with a `Content-Type` passes. Uploaded HTML has no known headers; for it this is only a note, and only if it has a byte above 0x7F.",
        "Falha quando nenhuma marca de ordem de bytes, cabeçalho `Content-Type`, declaração XML ou `meta` no head declara uma codificação, e a página tem um byte acima de 0x7F ou veio sem `Content-Type`. Uma página só de ASCII com `Content-Type` passa. O HTML enviado pelo usuário não tem cabeçalhos conhecidos; nele, isto é só uma observação, e apenas se houver um byte acima de 0x7F.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: missing,
};

const LATE: Check = Check {
    code: "charset_late",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Character encoding declared too late", "Codificação de caracteres declarada tarde demais"),
    why: text(
        "Browsers look for the declaration in the first 1,024 bytes. If it comes later, they have to parse the page again, and simpler clients miss it.",
        "Os navegadores procuram a declaração nos primeiros 1.024 bytes. Se ela vem depois, precisam ler a página de novo, e clientes mais simples não a encontram.",
    ),
    how: text(
        "Make the declaration the first element of `<head>`.",
        "Coloque a declaração como primeiro elemento do `<head>`.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails when the only declaration is a `meta` in the head whose tag does not end within the first 1,024 bytes of the document. A byte order mark or a charset in the `Content-Type` header makes it pass. For uploaded HTML, whose headers are unknown, it is only a note. Not applicable when no `meta` declares an encoding.",
        "Falha quando a única declaração é um `meta` no head cuja tag não termina nos primeiros 1.024 bytes do documento. Uma marca de ordem de bytes ou um charset no cabeçalho `Content-Type` faz passar. Em HTML enviado pelo usuário, cujos cabeçalhos são desconhecidos, é só uma observação. Não se aplica quando nenhum `meta` declara uma codificação.",
    ),
    thresholds: &[threshold("declaration_end", PRESCAN_BYTES as u64, "bytes")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: late,
};

const INVALID: Check = Check {
    code: "charset_invalid",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Wrong or conflicting character encoding", "Codificação de caracteres errada ou em conflito"),
    why: text(
        "With an unknown label, conflicting labels or a legacy encoding, different clients decode the page differently.",
        "Com um rótulo desconhecido, rótulos em conflito ou uma codificação antiga, cada cliente decodifica a página de um jeito.",
    ),
    how: text(
        "Serve UTF-8, and declare it in the `Content-Type` header, in `<meta charset=\"utf-8\">`, or identically in both.",
        "Sirva UTF-8 e declare-o no cabeçalho `Content-Type`, em `<meta charset=\"utf-8\">`, ou igualmente nos dois.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails on the first of these cases: a byte order mark of UTF-16, or of UTF-8 when a label says something else; a label in the header or a `meta` that the Encoding Standard does not define; two labels for different encodings; an encoding other than UTF-8. The message says so when the bytes are UTF-8 all the same: valid UTF-8 with at least 5 characters outside of ASCII. Two cases are only a note: several `meta` in the head that declare UTF-8, and a problem in a `meta` of uploaded HTML, since an unknown header would take precedence. Not applicable when no encoding is declared.",
        "Falha no primeiro destes casos: uma marca de ordem de bytes de UTF-16, ou de UTF-8 quando um rótulo diz outra coisa; um rótulo no cabeçalho HTTP ou em um `meta` que o Encoding Standard não define; dois rótulos de codificações diferentes; uma codificação que não é UTF-8. A mensagem avisa quando os bytes são UTF-8 mesmo assim: UTF-8 válido com pelo menos 5 caracteres fora do ASCII. Dois casos são só uma observação: vários `meta` no head que declaram UTF-8, e um problema em um `meta` de HTML enviado pelo usuário, pois um cabeçalho desconhecido teria precedência. Não se aplica quando nenhuma codificação é declarada.",
    ),
    thresholds: &[threshold("utf8_characters", FEWEST_CHARACTERS as u64, "characters")],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: invalid,
};

/// `meta` elements of the head, or those elsewhere, that declare an encoding, with their label.
fn declarations(html: &Html, in_head: bool) -> Vec<(Element<'_>, String)> {
    html.metas
        .iter()
        .filter(|meta| meta.in_head == in_head)
        .filter_map(|meta| {
            let element = html.element(meta.node)?;
            if let Some(label) = element.attribute("charset") {
                return Some((element, label.trim().to_owned()));
            }
            let content = meta.content.as_deref().filter(|_| meta.http_equiv.as_deref() == Some("content-type"))?;
            Some((element, crate::facts::charset::label_in_content(content)?))
        })
        .collect()
}

/// Fails when no mark, header or `meta` declares one, and it matters: a byte above 0x7F, or no header at all.
fn missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let exchange = facts.response()?;
    let declared = matches!(html.charset.source, CharsetSource::Bom | CharsetSource::Xml)
        || html.charset.header_label.is_some()
        || html.charset.meta_label.is_some()
        || !declarations(html, true).is_empty();
    let may_be_in_header = may_be_in_header(facts, html);
    let plain = exchange.body.bytes.is_ascii() && (may_be_in_header || exchange.header("content-type").is_some());
    if declared || plain {
        return PASS;
    }
    const UNLESS_HEADER: Text = text(
        "The HTML declares no encoding and was read as {encoding}. Browsers guess, too, unless the Content-Type header declares it.",
        "O HTML não declara codificação e foi lido como {encoding}. Os navegadores também adivinham, a menos que o cabeçalho Content-Type a declare.",
    );
    const NONE: Text = text(
        "The page declares no character encoding; it was read as {encoding} by guessing.",
        "A página não declara codificação de caracteres; foi lida como {encoding} por adivinhação.",
    );
    const IN_BODY: Text = text(
        "The encoding is declared in the body, on line {line}, where most clients ignore it; the page was read as {encoding} by guessing.",
        "A codificação é declarada no body, na linha {line}, onde a maioria dos clientes a ignora; a página foi lida como {encoding} por adivinhação.",
    );
    let misplaced = declarations(html, false).into_iter().map(|(meta, _)| meta).find(|meta| meta.start_tag().is_some());
    let line = misplaced.and_then(Element::line).unwrap_or_default() as usize;
    let values = [("encoding", html.charset.name().into()), ("line", line.into())];
    let found = |fix: FixDraft| {
        let (message, values) = match misplaced {
            _ if may_be_in_header => (UNLESS_HEADER, &values[..1]),
            Some(_) => (IN_BODY, &values[..]),
            None => (NONE, &values[..1]),
        };
        problem(message, values, fix).minor_if(may_be_in_header).on(misplaced).fail()
    };
    if std::str::from_utf8(&exchange.body.bytes).is_err() {
        const CONVERT: Text = text(
            "The file is not valid UTF-8. Convert it to UTF-8 first, then declare it with <meta charset=\"utf-8\">.",
            "O arquivo não é UTF-8 válido. Converta-o primeiro para UTF-8 e depois declare com <meta charset=\"utf-8\">.",
        );
        return found(FixDraft::instruction(FixTarget::Head, CONVERT, &[]));
    }
    const VALID: Text = text("the file is valid UTF-8", "o arquivo é UTF-8 válido");
    found(FixDraft::head(HeadKey::Charset, TAG).from(VALID, &[]))
}

/// Fails when the only declaration is a `meta` that does not end within the first 1,024 bytes.
fn late(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let first = declarations(html, true).into_iter().next();
    let Some((meta, span)) = first.and_then(|(meta, _)| Some((meta, meta.start_tag()?))) else {
        return Err(NotMeasured::Absent);
    };
    let other = html.charset.source == CharsetSource::Bom || html.charset.header_label.is_some();
    if other || html.charset.meta_label.is_some() || span.end <= PRESCAN_BYTES {
        return PASS;
    }
    const BEHIND: Text = text(
        "The encoding is declared at byte {byte}, after the first 1,024 bytes.",
        "A codificação é declarada no byte {byte}, depois dos primeiros 1.024 bytes.",
    );
    const BEHIND_UNLESS_HEADER: Text = text(
        "The encoding is declared at byte {byte}, after the first 1,024 bytes. This matters unless the Content-Type header declares it too.",
        "A codificação é declarada no byte {byte}, depois dos primeiros 1.024 bytes. Isso importa, a menos que o cabeçalho Content-Type também a declare.",
    );
    const SAME: Text = text("the page's own declaration", "a declaração da própria página");
    let may_be_in_header = may_be_in_header(facts, html);
    let message = if may_be_in_header { BEHIND_UNLESS_HEADER } else { BEHIND };
    let tag = meta.start_tag_source().unwrap_or(TAG).to_owned();
    let fix = FixDraft::head(HeadKey::Charset, tag).remove(meta).from(SAME, &[]);
    problem(message, &[("byte", span.start.into())], fix).minor_if(may_be_in_header).on([meta]).fail()
}

/// Whether a header that is not known may declare the encoding.
fn may_be_in_header(facts: &Facts<'_>, html: &Html) -> bool {
    !facts.capture.source.has_headers() && html.charset.header_label.is_none()
}

/// Characters outside of ASCII from which on bytes that are valid UTF-8 are taken for it: a few characters of GBK may be
/// valid UTF-8 by chance.
const FEWEST_CHARACTERS: usize = 5;

/// Whether bytes are UTF-8, whatever they are declared as.
fn is_plainly_utf8(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    text.chars().filter(|character| !character.is_ascii()).take(FEWEST_CHARACTERS).count() == FEWEST_CHARACTERS
}

/// What is wrong with the declarations of an encoding.
enum EncodingFault {
    /// The byte order mark is of another encoding than this label says, or of one other than UTF-8.
    Mark(Option<String>),
    /// A label that is none.
    Unknown(String),
    /// Two labels that mean different encodings.
    Disagreeing(String, String),
    /// A label of an encoding other than UTF-8, on bytes that are UTF-8.
    Mislabelled(String),
    /// A label of an encoding other than UTF-8.
    Legacy(String),
    /// UTF-8, so many times in `meta`.
    Repeated(usize),
}

impl EncodingFault {
    /// The first fault of some labels, those of `meta` elements among them, and of the byte order mark of the bytes.
    fn read(html: &Html, bytes: &[u8], labels: &[String], metas: usize) -> Option<Self> {
        let known = |label: &str| Encoding::for_label(label.as_bytes());
        let first = labels.first().map_or("", String::as_str);
        if html.charset.source == CharsetSource::Bom {
            let other = labels.iter().find(|label| known(label) != Some(html.charset.encoding)).cloned();
            if other.is_some() || html.charset.encoding != UTF_8 {
                return Some(Self::Mark(other));
            }
        }
        if let Some(label) = labels.iter().find(|label| known(label).is_none()) {
            return Some(Self::Unknown(label.clone()));
        }
        if let Some(label) = labels.iter().find(|label| known(label) != known(first)) {
            return Some(Self::Disagreeing(first.to_owned(), label.clone()));
        }
        let legacy = labels.iter().find(|label| known(label) != Some(UTF_8)).cloned();
        let legacy =
            legacy.map(|label| if is_plainly_utf8(bytes) { Self::Mislabelled(label) } else { Self::Legacy(label) });
        legacy.or_else(|| (metas > 1).then_some(Self::Repeated(metas)))
    }

    /// The sentence with its values. `is_sure`: no header that is not known would count instead of a `meta`.
    fn message(&self, html: &Html, is_sure: bool) -> (Text, Vec<(&'static str, Value)>) {
        let of = |sure: Text, unsure: Text| if is_sure { sure } else { unsure };
        match self {
            Self::Mark(Some(label)) => (
                text(
                    "The file begins with the byte order mark of {encoding}, which takes precedence, but is declared as “{label}”.",
                    "O arquivo começa com a marca de ordem de bytes de {encoding}, que tem precedência, mas é declarado como “{label}”.",
                ),
                vec![("encoding", html.charset.name().into()), ("label", label.as_str().into())],
            ),
            Self::Mark(None) => (
                text(
                    "The file begins with the byte order mark of {encoding}, so it is not read as UTF-8.",
                    "O arquivo começa com a marca de ordem de bytes de {encoding}, por isso não é lido como UTF-8.",
                ),
                vec![("encoding", html.charset.name().into())],
            ),
            Self::Unknown(label) => (
                of(
                    text(
                        "The encoding label “{label}” is unknown.",
                        "O rótulo de codificação “{label}” é desconhecido.",
                    ),
                    text(
                        "The encoding label “{label}” is unknown. This matters unless the Content-Type header declares another one.",
                        "O rótulo de codificação “{label}” é desconhecido. Isso importa, a menos que o cabeçalho Content-Type declare outro.",
                    ),
                ),
                vec![("label", label.as_str().into())],
            ),
            Self::Disagreeing(first, label) => (
                of(
                    text(
                        "The encoding declarations conflict: “{first}” and “{label}”.",
                        "As declarações de codificação estão em conflito: “{first}” e “{label}”.",
                    ),
                    text(
                        "The encoding declarations conflict: “{first}” and “{label}”. This matters unless the Content-Type header declares the encoding.",
                        "As declarações de codificação estão em conflito: “{first}” e “{label}”. Isso importa, a menos que o cabeçalho Content-Type declare a codificação.",
                    ),
                ),
                vec![("first", first.as_str().into()), ("label", label.as_str().into())],
            ),
            Self::Mislabelled(label) => (
                of(
                    text(
                        "The page is declared as {label}, but its bytes are UTF-8, so its text is garbled.",
                        "A página é declarada como {label}, mas seus bytes são UTF-8; por isso o texto aparece corrompido.",
                    ),
                    text(
                        "The HTML is declared as {label}, but its bytes are UTF-8. Its text is garbled unless the Content-Type header declares UTF-8.",
                        "O HTML é declarado como {label}, mas seus bytes são UTF-8. O texto aparece corrompido, a menos que o cabeçalho Content-Type declare UTF-8.",
                    ),
                ),
                vec![("label", label.as_str().into())],
            ),
            Self::Legacy(label) => (
                of(
                    text(
                        "The page is declared as {label} instead of UTF-8.",
                        "A página é declarada como {label} em vez de UTF-8.",
                    ),
                    text(
                        "The HTML is declared as {label} instead of UTF-8. This matters unless the Content-Type header declares another encoding.",
                        "O HTML é declarado como {label} em vez de UTF-8. Isso importa, a menos que o cabeçalho Content-Type declare outra codificação.",
                    ),
                ),
                vec![("label", label.as_str().into())],
            ),
            Self::Repeated(count) => (
                text("The head declares UTF-8 {count} times.", "O head declara UTF-8 {count} vezes."),
                vec![("count", (*count).into())],
            ),
        }
    }
}

/// Fails on a byte order mark or label other than UTF-8, one that is unknown, and declarations that disagree.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let metas = declarations(html, true);
    let header = html.charset.header_label.clone();
    let is_marked = html.charset.source == CharsetSource::Bom;
    if metas.is_empty() && header.is_none() && !is_marked {
        return Err(NotMeasured::Absent);
    }
    let labels: Vec<String> = header.into_iter().chain(metas.iter().map(|(_, label)| label.clone())).collect();
    let bytes = &facts.response()?.body.bytes;
    let Some(fault) = EncodingFault::read(html, bytes, &labels, metas.len()) else { return PASS };
    let is_sure = is_marked || !may_be_in_header(facts, html);
    let (message, values) = fault.message(html, is_sure);
    let is_minor = !is_sure || matches!(fault, EncodingFault::Repeated(_));
    let found = problem(message, &values, fix(html, &metas, facts)?).minor_if(is_minor);
    found.on(metas.iter().map(|(meta, _)| meta)).fail()
}

/// One `meta` that says UTF-8, when the bytes are that and no header says otherwise; else an instruction.
fn fix(html: &Html, metas: &[(Element<'_>, String)], facts: &Facts<'_>) -> Result<FixDraft, NotMeasured> {
    let bytes = &facts.response()?.body.bytes;
    let header_fine =
        html.charset.header_label.as_deref().is_none_or(|label| Encoding::for_label(label.as_bytes()) == Some(UTF_8));
    let Some(((first, _), rest)) = metas.split_first().filter(|_| header_fine && std::str::from_utf8(bytes).is_ok())
    else {
        const SERVER: Text = text(
            "Convert the page to UTF-8, send Content-Type: text/html; charset=utf-8, and keep one <meta charset=\"utf-8\">.",
            "Converta a página para UTF-8, envie Content-Type: text/html; charset=utf-8 e mantenha um só <meta charset=\"utf-8\">.",
        );
        return Ok(FixDraft::instruction(FixTarget::Page, SERVER, &[]));
    };
    const VALID: Text = text("the file is valid UTF-8", "o arquivo é UTF-8 válido");
    let fix = FixDraft::edit(FixTarget::Head, TAG).from(VALID, &[]);
    let fix = match first.start_tag().is_some() && only_declares(*first) {
        true => fix.unset(*first, "http-equiv").unset(*first, "content").set(*first, "charset", "utf-8"),
        false => without_declaration(fix, *first).with_head(HeadKey::Charset, TAG),
    };
    Ok(rest.iter().fold(
        fix,
        |fix, (meta, _)| {
            if only_declares(*meta) { fix.remove(*meta) } else { without_declaration(fix, *meta) }
        },
    ))
}

/// Whether a `meta` says nothing but the encoding.
fn only_declares(meta: Element<'_>) -> bool {
    meta.attributes().all(|(name, _)| matches!(name, "charset" | "http-equiv" | "content"))
}

/// Takes what declares the encoding off a `meta` that says something else too.
fn without_declaration(fix: FixDraft, meta: Element<'_>) -> FixDraft {
    fix.unset(meta, "charset").unset(meta, "http-equiv")
}
