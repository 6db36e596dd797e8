//! The card that X makes of a shared link.

use super::open_graph::tag_fix;
use crate::check::prelude::*;
use crate::facts::elements::Meta;
use crate::facts::jsonld::placeholder::is_gap;
use crate::facts::page::Html;
use crate::facts::resolved::{EvidenceSource, image};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "twitter-card",
    category: Category::Social,
    landing: LANDING,
    checks: &[CARD_INVALID, CARD_MISSING, HANDLE],
};

const LANDING: Landing = Landing {
    title: text("X (Twitter) card checker", "Verificador de cartões do X (Twitter)"),
    h1: text("Which card does X show for your page?", "Que cartão o X mostra para sua página?"),
    description: text(
        "Check the twitter:card tag of a page: missing, of a type that X doesn't know, or a player card with missing tags.",
        "Verifique a tag twitter:card de uma página: ausente, de um tipo que o X não conhece ou um cartão player com tags faltando.",
    ),
    lead: text(
        "X takes title, text and image from Open Graph, and only the card type from its own tag. With an unknown type it shows a plain link. This tool suggests the right type for the page's image.",
        "O X tira título, texto e imagem do Open Graph e só o tipo de cartão de uma tag própria. Com um tipo desconhecido, mostra um link simples. Esta ferramenta sugere o tipo certo para a imagem da página.",
    ),
    example: include_str!("twitter_card/bad_kind.html"),
};

const CARD_MISSING: Check = Check {
    code: "twitter_card_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("twitter:card missing", "twitter:card ausente"),
    why: text(
        "Without `twitter:card`, X uses the Open Graph tags and chooses the card type itself.",
        "Sem `twitter:card`, o X usa as tags Open Graph e escolhe sozinho o tipo de cartão.",
    ),
    how: text(
        "Add `<meta name=\"twitter:card\" content=\"summary_large_image\">`.",
        "Adicione `<meta name=\"twitter:card\" content=\"summary_large_image\">`.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text(
        "Fails when no `meta` with the `property` (or else `name`) `twitter:card` has content. Not measured when the document was cut, on a page with noindex, or when the tag has `value` instead of `content`, which `meta_content_misspelt` reports.",
        "Falha quando nenhum `meta` com `property` (ou, na falta dele, `name`) `twitter:card` tem conteúdo. Não é medido quando o documento foi cortado, em página com noindex ou quando a tag tem `value` em vez de `content`, o que `meta_content_misspelt` aponta.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: card_missing,
};

const CARD_INVALID: Check = Check {
    code: "twitter_card_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Invalid twitter:card", "twitter:card inválido"),
    why: text(
        "X shows no card: the shared link appears as a plain URL.",
        "O X não mostra cartão: o link compartilhado aparece como uma URL simples.",
    ),
    how: text(
        "Use `summary`, `summary_large_image`, `app` or `player`. A `player` card also needs `twitter:player` and its width and height.",
        "Use `summary`, `summary_large_image`, `app` ou `player`. Um cartão `player` precisa também de `twitter:player` com largura e altura.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text(
        "Fails when the first `twitter:card` with content is not `summary`, `summary_large_image`, `app` or `player`, in any letter case. Also fails when it is `player` and `twitter:player`, `twitter:player:width` or `twitter:player:height` has no content. Not applicable without `twitter:card`.",
        "Falha quando o primeiro `twitter:card` com conteúdo não é `summary`, `summary_large_image`, `app` nem `player`, em maiúsculas ou minúsculas. Falha também quando é `player` e `twitter:player`, `twitter:player:width` ou `twitter:player:height` não tem conteúdo. Não se aplica sem `twitter:card`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: card_invalid,
};

const HANDLE: Check = Check {
    code: "twitter_handle_placeholder",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Placeholder account in the X card", "Conta de exemplo no cartão do X"),
    why: text(
        "Accounts such as `@yoursite` come from sample code. They belong to somebody else or don't exist.",
        "Contas como `@yoursite` vêm de código de exemplo. São de outra pessoa ou não existem.",
    ),
    how: text(
        "Put your own account in `twitter:site` and `twitter:creator`, or remove the tags.",
        "Coloque sua própria conta em `twitter:site` e `twitter:creator` ou remova as tags.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text(
        "Fails when `twitter:site` or `twitter:creator` is a placeholder account, in any letter case: `@yoursite`, `@username`, `@your_handle` and others of a table, a template placeholder, or `@` alone. Not applicable without these tags.",
        "Falha quando `twitter:site` ou `twitter:creator` é uma conta de exemplo, em maiúsculas ou minúsculas: `@yoursite`, `@username`, `@your_handle` e outras de uma tabela, um marcador de template ou só `@`. Não se aplica sem essas tags.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: PRECISION,
    run: handle,
};

/// Kinds of cards that X makes.
const KINDS: [&str; 4] = ["summary", "summary_large_image", "app", "player"];
/// What a player card needs besides.
const PLAYER: [&str; 3] = ["twitter:player", "twitter:player:width", "twitter:player:height"];

fn card_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.social("twitter:card").is_some() {
        return PASS;
    }
    if html.is_misspelt("twitter:card") {
        return Err(NotMeasured::Misspelt);
    }
    const NONE: Text = text("The page has no twitter:card tag.", "A página não tem a tag twitter:card.");
    let (card, origin) = fitting_card(facts, html);
    problem(NONE, &[], tag_fix(html, "name", "twitter:card", card).from(origin, &[])).fail()
}

/// Accounts of samples; the file says where from.
const SAMPLE_HANDLES: &str = include_str!("../../data/placeholder_handles.txt");

fn handle(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let is_account = |meta: &&Meta| matches!(meta.social_key(), Some("twitter:site" | "twitter:creator"));
    let filled: Vec<(&Meta, &str)> = html
        .metas
        .iter()
        .filter(is_account)
        .filter_map(|meta| Some((meta, meta.content.as_deref().filter(|content| !content.is_empty())?)))
        .collect();
    if filled.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_sample = |account: &str| {
        let name = account.trim_start_matches('@');
        let mut samples = SAMPLE_HANDLES.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(' '));
        name.is_empty() || is_gap(name) || samples.any(|sample| sample.eq_ignore_ascii_case(name))
    };
    let bad: Vec<(&Meta, &str)> = filled.into_iter().filter(|(_, account)| is_sample(account)).collect();
    let Some((first, account)) = bad.first() else { return PASS };
    const SAMPLE: Text =
        text("{key} is “{account}”, a placeholder account.", "{key} é “{account}”, uma conta de exemplo.");
    let key = first.social_key().unwrap_or_default();
    let tags: Vec<String> = bad
        .iter()
        .filter_map(|(meta, _)| Some(format!("<meta name=\"{}\" content=\"@{{{{ACCOUNT}}}}\">", meta.social_key()?)))
        .collect();
    let fix = FixDraft::template(FixTarget::Head, tags.join("\n")).note(HANDLE.how, &[]);
    let values = [("key", key.into()), ("account", (*account).into())];
    problem(SAMPLE, &values, fix).on(bad.iter().filter_map(|(meta, _)| html.element(meta.node))).fail()
}

/// The kind of card for the page's image, and what it goes by.
fn fitting_card(facts: &Facts<'_>, html: &Html) -> (&'static str, Text) {
    const BY_SIZE: Text = text("the size of the social image", "o tamanho da imagem social");
    const BY_NONE: Text = text(
        "a card type for any page, because the size of the social image is unknown",
        "um tipo de cartão para qualquer página, porque o tamanho da imagem social é desconhecido",
    );
    match facts.social_image_size() {
        Some((width, height)) if is_large(width, height) => ("summary_large_image", BY_SIZE),
        Some(_) => ("summary", BY_SIZE),
        None => match large_image(facts, html).filter(|_| html.social("og:image").is_none()) {
            Some(source) => ("summary_large_image", source.words()),
            None => ("summary", BY_NONE),
        },
    }
}

/// Where the image is from that the tag which the page lacks is made of, if it is a large one.
fn large_image(facts: &Facts<'_>, html: &Html) -> Option<EvidenceSource> {
    let image = image::of_page(facts, html).filter(|image| image.resolved.is_ready())?;
    let source = image.resolved.source;
    let is_large = match image.sides {
        Some((width, height)) => is_large(width, height),
        None => source == EvidenceSource::ContentImage,
    };
    is_large.then_some(source)
}

/// Whether an image is wide enough for a large card: about twice as wide as high.
fn is_large(width: u32, height: u32) -> bool {
    /// Pixels that X asks for at least.
    const LEAST_WIDTH: u32 = 300;
    /// Tenths of the height: what X crops to 2:1 without losing what matters.
    const LEAST_RATIO: u64 = 15;
    width >= LEAST_WIDTH && u64::from(width) * 10 >= u64::from(height) * LEAST_RATIO
}

fn card_invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let is_filled = |meta: &&Meta| {
        meta.social_key() == Some("twitter:card") && meta.content.as_deref().is_some_and(|content| !content.is_empty())
    };
    let Some(meta) = html.metas.iter().find(is_filled) else { return Err(NotMeasured::Absent) };
    let card = meta.content.as_deref().unwrap_or_default();
    let kind = card.to_ascii_lowercase();
    let element = html.element(meta.node);
    if kind == "player" {
        let missing: Vec<&str> = PLAYER.into_iter().filter(|key| html.social(key).is_none()).collect();
        if missing.is_empty() {
            return PASS;
        }
        facts.whole_page()?;
        const LACKS: Text =
            text("The player card lacks these tags: {list}.", "Faltam estas tags no cartão player: {list}.");
        let tags: Vec<String> = missing
            .iter()
            .map(|key| {
                let value = if *key == "twitter:player" { "{{PLAYER_URL}}" } else { "{{PIXELS}}" };
                format!("<meta name=\"{key}\" content=\"{value}\">")
            })
            .collect();
        let fix = FixDraft::template(FixTarget::Head, tags.join("\n"));
        return problem(LACKS, &[("list", missing.join(", ").into())], fix).on(element).fail();
    }
    if KINDS.contains(&kind.as_str()) {
        return PASS;
    }
    const UNKNOWN: Text = text(
        "twitter:card is “{card}”, which is not a card type of X.",
        "twitter:card é “{card}”, que não é um tipo de cartão do X.",
    );
    let (fitting, origin) = fitting_card(facts, html);
    let tag = format!("<meta name=\"twitter:card\" content=\"{fitting}\">");
    let fix = match element.filter(|element| element.start_tag().is_some() && meta.has_one_reader()) {
        Some(element) => FixDraft::edit(FixTarget::Head, tag).set(element, "content", fitting).from(origin, &[]),
        None => FixDraft::instruction(FixTarget::Head, CARD_INVALID.how, &[]),
    };
    problem(UNKNOWN, &[("card", card.into())], fix).on(element).fail()
}
