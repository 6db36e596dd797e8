//! Pictures and videos that structured data names: whether they are what is asked for.

use std::collections::BTreeSet;

use url::Url;

use crate::check::prelude::*;
use crate::escape::json_text_in_html;
use crate::facts::image_names::{self, NamedImage};
use crate::facts::jsonld::graph::{Graph, GraphNode, PathValue, local};
use crate::facts::jsonld::tree::{Member, ValueTree};
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
            "Do your video and image fields point to the right files?",
            "Os campos de vídeo e imagem apontam para os arquivos certos?",
        ),
        description: text(
            "Find a contentUrl that points to a player instead of a video file, and logos, placeholders or tiny images used as article images.",
            "Encontre um contentUrl que aponta para um player em vez de um arquivo de vídeo, e logotipos ou imagens minúsculas como imagem do artigo.",
        ),
        lead: text(
            "A video result needs the URL of the video file or of its player, each in its own field. An article needs an image of its subject. This tool finds URLs that are something else.",
            "Um resultado de vídeo precisa da URL do arquivo de vídeo ou do player, cada uma no seu campo. Um artigo precisa de uma imagem do assunto. Esta ferramenta encontra URLs que são outra coisa.",
        ),
        example: include_str!("jsonld_media/bad_player.html"),
    },
    checks: &[CONTENT_URL, IMAGE],
};

const CONTENT_URL: Check = Check {
    code: "jsonld_content_url_page",
    severity: Severity::Warn,
    impact: Impact::RichResult,
    title: text("contentUrl is not a video file", "contentUrl não é um arquivo de vídeo"),
    why: text(
        "Google downloads `contentUrl` as the video file. If it is a page or a player, Google can't show the video result.",
        "O Google baixa `contentUrl` como o arquivo de vídeo. Se é uma página ou um player, o Google não consegue mostrar o resultado de vídeo.",
    ),
    how: text(
        "Use `embedUrl` for the URL of a player, and `contentUrl` only for the URL of a video file.",
        "Use `embedUrl` para a URL de um player e `contentUrl` só para a URL de um arquivo de vídeo.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/video#video-object",
    rule: text(
        "Fails when the `contentUrl` of a `VideoObject` is the player of a known service, a video page on YouTube, Vimeo or Dailymotion, or the page itself. URLs with the extension of a media file pass.",
        "Falha quando o `contentUrl` de um `VideoObject` é o player de um serviço conhecido, a página de um vídeo no YouTube, Vimeo ou Dailymotion, ou a própria página. URLs com a extensão de um arquivo de mídia passam.",
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
    title: text("Logo or placeholder as content image", "Logotipo ou imagem padrão no lugar da imagem"),
    why: text(
        "Google requires an image of the subject with at least 50,000 pixels. With a logo, a placeholder or a tiny image, the rich result has no image.",
        "O Google exige uma imagem do assunto com ao menos 50.000 pixels. Com um logotipo, uma imagem padrão ou uma imagem minúscula, o resultado avançado fica sem imagem.",
    ),
    how: text(
        "Use a large image of the subject in `image` or `thumbnailUrl`.",
        "Use em `image` ou `thumbnailUrl` uma imagem grande do assunto.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/article#article-types",
    rule: text(
        "Fails when none of the `image` values of a main article, recipe or product, or of the `thumbnailUrl` values of a `VideoObject`, shows the subject. An image doesn't when its file name says logo or placeholder, when it is the `logo` of a node on the page, or, in an article, when it has fewer than 50,000 pixels according to its node or the end of its name (`-150x150`). Images given by reference are skipped.",
        "Falha quando nenhum valor de `image` de um artigo, receita ou produto principal, ou de `thumbnailUrl` de um `VideoObject`, mostra o assunto. Uma imagem não mostra quando o nome do arquivo diz logo ou placeholder, quando é o `logo` de um nó da página ou, num artigo, quando tem menos de 50.000 pixels segundo o nó ou o fim do nome (`-150x150`). Imagens indicadas por referência são ignoradas.",
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
    node: &'g GraphNode<'t>,
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
        "VideoObject.contentUrl is a player instead of a video file: {url}{count|| ({count} videos in total)}.",
        "VideoObject.contentUrl é um player em vez de um arquivo de vídeo: {url}{count|| ({count} vídeos no total)}.",
    );
    const PAGE: Text = text(
        "VideoObject.contentUrl is a page instead of a video file: {url}{count|| ({count} videos in total)}.",
        "VideoObject.contentUrl é uma página em vez de um arquivo de vídeo: {url}{count|| ({count} vídeos no total)}.",
    );
    const MOVED: Text = text("the same URL, as embedUrl", "a mesma URL, como embedUrl");
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
    let is_free = graph.look(bad.node.tree, "embedUrl") == PathValue::Absent;
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
    value: &'t ValueTree,
    url: Url,
    /// Width times height, where the node says both.
    pixels: Option<u64>,
}

/// The pictures of a property; `None` where one of them is only referred to.
fn images<'t>(html: &Html, graph: &Graph<'t>, node: &GraphNode<'t>, property: &str) -> Option<Vec<NodeImage<'t>>> {
    let members = node.tree.members().into_iter().flatten().filter(|member| local(&member.name) == property);
    let values = members.flat_map(|member| member.value.each());
    values
        .map(|value| {
            let of = |name: &str| match graph.look(value, name) {
                PathValue::Value(value) => plain(value),
                PathValue::Absent | PathValue::Unknown => None,
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
    let mut bad: Vec<(&GraphNode<'_>, &str, NodeImage<'_>, NamedImage)> = Vec::new();
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
        "{kind}.{property} is a logo instead of an image of the subject: {url}{count|| ({count} nodes in total)}.",
        "{kind}.{property} é um logotipo em vez de uma imagem do assunto: {url}{count|| ({count} nós no total)}.",
    );
    const PLACEHOLDER: Text = text(
        "{kind}.{property} is a placeholder instead of an image of the subject: {url}{count|| ({count} nodes in total)}.",
        "{kind}.{property} é uma imagem padrão em vez de uma imagem do assunto: {url}{count|| ({count} nós no total)}.",
    );
    const SMALL: Text = text(
        "{kind}.{property} has fewer than {least} pixels: {url}{count|| ({count} nodes in total)}.",
        "{kind}.{property} tem menos de {least} pixels: {url}{count|| ({count} nós no total)}.",
    );
    const REPLACE: Text = text("Use a large image of the subject here.", "Use aqui uma imagem grande do assunto.");
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
