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
    h1: text("Is the encoding of your page declared right?", "A codificação da sua página está bem declarada?"),
    description: text(
        "Check how a page declares its character encoding in header and meta, and whether browsers and crawlers read its letters alike.",
        "Verifique como uma página declara sua codificação no cabeçalho e no meta, e se navegadores e robôs leem suas letras do mesmo jeito.",
    ),
    lead: text(
        "Accents and dashes turn into garbage when readers have to guess the encoding of a page. This tool reads the byte order mark, the response header and the page as browsers do and says what contradicts what.",
        "Acentos e travessões viram lixo quando é preciso adivinhar a codificação de uma página. Esta ferramenta lê a marca de ordem de bytes, o cabeçalho da resposta e a página como os navegadores fazem e diz o que contradiz o quê.",
    ),
    example: include_str!("charset/bad_twice.html"),
};

const STANDARD: &str = "https://html.spec.whatwg.org/multipage/semantics.html#charset";
const TAG: &str = "<meta charset=\"utf-8\">";

const MISSING: Check = Check {
    code: "charset_missing",
    severity: Severity::Warn,
    impact: Impact::Rendering,
    title: text("Encoding not declared", "Codificação não declarada"),
    why: text(
        "Nothing says how the bytes are to be read, so every browser and crawler guesses, and accents or dashes may come out as garbage.",
        "Nada diz como os bytes devem ser lidos, então cada navegador e robô adivinha, e acentos ou travessões podem virar lixo.",
    ),
    how: text(
        "Put `<meta charset=\"utf-8\">` first into `<head>`, save the file as UTF-8, or send `Content-Type: text/html; charset=utf-8`.",
        "Coloque `<meta charset=\"utf-8\">` como primeiro item de `<head>`, salve o arquivo em UTF-8 ou envie `Content-Type: text/html; charset=utf-8`.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails when no byte order mark, `Content-Type` header, XML declaration or `meta` of the head declares an encoding and it matters: the page holds a byte above 0x7F, or came without a `Content-Type`. A page of ASCII alone that came with one passes.",
        "Falha quando nenhuma marca de ordem de bytes, cabeçalho `Content-Type`, declaração XML ou `meta` do cabeçalho declara uma codificação e isso importa: a página tem um byte acima de 0x7F ou veio sem `Content-Type`. Uma página só de ASCII que veio com ele passa.",
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
    title: text("Encoding declared too late", "Codificação declarada tarde demais"),
    why: text(
        "Parsers look for the declaration in the first 1,024 bytes. One that stands later makes a browser start over, and simpler readers miss it.",
        "Os leitores procuram a declaração nos primeiros 1.024 bytes. Se ela vem depois, o navegador recomeça, e leitores mais simples nem a veem.",
    ),
    how: text(
        "Move the declaration to the first place in `<head>`.",
        "Mova a declaração para o primeiro lugar de `<head>`.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails when the only declaration is a `meta` of the head whose tag does not end within the first 1,024 bytes of the document. A byte order mark or a charset in the `Content-Type` header lets it pass. Not applicable where no `meta` declares one.",
        "Falha quando a única declaração é um `meta` do cabeçalho cuja tag não termina nos primeiros 1.024 bytes do documento. Uma marca de ordem de bytes ou um charset no cabeçalho `Content-Type` o deixa passar. Não se aplica quando nenhum `meta` declara uma codificação.",
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
    title: text("Encoding declared wrongly", "Codificação declarada errado"),
    why: text(
        "A label nobody knows, two that disagree, or a legacy encoding: different readers decode the page differently.",
        "Um rótulo desconhecido, dois que discordam ou uma codificação antiga: cada leitor decodifica a página de um jeito.",
    ),
    how: text(
        "Serve UTF-8 and declare it once: in the `Content-Type` header, in `<meta charset=\"utf-8\">`, or in both alike.",
        "Sirva UTF-8 e declare uma vez só: no cabeçalho `Content-Type`, em `<meta charset=\"utf-8\">`, ou nos dois por igual.",
    ),
    reference: STANDARD,
    rule: text(
        "Fails on the first of these: a label in header or `meta` that the Encoding Standard does not know; two labels that mean different encodings; an encoding other than UTF-8; more than one `meta` of the head that declares one, even alike. Not applicable where none is declared.",
        "Falha no primeiro destes casos: um rótulo no cabeçalho HTTP ou em `meta` que o padrão Encoding não conhece; dois rótulos de codificações diferentes; uma codificação que não é UTF-8; mais de um `meta` do cabeçalho que a declara, mesmo igual. Não se aplica quando nenhuma é declarada.",
    ),
    thresholds: &[],
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
    let plain = exchange.body.bytes.is_ascii() && exchange.header("content-type").is_some();
    if declared || plain {
        return PASS;
    }
    const NONE: Text = text(
        "No encoding is declared; the page was read as {encoding} by guess.",
        "Nenhuma codificação é declarada; a página foi lida como {encoding} por adivinhação.",
    );
    const IN_BODY: Text = text(
        "The encoding is declared on line {line}, in the body, where few readers look for it; the page was read as {encoding} by guess.",
        "A codificação é declarada na linha {line}, no corpo, onde poucos leitores a procuram; a página foi lida como {encoding} por adivinhação.",
    );
    let misplaced = declarations(html, false).into_iter().map(|(meta, _)| meta).find(|meta| meta.start_tag().is_some());
    let line = misplaced.and_then(Element::line).unwrap_or_default() as usize;
    let values = [("encoding", html.charset.name().into()), ("line", line.into())];
    let found = |fix: FixDraft| {
        let (message, values) = if misplaced.is_some() { (IN_BODY, &values[..]) } else { (NONE, &values[..1]) };
        problem(message, values, fix).on(misplaced).fail()
    };
    if std::str::from_utf8(&exchange.body.bytes).is_err() {
        const CONVERT: Text = text(
            "The bytes are not UTF-8: convert the page to UTF-8 first, then declare it with <meta charset=\"utf-8\">.",
            "Os bytes não são UTF-8: converta primeiro a página para UTF-8 e depois declare com <meta charset=\"utf-8\">.",
        );
        return found(FixDraft::instruction(FixTarget::Head, CONVERT, &[]));
    }
    const VALID: Text = text("the page's bytes are valid UTF-8", "os bytes da página são UTF-8 válido");
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
        "The encoding is declared at byte {byte}, past the first 1,024.",
        "A codificação é declarada no byte {byte}, depois dos primeiros 1.024.",
    );
    const SAME: Text = text("the page's own declaration", "a declaração da própria página");
    let tag = meta.start_tag_source().unwrap_or(TAG).to_owned();
    let fix = FixDraft::head(HeadKey::Charset, tag).remove(meta).from(SAME, &[]);
    problem(BEHIND, &[("byte", span.start.into())], fix).on([meta]).fail()
}

/// Fails on an unknown label, a label other than UTF-8, declarations that disagree, and more than one `meta`.
fn invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let metas = declarations(html, true);
    let header = html.charset.header_label.clone();
    if metas.is_empty() && header.is_none() {
        return Err(NotMeasured::Absent);
    }
    let labels: Vec<String> = header.iter().cloned().chain(metas.iter().map(|(_, label)| label.clone())).collect();
    let known = |label: &str| Encoding::for_label(label.as_bytes());
    let message = if let Some(label) = labels.iter().find(|label| known(label).is_none()) {
        problem(
            text("The encoding label “{label}” is not known.", "O rótulo de codificação “{label}” não é conhecido."),
            &[("label", label.as_str().into())],
            fix(html, &metas, facts)?,
        )
    } else if let Some(label) =
        labels.iter().find(|label| known(label) != known(labels.first().map_or("", String::as_str)))
    {
        problem(
            text(
                "The declarations disagree: “{first}” and “{label}”.",
                "As declarações discordam: “{first}” e “{label}”.",
            ),
            &[("first", labels.first().cloned().unwrap_or_default().into()), ("label", label.as_str().into())],
            fix(html, &metas, facts)?,
        )
    } else if let Some(label) = labels.iter().find(|label| known(label) != Some(UTF_8)) {
        problem(
            text("The page is declared as {label}, not UTF-8.", "A página é declarada como {label}, não UTF-8."),
            &[("label", label.as_str().into())],
            fix(html, &metas, facts)?,
        )
    } else if metas.len() > 1 {
        problem(
            text("The encoding is declared {count} times.", "A codificação é declarada {count} vezes."),
            &[("count", metas.len().into())],
            fix(html, &metas, facts)?,
        )
    } else {
        return PASS;
    };
    message.on(metas.iter().map(|(meta, _)| meta)).fail()
}

/// One `meta` that says UTF-8, when the bytes are that and no header says otherwise; else an instruction.
fn fix(html: &Html, metas: &[(Element<'_>, String)], facts: &Facts<'_>) -> Result<FixDraft, NotMeasured> {
    let bytes = &facts.response()?.body.bytes;
    let header_fine =
        html.charset.header_label.as_deref().is_none_or(|label| Encoding::for_label(label.as_bytes()) == Some(UTF_8));
    let Some(((first, _), rest)) = metas.split_first().filter(|_| header_fine && std::str::from_utf8(bytes).is_ok())
    else {
        const SERVER: Text = text(
            "Convert the page to UTF-8, send `Content-Type: text/html; charset=utf-8`, and keep one <meta charset=\"utf-8\">.",
            "Converta a página para UTF-8, envie `Content-Type: text/html; charset=utf-8` e mantenha um só <meta charset=\"utf-8\">.",
        );
        return Ok(FixDraft::instruction(FixTarget::Page, SERVER, &[]));
    };
    const VALID: Text = text("the page's bytes are valid UTF-8", "os bytes da página são UTF-8 válido");
    let fix = FixDraft::edit(FixTarget::Head, TAG).from(VALID, &[]);
    let fix = match first.start_tag().filter(|_| only_declares(*first)) {
        Some(span) => fix.replace(span, TAG),
        None => without_declaration(fix, *first).with_head(HeadKey::Charset, TAG),
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
