//! Pictures and videos that structured data names: whether they are what is asked for.

use std::collections::BTreeSet;

use url::Url;

use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::image_names::{self, NamedImage};
use crate::facts::jsonld::graph::{Found, Graph, Node, local};
use crate::facts::jsonld::tree::{Member, Tree};
use crate::facts::jsonld::value::plain;
use crate::facts::page::Html;
use crate::facts::structured_data::NodeSource;
use crate::facts::url_identity::same_page;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "video-and-image-schema",
    category: Category::StructuredData,
    landing: Landing {
        title: text("Video and image schema checker", "Verificador de vídeo e imagem no schema"),
        h1: text(
            "Do your video and image fields name the right files?",
            "Os campos de vídeo e imagem indicam os arquivos certos?",
        ),
        description: text(
            "Find a contentUrl that leads to a player instead of a video file, and logos, placeholders or tiny copies as the image of an article.",
            "Encontre um contentUrl que leva a um player em vez de um arquivo de vídeo, e logotipos ou imagens minúsculas como imagem do artigo.",
        ),
        lead: text(
            "A video result needs the file of the video or its player, each in its own field, and an article needs a picture of its subject. This checker looks at the addresses and says which are something else.",
            "Um resultado de vídeo precisa do arquivo do vídeo ou do player, cada um no seu campo, e um artigo precisa de uma imagem do assunto. Este verificador examina os endereços e diz quais são outra coisa.",
        ),
        example: include_str!("jsonld_media/bad_player.html"),
    },
    checks: &[CONTENT_URL, IMAGE],
};

const CONTENT_URL: Check = Check {
    code: "jsonld_content_url_page",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("contentUrl that is no video file", "contentUrl que não é um arquivo de vídeo"),
    why: text(
        "Google fetches `contentUrl` as the bytes of the video. A page or a player there is no video, and the result can't show it.",
        "O Google busca `contentUrl` como os bytes do vídeo. Uma página ou um player ali não é vídeo, e o resultado não consegue mostrá-lo.",
    ),
    how: text(
        "Put the address of a player into `embedUrl`, and only that of a video file into `contentUrl`.",
        "Ponha o endereço de um player em `embedUrl`, e só o de um arquivo de vídeo em `contentUrl`.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/video#video-object",
    rule: text(
        "Fails when the `contentUrl` of a `VideoObject` is the player of a known service, the page of a video at YouTube, Vimeo or Dailymotion, or the page itself. Addresses that end like a media file are left alone.",
        "Falha quando o `contentUrl` de um `VideoObject` é o player de um serviço conhecido, a página de um vídeo no YouTube, Vimeo ou Dailymotion, ou a própria página. Endereços que terminam como um arquivo de mídia ficam de fora.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: |facts| facts.unless_unread(content_url(facts)),
};

const IMAGE: Check = Check {
    code: "jsonld_image_unfit",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("Logo or placeholder as the image of the content", "Logotipo ou imagem padrão como imagem do conteúdo"),
    why: text(
        "Google asks for a picture that shows the subject, of 50,000 pixels at least. With a logo, a placeholder or a tiny copy the result has no picture.",
        "O Google pede uma imagem que mostre o assunto, com ao menos 50.000 pixels. Com um logotipo, uma imagem padrão ou uma cópia minúscula, o resultado fica sem imagem.",
    ),
    how: text(
        "Name a large picture of the subject in `image` or `thumbnailUrl`.",
        "Indique em `image` ou `thumbnailUrl` uma imagem grande do assunto.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/article#article-types",
    rule: text(
        "Fails when every `image` of a main article, recipe or product, or every `thumbnailUrl` of a `VideoObject`, is no picture of its subject: the file's name says logo or placeholder, it is the `logo` of a node of the page, or, of an article, it has fewer than 50,000 pixels as its node or the end of its name (`-150x150`) says. Images by reference are left alone.",
        "Falha quando toda `image` de um artigo, receita ou produto principal, ou toda `thumbnailUrl` de um `VideoObject`, não é uma imagem do assunto: o nome do arquivo diz logo ou placeholder, é o `logo` de um nó da página ou, num artigo, tem menos de 50.000 pixels segundo o nó ou o fim do nome (`-150x150`). Imagens por referência ficam de fora.",
    ),
    thresholds: &[threshold("image_pixels", LEAST_PIXELS, "pixels")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: PRECISION,
    run: |facts| facts.unless_unread(image(facts)),
};

/// Pixels of an article's image at least, width times height (Google Search Central, "Article", `image`).
const LEAST_PIXELS: u64 = 50_000;
/// Endings of media files.
const MEDIA: [&str; 9] = [".mp4", ".m4v", ".webm", ".mov", ".m3u8", ".mpd", ".ogv", ".avi", ".mp3"];
/// Players of videos; the file says what its columns mean.
const PLAYERS: &str = include_str!("../../data/embed_hosts.tsv");
/// Pages of videos: host, and what the path begins with.
const PAGES: [(&str, &str); 5] = [
    ("youtube.com", "/watch"),
    ("youtube.com", "/shorts/"),
    ("youtu.be", "/"),
    ("vimeo.com", "/"),
    ("dailymotion.com", "/video/"),
];
/// Characters shown of an address.
const SHOWN_CHARACTERS: usize = 120;

/// What an address is in place of a video file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoFile {
    /// A player.
    Player,
    /// A page.
    Page,
}

fn is_of(url: &Url, host: &str, start: &str) -> bool {
    let found = url.host_str().unwrap_or_default();
    let is_host = found.strip_suffix(host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    is_host && url.path().starts_with(start)
}

/// Whether the host is one below that of the pages, other than those that show the same: services keep their files there.
fn is_of_files(url: &Url, host: &str) -> bool {
    let below = url.host_str().and_then(|found| found.strip_suffix(host)).unwrap_or_default();
    !matches!(below, "" | "www." | "m.")
}

fn no_file(url: &Url, page: &Url) -> Option<NoFile> {
    let path = url.path().to_ascii_lowercase();
    if MEDIA.iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let rows = PLAYERS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let mut columns = line.split('\t');
        columns.next().zip(columns.next())
    });
    let is_player = rows.into_iter().any(|(host, start)| is_of(url, host, start));
    let is_page = PAGES.iter().any(|(host, start)| is_of(url, host, start) && !is_of_files(url, host));
    match (is_player, is_page || same_page(url, page)) {
        (true, _) => Some(NoFile::Player),
        (false, true) => Some(NoFile::Page),
        (false, false) => None,
    }
}

/// A `contentUrl` that is no video file.
struct BadContent<'g, 't> {
    node: &'g Node<'t>,
    member: &'t Member,
    address: &'t str,
    kind: NoFile,
}

/// Fails when a video's file is a page or a player.
fn content_url(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let page = facts.url()?;
    let mut has_any = false;
    let mut bad: Vec<BadContent<'_, '_>> = Vec::new();
    for node in graph.nodes.iter().filter(|node| graph.is_any(node, &["VideoObject"])) {
        let members = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == "contentUrl");
        for member in members {
            let Some(address) = member.value.text().filter(|address| !address.trim().is_empty()) else { continue };
            has_any = true;
            let kind = html.resolve(address).and_then(|url| no_file(&url, page));
            bad.extend(kind.map(|kind| BadContent { node, member, address, kind }));
        }
    }
    let Some(first) = bad.first() else { return if has_any { PASS } else { Err(NotMeasured::Absent) } };
    const PLAYER: Text = text(
        "VideoObject.contentUrl is a player, {url}, not a video file ({count} in all).",
        "VideoObject.contentUrl é um player, {url}, não um arquivo de vídeo ({count} ao todo).",
    );
    const PAGE: Text = text(
        "VideoObject.contentUrl is a page, {url}, not a video file ({count} in all).",
        "VideoObject.contentUrl é uma página, {url}, não um arquivo de vídeo ({count} ao todo).",
    );
    const MOVED: Text = text("the page's own address, as embedUrl", "o próprio endereço da página, como embedUrl");
    let shown: String = first.address.chars().take(SHOWN_CHARACTERS).collect();
    let values = [("url", shown.into()), ("count", bad.len().into())];
    let lines: Vec<String> = bad
        .iter()
        .map(|one| format!("\"embedUrl\": {}", serde_json::Value::from(one.address)))
        .map(|line| json_text_in_html(&line))
        .collect();
    let ready = FixDraft::edit(FixTarget::Head, lines.join("\n")).from(MOVED, &[]);
    let ready = bad.iter().try_fold(ready, |fix, one| renamed(fix, html, graph, one));
    let fix = ready.unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, CONTENT_URL.how, &[]));
    let places = bad.iter().filter_map(|one| html.source(one.node.block)?.place(html, &one.member.value.span));
    problem(if first.kind == NoFile::Player { PLAYER } else { PAGE }, &values, fix).at(places).fail()
}

/// The change that calls the address of a player what it is.
fn renamed<'t>(fix: FixDraft, html: &Html, graph: &Graph<'t>, bad: &BadContent<'_, 't>) -> Option<FixDraft> {
    let is_free = graph.look(bad.node.tree, "embedUrl") == Found::Absent;
    let block = html.source(bad.node.block)?.block().filter(|block| block.is_in_source(&html.document))?;
    let written = format!("\"{}\"", bad.member.name);
    let span = bad.member.at..bad.member.at + written.len();
    let is_as_written = block.text.get(span.clone()) == Some(written.as_str());
    (is_free && is_as_written && bad.kind == NoFile::Player).then(|| {
        fix.replace(block.start + span.start..block.start + span.end, written.replace("contentUrl", "embedUrl"))
    })
}

/// A picture that a node names.
struct NodeImage<'t> {
    value: &'t Tree,
    url: Url,
    /// Width times height, where the node says both.
    pixels: Option<u64>,
}

/// The pictures of a property; `None` where one of them is only referred to.
fn images<'t>(html: &Html, graph: &Graph<'t>, node: &Node<'t>, property: &str) -> Option<Vec<NodeImage<'t>>> {
    let members = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == property);
    let values = members.flat_map(|member| member.value.each());
    values
        .map(|value| {
            let of = |name: &str| match graph.look(value, name) {
                Found::Value(value) => plain(value),
                Found::Absent | Found::Unknown => None,
            };
            let address =
                value.text().or_else(|| value.members().and_then(|_| of("url").or_else(|| of("contentUrl"))))?;
            let url = html.resolve(address.trim()).filter(|_| !address.trim().is_empty())?;
            let side = |name: &str| value.members().and_then(|_| of(name)?.trim().parse::<u64>().ok());
            let pixels = side("width").zip(side("height")).map(|(width, height)| width.saturating_mul(height));
            Some(NodeImage { value, url, pixels })
        })
        .collect()
}

/// Addresses that nodes of the page call their logo.
fn logos<'t>(html: &Html, graph: &Graph<'t>) -> BTreeSet<Url> {
    let named = graph.nodes.iter().filter_map(|node| images(html, graph, node, "logo"));
    named.flatten().map(|image| image.url).collect()
}

/// Fails when the picture of a node is none of its subject.
fn image(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let graph = facts.graph()?;
    let logos = logos(html, graph);
    let mut has_any = false;
    let mut bad: Vec<(&Node<'_>, &str, NodeImage<'_>, NamedImage)> = Vec::new();
    for node in &graph.nodes {
        let is_article = graph.leads(node) && graph.is_any(node, &["Article"]);
        let property = if is_article || graph.leads(node) && graph.is_any(node, &["Recipe", "Product"]) {
            "image"
        } else if graph.is_any(node, &["VideoObject"]) {
            "thumbnailUrl"
        } else {
            continue;
        };
        let Some(images) = images(html, graph, node, property).filter(|images| !images.is_empty()) else { continue };
        has_any = true;
        let unfit = |image: &NodeImage<'_>| match image_names::by_name(&image.url) {
            _ if logos.contains(&image.url) => Some(NamedImage::Logo),
            Some(NamedImage::Copy(width, height)) => {
                let is_small = u64::from(width) * u64::from(height) < LEAST_PIXELS && image.pixels.is_none();
                (is_article && is_small).then_some(NamedImage::Copy(width, height))
            }
            Some(other) => Some(other),
            None => None,
        };
        let small = |image: &NodeImage<'_>| image.pixels.filter(|pixels| is_article && *pixels < LEAST_PIXELS);
        let kinds: Option<Vec<NamedImage>> =
            images.iter().map(|image| unfit(image).or_else(|| small(image).map(|_| NamedImage::Copy(0, 0)))).collect();
        let first = kinds.and_then(|kinds| kinds.first().copied());
        bad.extend(first.and_then(|kind| Some((node, property, images.into_iter().next()?, kind))));
    }
    let Some((node, property, first, kind)) = bad.first() else {
        return if has_any { PASS } else { Err(NotMeasured::Absent) };
    };
    const LOGO: Text = text(
        "{kind}.{property} is a logo, not a picture of the subject: {url} ({count} in all).",
        "{kind}.{property} é um logotipo, não uma imagem do assunto: {url} ({count} ao todo).",
    );
    const PLACEHOLDER: Text = text(
        "{kind}.{property} is a placeholder, not a picture of the subject: {url} ({count} in all).",
        "{kind}.{property} é uma imagem padrão, não uma do assunto: {url} ({count} ao todo).",
    );
    const SMALL: Text = text(
        "{kind}.{property} has fewer than {least} pixels: {url} ({count} in all).",
        "{kind}.{property} tem menos de {least} pixels: {url} ({count} ao todo).",
    );
    const REPLACE: Text =
        text("Name a large picture of the subject here.", "Indique aqui uma imagem grande do assunto.");
    let message = match kind {
        NamedImage::Logo => LOGO,
        NamedImage::Placeholder => PLACEHOLDER,
        NamedImage::Copy(..) => SMALL,
    };
    let shown: String = first.url.as_str().chars().take(SHOWN_CHARACTERS).collect();
    let values = [
        ("kind", node.types.first().copied().unwrap_or_default().into()),
        ("property", (*property).into()),
        ("url", shown.into()),
        ("count", bad.len().into()),
        ("least", LEAST_PIXELS.into()),
    ];
    let target = html.source(node.block).map_or(FixTarget::Head, NodeSource::target);
    let fix = FixDraft::template(target, format!("\"{property}\": \"{{{{IMAGE_URL}}}}\"")).note(REPLACE, &[]);
    let places = bad.iter().filter_map(|(node, _, image, _)| html.source(node.block)?.place(html, &image.value.span));
    problem(message, &values, fix).at(places).fail()
}
