//! Single files: what is read of them, and what is wrong with them.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use model::capture::{Body, BodyCut, Coding, Exchange, Fetched, SITEMAP_BYTES, Timing};
use proptest::prelude::*;

use super::*;

const PAGE: &str = "https://example.com/bread";
const XMLNS: &str = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'";

fn exchange(url: &str, bytes: impl Into<Vec<u8>>) -> Exchange {
    Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status: 200,
        headers: Vec::new(),
        body: Body { bytes: bytes.into().into(), cut: None, coding: Coding::Identity },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}

fn read_exchange(exchange: Exchange) -> SitemapFile {
    let url = exchange.url.clone();
    SitemapFile::read(&url, &Fetched::Response(exchange), &ListedPage::new([PAGE]))
}

fn read(bytes: impl Into<Vec<u8>>) -> SitemapFile {
    read_exchange(exchange("https://example.com/sitemap.xml", bytes))
}

fn read_cut(bytes: impl Into<Vec<u8>>) -> SitemapFile {
    let mut exchange = exchange("https://example.com/sitemap.xml", bytes);
    exchange.body.cut = Some(BodyCut::Size);
    read_exchange(exchange)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn urlset(entries: &str) -> String {
    format!("<?xml version='1.0' encoding='UTF-8'?>\n<urlset {XMLNS}>{entries}</urlset>\n")
}

#[test]
fn the_page_is_found_in_every_form() {
    let listed = urlset(
        "<url><loc>https://example.com/</loc></url><url><loc> https://EXAMPLE.com/bread\n</loc><lastmod>2026-11-01</lastmod></url>",
    );
    let utf16: Vec<u8> = std::iter::once(0xfeff).chain(listed.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let rss = "<rss version='2.0'><channel><link>https://example.com/</link><item><title>x</title><link><![CDATA[https://example.com/bread]]></link><pubDate>Sun, 01 Nov 2026 00:00:00 GMT</pubDate></item><item/></channel></rss>";
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://example.com/'/><entry><link rel='self' href='https://example.com/x'/><link href='https://example.com/bread'/><updated>2026-11-01T00:00:00Z</updated></entry><entry/></feed>";
    let prefixed = "<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/0.9' xmlns='x'><s:url><loc>https://example.com/</loc></s:url><s:url><s:loc>https://example.com/bread</s:loc><s:lastmod>2026-11-01</s:lastmod></s:url></s:urlset>";
    let two_members = [gzip(&listed.as_bytes()[..90]), gzip(&listed.as_bytes()[90..])].concat();
    let latin = listed.replace("UTF-8", "ISO-8859-1").replace("<urlset", "<!--\u{e9}--><urlset");
    let latin: Vec<u8> = latin.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for (name, bytes, kind, date) in [
        ("urlset", listed.clone().into_bytes(), SitemapKind::Urlset, Some("2026-11-01")),
        (
            "comment first",
            format!("<!-- made -->{}", &listed[39..]).into_bytes(),
            SitemapKind::Urlset,
            Some("2026-11-01"),
        ),
        ("utf-8 mark", format!("\u{feff}{listed}").into_bytes(), SitemapKind::Urlset, Some("2026-11-01")),
        ("utf-16", utf16, SitemapKind::Urlset, Some("2026-11-01")),
        ("latin", latin, SitemapKind::Urlset, Some("2026-11-01")),
        ("prefix", prefixed.into(), SitemapKind::Urlset, Some("2026-11-01")),
        ("gzip", gzip(listed.as_bytes()), SitemapKind::Urlset, Some("2026-11-01")),
        ("gzip of two members", two_members, SitemapKind::Urlset, Some("2026-11-01")),
        ("rss", rss.into(), SitemapKind::Rss, Some("Sun, 01 Nov 2026 00:00:00 GMT")),
        ("atom", atom.into(), SitemapKind::Atom, Some("2026-11-01T00:00:00Z")),
        ("text", "\u{feff}https://example.com/\r\n\r\nhttps://example.com/bread".into(), SitemapKind::Text, None),
        ("text in gzip", gzip(b"https://example.com/bread\nhttps://example.com/"), SitemapKind::Text, None),
    ] {
        let file = read(bytes);
        assert_eq!((file.kind, file.fault, file.end), (Some(kind), None, End::Whole), "{name}");
        assert_eq!(file.urls, 2, "{name}");
        assert_eq!(file.entries.first().unwrap().lastmod.as_deref(), date, "{name}");
    }
}

#[test]
fn only_the_address_of_an_entry_counts() {
    for entries in [
        "<url><image:loc xmlns:image='i'>https://example.com/bread</image:loc></url>",
        "<url><x><loc>https://example.com/bread</loc></x></url>",
        "<loc>https://example.com/bread</loc>",
        "<url><loc>https://example.com/<b>bread</b></loc></url>",
        "<url><loc>/bread</loc></url>",
        "<!--<url><loc>https://example.com/bread</loc></url>-->",
    ] {
        let file = read(urlset(entries));
        assert_eq!((file.entries, file.fault), (Vec::new(), None), "{entries}");
    }
    let escaped = read(urlset("<url><loc>https://example.com/&#98;re&#x61;d</loc></url>"));
    assert!(!escaped.entries.is_empty());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let check = |source: &str, line, column, what: &str| {
        let fault = read(source).fault.unwrap_or_else(|| panic!("no fault in {source}"));
        assert_eq!((fault.line, fault.column), (line, column), "{source}: {}", fault.what.en);
        assert!(fault.what.en.contains(what) && !fault.what.pt.contains("{found"), "{source}: {}", fault.what.en);
    };
    check("", 1, 1, "empty");
    check("  \n", 1, 1, "empty");
    check("<!-- only -->", 1, 1, "empty");
    check("<!doctype html><title>x</title>", 1, 1, "HTML page");
    check("\n<html><body></body></html>", 2, 1, "HTML page");
    check("<!DOCTYPE urlset SYSTEM 'https://evil.example/x.dtd'><urlset/>", 1, 1, "DOCTYPE");
    check("<!DOCTYPE urlset [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset>&x;</urlset>", 1, 1, "DOCTYPE");
    check("<!DOCTYPE urlset [<!ENTITY % p SYSTEM 'https://evil.example/'> %p;", 1, 1, "DOCTYPE");
    check("<!DOCTYPE", 1, 1, "DOCTYPE");
    check("<sitemap/>", 1, 1, "<sitemap>");
    check("<urlset></urlset>", 1, 1, "lacks the namespace");
    check("<urlset xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'/>", 1, 1, "is https://");
    check(&urlset("\n<url><loc>https://example.com/?a&b</loc></url>"), 3, 33, "unescaped &");
    check(&urlset("<url>&nbsp;</url>"), 2, 66, "&nbsp;");
    check(&urlset("&#0;"), 2, 61, "&#0;");
    check(&urlset("&#8;"), 2, 61, "&#8;");
    check(&urlset("<url></loc>"), 2, 66, "</loc>");
    check(&format!("<urlset {XMLNS}><url>"), 1, 66, "<urlset>");
    check(&format!("<urlset {XMLNS}><url"), 1, 61, "never closed");
    check(&urlset("<!-- a -- b -->"), 2, 68, "--");
    check(&urlset("<url a='1' a='2'/>"), 2, 61, "attributes");
    check(&urlset("<url a='&x;'/>"), 2, 61, "attributes");
    check(&urlset("<1/>"), 2, 61, "valid XML name");
    check(&urlset("]]>"), 2, 61, "]]>");
    check(&urlset("\u{1}"), 2, 61, "control character");
    check(&(urlset("") + "<urlset/>"), 3, 1, "outside");
    check(&(urlset("") + "x"), 3, 1, "outside");
    check(" <?xml version='1.0'?><urlset/>", 1, 2, "declaration");
    check("<?xml version='9'?><urlset/>", 1, 1, "declaration");
    check("https://example.com/\n/bread\n", 2, 1, "/bread");
    check("{\"a\":1}", 1, 1, "{\"a\":1}");
}

#[test]
fn a_file_with_a_fault_may_still_list_the_page() {
    let entry = "<url><loc>https://example.com/bread</loc></url>";
    for source in [
        format!("<urlset>{entry}</urlset>"),
        format!("<urlset {XMLNS}>{entry}<url>&nbsp;</url></urlset>"),
        "https://example.com/bread\nbread\n".to_owned(),
    ] {
        let file = read(source);
        assert!(!file.entries.is_empty() && file.fault.is_some());
    }
}

#[test]
fn what_a_cut_took_away_is_no_fault() {
    let whole =
        urlset("<url><loc>https://example.com/&amp;é</loc></url><!-- c --><url a='>'><loc><![CDATA[x]]></loc></url>");
    for end in 0..whole.len() {
        assert_eq!(read_cut(&whole.as_bytes()[..end]).fault, None, "cut at {end}");
        let mut bytes = gzip(whole.as_bytes());
        bytes.truncate(2 + end.min(bytes.len() - 2));
        let mut packed = exchange("https://example.com/a.xml.gz", bytes);
        packed.body.cut = Some(BodyCut::Connection);
        let file = read_exchange(packed);
        assert_eq!((file.fault, file.end), (None, End::Unread("connection".to_owned())), "gzip cut at {end}");
    }
    let text = read_cut("https://example.com/\nhttps://exa");
    assert_eq!((text.urls, text.fault, text.end), (1, None, End::TooLarge));
    assert!(read_cut("<urlset><a></b>").fault.is_some());
}

#[test]
fn compression_is_seen_by_its_bytes() {
    let mut misnamed =
        exchange("https://example.com/sitemap.xml.gz?x", urlset("<url><loc>https://example.com/bread</loc></url>"));
    let file = read_exchange(misnamed.clone());
    assert!(file.fault.unwrap().what.en.contains("not gzip") && !file.entries.is_empty());
    // A server that sends a .gz file with Content-Encoding means the file inside.
    misnamed.body.coding = Coding::Decoded("gzip".to_owned());
    assert_eq!(read_exchange(misnamed).fault, None);
    let mut broken = gzip(urlset("").as_bytes());
    broken.truncate(30);
    assert!(read(broken).fault.unwrap().what.en.contains("not valid gzip"));
    assert!(read(b"\x1f\x8bnothing".to_vec()).fault.unwrap().what.en.contains("not valid gzip"));
}

#[test]
fn a_bomb_is_read_up_to_the_limit() {
    let mut bomb = urlset("").into_bytes();
    bomb.truncate(bomb.len() - "</urlset>\n".len());
    bomb.resize(8 * SITEMAP_BYTES, b' ');
    let file = read(gzip(&bomb));
    assert_eq!((file.size, file.end, file.fault), (SITEMAP_BYTES, End::TooLarge, None));
}

#[test]
fn more_addresses_than_allowed_are_counted() {
    let check = |count: usize, end: End| {
        let file = read(urlset(&"<url><loc>https://example.com/a</loc></url>".repeat(count)));
        assert_eq!((file.urls, file.end), (count as u64, end));
        assert_eq!(read("https://example.com/a\n".repeat(count)).urls, count as u64);
    };
    check(50_000, End::Whole);
    check(50_001, End::TooLarge);
}

#[test]
fn long_addresses_are_counted_and_not_kept() {
    let path = "a".repeat(10 * 1024);
    let file = read(urlset(&format!("<url><loc>https://example.com/{path}</loc></url>").repeat(100)));
    assert_eq!((file.urls, file.entries, file.fault), (100, Vec::new(), None));
    assert_eq!(read(format!("https://example.com/\nhttps://example.com/{path}\n")).urls, 2);
    let longest = format!("https://example.com/{}", "a".repeat(MOST_LOC_BYTES - 20));
    let target = ListedPage::new([longest.as_str()]);
    for (loc, kept) in [(longest.clone(), true), (longest + "a", false)] {
        let source = urlset(&format!("<url><loc>\n{}\n</loc></url>", loc));
        let fetched = Fetched::Response(exchange("https://example.com/sitemap.xml", source));
        let file = SitemapFile::read("https://example.com/sitemap.xml", &fetched, &target);
        assert_eq!(!file.entries.is_empty(), kept);
    }
}

#[test]
fn entries_are_counted_as_they_pass() {
    let dated = |n: u32, date: &str| format!("<url><loc>https://example.com/{n}</loc><lastmod>{date}</lastmod></url>");
    let file = read(urlset(&[dated(1, "2026-11-01"), dated(2, "2026-11-01T10:00Z"), dated(2, "soon")].concat()));
    let tally = file.tally;
    assert_eq!((tally.dated, tally.bad_dates, tally.first_bad_date.as_deref()), (3, 1, Some("soon")));
    assert_eq!(tally.busiest.map(|(day, count)| (day.to_string(), count)), Some(("2026-11-01".to_owned(), 2)));
    assert_eq!((tally.repeated, tally.first_repeated.as_deref()), (1, Some("https://example.com/2")));
    let long = format!("https://example.com/{}", "a".repeat(MOST_LOC_BYTES));
    let wrong = ["/a", "//example.com/b", "ftp://example.com/c", long.as_str(), "https://example.com/d"];
    let file = read(urlset(&wrong.map(|loc| format!("<url><loc>{loc}</loc></url>")).concat()));
    let kinds: Vec<BadLoc> = file.tally.shown_bad_locs.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [BadLoc::Relative, BadLoc::Relative, BadLoc::Relative, BadLoc::TooLong]);
    assert_eq!((file.tally.bad_locs, file.urls), (4, 5));
    let many = read(urlset(&"<url><loc>x</loc></url>".repeat(100))).tally;
    assert_eq!((many.bad_locs, many.shown_bad_locs.len(), many.repeated), (100, 5, 99));
    assert!(
        read(urlset("").replace("<urlset ", "<urlset xmlns:n='http://www.google.com/schemas/sitemap-news/0.9' "))
            .tally
            .is_news
    );
}

#[test]
fn nesting_and_attributes_are_bounded() {
    for source in [
        urlset(&"<a>".repeat(100_000)),
        urlset(&format!("<a {}/>", (0..100_000).map(|n| format!("b{n}='' ")).collect::<String>())),
        "<a>".repeat(100_000),
    ] {
        assert!(read(source).fault.is_some());
    }
    let deep = read(urlset(&"<a>".repeat(100_000))).fault.unwrap();
    assert!(deep.what.en.contains("nested"));
}

#[test]
fn billions_of_laughs_are_not_heard() {
    let mut source = "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY a0 'ha'>".to_owned();
    for level in 1..100 {
        source.push_str(&format!("<!ENTITY a{level} '{}'>", format!("&a{};", level - 1).repeat(10)));
    }
    source.push_str(&format!("]><urlset {XMLNS}><url><loc>&a99;</loc></url></urlset>"));
    let file = read(source);
    assert_eq!((file.urls, file.kind), (0, None));
    assert!(file.fault.unwrap().what.en.contains("DOCTYPE"));
}

#[test]
fn instructions_and_inclusions_are_passed_over() {
    let source = urlset("<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='file:///etc/passwd'/>")
        .replace("<urlset", "<?xml-stylesheet type='text/xsl' href='https://evil.example/x.xsl'?><urlset");
    let file = read(source);
    assert_eq!((file.fault, file.urls), (None, 0));
}

#[test]
fn the_newest_children_of_an_index_are_kept() {
    let child = |n: u32| {
        format!("<sitemap><loc>https://example.com/{n}.xml</loc><lastmod>20{:02}-01-01</lastmod></sitemap>", n % 100)
    };
    let undated = "<sitemap><loc>https://example.com/undated.xml</loc></sitemap>".repeat(3);
    let names = |entries: String| {
        let file = read(format!("<sitemapindex {XMLNS}>{entries}</sitemapindex>"));
        let names: Vec<String> = file.children.iter().map(|child| child.url.path().to_owned()).collect();
        (names, file.children_left_out, file.urls, file.end)
    };
    let (few, left_out, urls, _) = names(undated + &child(1) + &child(3) + &child(2) + &child(1));
    assert_eq!(few, ["/3.xml", "/2.xml", "/1.xml", "/undated.xml"]);
    assert!(!left_out && urls == 0);
    let (many, left_out, _, end) = names((0..50_000).map(child).collect());
    assert_eq!((many.len(), many[0].as_str(), many[19].as_str()), (MOST_FILES, "/99.xml", "/1999.xml"));
    assert!(left_out && end == End::Whole);
    assert_eq!(names((0..50_001).map(child).collect()).3, End::TooLarge);
    for loc in ["child.xml", "file:///etc/passwd", "", "https:child.xml"] {
        let (children, left_out, ..) = names(format!("<sitemap><loc>{loc}</loc></sitemap>"));
        assert!(children.is_empty() && left_out, "{loc}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), cut: bool) {
        let _file = if cut { read_cut(bytes) } else { read(bytes) };
    }

    #[test]
    fn any_markup_is_read(parts in proptest::collection::vec(prop::sample::select(vec![
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", "<sitemapindex>", "<rss>", "<feed>", "<url>",
        "<loc>", "https://example.com/bread", "</loc>", "</url>", "</urlset>", "<item>", "<link href='", "'/>", "<?xml ",
        "?>", "<!DOCTYPE ", "[", "]>", "<![CDATA[", "]]>", "<!--", "-->", "&", ";", "&amp;", "é", "\n", "\u{feff}", "\0",
    ]), 0..30), end in 0usize..400) {
        let source = parts.concat().into_bytes();
        let _whole = read(source.clone());
        let _cut = read_cut(&source[..end.min(source.len())]);
        let _packed = read(gzip(&source));
    }
}

#[test]
fn where_every_page_is_looked_for_all_entries_are_kept_with_their_versions() {
    let entries: String = (0..20).map(|at| format!("<url><loc>https://example.com/{at}</loc></url>")).collect();
    let version = "<xhtml:link rel='alternate' hreflang='de' href='https://example.com/de'/>";
    let source = format!(
        "<urlset {XMLNS} xmlns:xhtml='http://www.w3.org/1999/xhtml'>{entries}<url><loc>{PAGE}</loc>{version}</url></urlset>"
    );
    let exchange = exchange("https://example.com/sitemap.xml", source);
    let url = exchange.url.clone();
    let file = SitemapFile::read(&url, &Fetched::Response(exchange), &ListedPage::every());
    assert_eq!(file.entries.len(), 21);
    assert_eq!(file.entries.last().map(|entry| (entry.loc.as_str(), entry.alternates.len())), Some((PAGE, 1)));
}
