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
        "Check the twitter:card tag of a page: missing, of a kind that X does not know, or a player card without what it needs.",
        "Verifique a tag twitter:card de uma página: ausente, de um tipo que o X não conhece, ou um cartão player sem o que precisa.",
    ),
    lead: text(
        "X takes title, text and picture from Open Graph and only the kind of card from a tag of its own. With a kind it doesn't know it shows a bare link; this tool names the right one for the picture of the page.",
        "O X tira título, texto e imagem do Open Graph e só o tipo de cartão de uma tag própria. Com um tipo desconhecido, mostra um link sem nada; esta ferramenta indica o certo para a imagem da página.",
    ),
    example: include_str!("twitter_card/bad_kind.html"),
};

const CARD_MISSING: Check = Check {
    code: "twitter_card_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No card type for X", "Sem tipo de cartão para o X"),
    why: text(
        "X falls back to the Open Graph tags, but chooses the kind of card itself.",
        "O X usa as tags Open Graph, mas escolhe sozinho o tipo de cartão.",
    ),
    how: text(
        "Add `<meta name=\"twitter:card\" content=\"summary_large_image\">`.",
        "Adicione `<meta name=\"twitter:card\" content=\"summary_large_image\">`.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text(
        "Fails when no `meta` of `twitter:card`, by `property` or else `name`, has content. Not measured when the document was cut, on a page that asks not to be indexed, nor where the tag says `value` in place of `content`, which is `meta_content_misspelt`.",
        "Falha quando nenhum `meta` de `twitter:card`, por `property` ou na falta dele `name`, tem conteúdo. Não é medido quando o documento foi cortado, em página que pede para não ser indexada, nem onde a tag diz `value` no lugar de `content`, o que é `meta_content_misspelt`.",
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
    title: text("Card of a kind that X does not know", "Cartão de um tipo que o X não conhece"),
    why: text(
        "X makes no card of it: the shared link shows as a bare address.",
        "O X não monta cartão nenhum: o link compartilhado aparece como um endereço puro.",
    ),
    how: text(
        "Use `summary`, `summary_large_image`, `app` or `player`, the last with `twitter:player` and its width and height.",
        "Use `summary`, `summary_large_image`, `app` ou `player`, este com `twitter:player` e sua largura e altura.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text(
        "Fails when the first `twitter:card` with content, letter case ignored, is none of `summary`, `summary_large_image`, `app` and `player`; or is `player` and one of `twitter:player`, `twitter:player:width` and `twitter:player:height` has no content. Not applicable without `twitter:card`.",
        "Falha quando o primeiro `twitter:card` com conteúdo, sem distinguir maiúsculas, não é `summary`, `summary_large_image`, `app` nem `player`; ou é `player` e um de `twitter:player`, `twitter:player:width` e `twitter:player:height` não tem conteúdo. Não se aplica sem `twitter:card`.",
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
    title: text("Account of a sample on the card", "Conta de exemplo no cartão"),
    why: text(
        "`@yoursite` and the like come from a sample. The account belongs to somebody else, or to nobody.",
        "`@yoursite` e semelhantes vêm de um exemplo. A conta é de outra pessoa, ou de ninguém.",
    ),
    how: text(
        "Write your own account into `twitter:site` and `twitter:creator`, or take the tags out.",
        "Escreva a sua própria conta em `twitter:site` e `twitter:creator`, ou tire as tags.",
    ),
    reference: "https://developer.x.com/en/docs/x-for-websites/cards/overview/markup",
    rule: text(
        "Fails when `twitter:site` or `twitter:creator` is an account of a sample, letter case ignored: `@yoursite`, `@username`, `@your_handle` and others of a table, a template's mark, or `@` alone. Not applicable without these tags.",
        "Falha quando `twitter:site` ou `twitter:creator` é uma conta de exemplo, sem distinguir maiúsculas: `@yoursite`, `@username`, `@your_handle` e outras de uma tabela, uma marca de modelo, ou só `@`. Não se aplica sem essas tags.",
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
    const NONE: Text = text("The page has no twitter:card.", "A página não tem twitter:card.");
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
        text("{key} is “{account}”, an account of a sample.", "{key} é “{account}”, uma conta de exemplo.");
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
        "the card that any page may have, since the size of a social image is not known",
        "o cartão que toda página pode ter, pois não se sabe o tamanho de uma imagem social",
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
        const LACKS: Text = text("The player card has no {list}.", "O cartão player não tem {list}.");
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
    const UNKNOWN: Text = text("X knows no card “{card}”.", "O X não conhece o cartão “{card}”.");
    let (fitting, origin) = fitting_card(facts, html);
    let tag = format!("<meta name=\"twitter:card\" content=\"{fitting}\">");
    let fix = match element.filter(|element| element.start_tag().is_some() && meta.has_one_reader()) {
        Some(element) => FixDraft::edit(FixTarget::Head, tag).set(element, "content", fitting).from(origin, &[]),
        None => FixDraft::instruction(FixTarget::Head, CARD_INVALID.how, &[]),
    };
    problem(UNKNOWN, &[("card", card.into())], fix).on(element).fail()
}
