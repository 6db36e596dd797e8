//! Whether a search engine can show the page at all.
//!
//! What decides is what engines document as excluding a page, not what makes it rank badly: no response, a status other
//! than 200, noindex, a robots.txt that forbids it, a file of a kind that is not indexed (Google Search Central, "Block
//! Search indexing", "HTTP status codes" and "Indexable file types").

use model::capture::Exchange;
use model::lang::{Text, Value, text};
use model::report::Coverage;
use model::searchable::{SearchState, Searchable};

use crate::causes::FoundCheck;
use crate::facts::Facts;
use crate::facts::content_type;

/// Checks that keep a page out of every search engine when they fail, each with the sentence. The first that failed is
/// told; a sentence says what the page does.
const EXCLUDES: &[(&str, Text)] = &[
    (
        "page_unreachable",
        text(
            "Search engines can't show this page: it can't be reached.",
            "Os buscadores não podem mostrar esta página: ela está inacessível.",
        ),
    ),
    (
        "redirect_loop",
        text(
            "Search engines can't show this page: its redirects never end.",
            "Os buscadores não podem mostrar esta página: os redirecionamentos não terminam.",
        ),
    ),
    ("http_status_client_error", STATUS),
    ("http_status_server_error", STATUS),
    ("http_status_no_content", STATUS),
    (
        "noindex_meta",
        text(
            "Search engines don't show this page: its robots meta tag says noindex.",
            "Os buscadores não mostram esta página: a meta tag robots diz noindex.",
        ),
    ),
    (
        "noindex_header",
        text(
            "Search engines don't show this page: its X-Robots-Tag header says noindex.",
            "Os buscadores não mostram esta página: o cabeçalho X-Robots-Tag diz noindex.",
        ),
    ),
    (
        "unavailable_after_past",
        text(
            "Search engines don't show this page: the date in its unavailable_after directive has passed.",
            "Os buscadores não mostram esta página: a data da diretiva unavailable_after já passou.",
        ),
    ),
    (
        "robots_txt_blocks_page",
        text(
            "Search engines can't read this page: robots.txt blocks it.",
            "Os buscadores não podem ler esta página: o robots.txt a bloqueia.",
        ),
    ),
];

const STATUS: Text = text(
    "Search engines can't show this page: it answers with status {status}.",
    "Os buscadores não podem mostrar esta página: ela responde com o status {status}.",
);
const KIND: Text = text(
    "Search engines don't index files of this kind ({type}).",
    "Os buscadores não indexam arquivos deste tipo ({type}).",
);
const NO_ROBOTS: Text = text(
    "Search engines may not be able to read this page: its robots.txt can't be reached.",
    "Os buscadores talvez não possam ler esta página: o robots.txt está inacessível.",
);
const UNSEEN: Text = text(
    "Nothing in this HTML keeps the page out of search engines. The server and robots.txt were not checked.",
    "Nada neste HTML deixa a página fora dos buscadores. O servidor e o robots.txt não foram verificados.",
);
const NO_PAGE: Text = text(
    "It is unknown whether search engines can show this page: the server answered {status} instead of the page.",
    "Não se sabe se os buscadores podem mostrar esta página: o servidor respondeu {status} no lugar da página.",
);
const SHOWN: Text = text(
    "Search engines can show this page: nothing blocks it.",
    "Os buscadores podem mostrar esta página: nada a bloqueia.",
);

/// The finding that a canonical names another page to show: a hint that search engines mostly follow (Google Search Central,
/// "Consolidate duplicate URLs"), so the page is not excluded, but nobody should be told that nothing is in its way.
const ELSEWHERE: [&str; 3] = ["canonical_cross_origin", "canonical_other_page", "canonical_to_homepage"];
const SHOWN_ELSEWHERE: Text = text(
    "Nothing blocks this page, but its canonical asks search engines to show another one.",
    "Nada bloqueia esta página, mas a canônica dela pede que os buscadores mostrem outra.",
);

/// Media types other than HTML that Google lists as indexable, or shows in image and video search.
const INDEXED: &[&str] = &[
    "application/pdf",
    "application/postscript",
    "application/epub+zip",
    "application/rtf",
    "text/",
    "application/xml",
    "application/xhtml+xml",
    "application/rss+xml",
    "application/atom+xml",
    "application/msword",
    "application/vnd.ms-",
    "application/vnd.openxmlformats-officedocument.",
    "application/vnd.oasis.opendocument.",
    "application/vnd.google-earth.",
    "application/x-hwp",
    "application/x-tex",
    "image/",
    "video/",
];

/// Whether a finding keeps a page out of every search engine.
pub(crate) fn excludes(code: &str) -> bool {
    EXCLUDES.iter().any(|(excluding, _)| *excluding == code)
}

/// The answer. `found`: every check that found something, silenced or not.
pub(crate) fn searchable(facts: &Facts<'_>, found: &[FoundCheck], coverage: &Coverage) -> Searchable {
    let is_found = |code: &str| found.iter().any(|(check, _)| check.code == code);
    let status = facts.any_response().map_or(0, |exchange| exchange.status);
    let mut reasons: Vec<&str> = EXCLUDES.iter().map(|(code, _)| *code).filter(|code| is_found(code)).collect();
    let mut sentence = EXCLUDES.iter().find(|(code, _)| is_found(code)).map(|(_, sentence)| *sentence);
    let mut values = vec![("status", Value::from(status))];
    let of_another_kind = ["content_type_wrong", "page_not_html"].into_iter().find(|code| is_found(code));
    if let Some((code, kind)) = of_another_kind.zip(unindexed(facts)) {
        reasons.push(code);
        values.push(("type", kind.into()));
        sentence = sentence.or(Some(KIND));
    }
    let (state, sentence) = match sentence {
        Some(sentence) => (SearchState::No, sentence),
        None if is_found("robots_txt_unreachable") => {
            reasons.push("robots_txt_unreachable");
            (SearchState::Unknown, NO_ROBOTS)
        }
        None if !facts.response().is_ok_and(Exchange::is_success) => (SearchState::Unknown, NO_PAGE),
        None if coverage.not_measured.contains_key("robots_txt_blocks_page") => (SearchState::Unknown, UNSEEN),
        None => match ELSEWHERE.into_iter().find(|code| is_found(code)) {
            Some(code) => {
                reasons.push(code);
                (SearchState::Yes, SHOWN_ELSEWHERE)
            }
            None => (SearchState::Yes, SHOWN),
        },
    };
    let reasons = reasons.into_iter().map(str::to_owned).collect();
    Searchable { state, reasons, text: sentence.phrase(&values) }
}

/// The media type that was declared, where no search engine takes it.
fn unindexed(facts: &Facts<'_>) -> Option<String> {
    let kind = content_type::media_type(&content_type::declared(facts.response().ok()?)?);
    let is_indexed = INDEXED.iter().any(|known| match known.ends_with(['/', '-', '.']) {
        true => kind.starts_with(known),
        false => kind == *known,
    });
    (!is_indexed).then_some(kind)
}
