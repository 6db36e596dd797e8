//! Sitemaps of a site: what is asked for, and what is said of them.

use std::io::Write;

use model::capture::{Capture, Want, WantKind};
use model::report::Report;

use crate::capture::{page, with_headers};
use crate::site::Site;

const PAGE: &str = "<!doctype html><html lang=en><head><title>Bread</title><link rel=canonical href='https://example.com/bread'></head><body><a href='/rye?a=1&amp;b=2'>Rye</a><a href='/rye?a=1&b=2#x'>Rye</a><a href=/a.jpg>a</a><a href=https://example.org/>x</a><a href=/secret/x>s</a></body></html>";

fn site() -> Site {
    Site::new(page("https://example.com/bread", PAGE))
}

fn urlset(paths: &[&str]) -> String {
    let entries = paths.iter().map(|path| format!("<url><loc>https://example.com{path}</loc></url>\n"));
    format!("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\n{}</urlset>", entries.collect::<String>())
}

fn index(children: &[(&str, &str)]) -> String {
    let entries = children.iter().map(|(path, date)| {
        format!("<sitemap><loc>https://example.com{path}</loc><lastmod>{date}</lastmod></sitemap>")
    });
    let entries: String = entries.collect();
    format!("<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{entries}</sitemapindex>")
}

/// The codes of this subject that fired.
fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).filter(|code| code.contains("sitemap")).collect()
}

fn state(site: &Site) -> (String, Option<bool>) {
    let sitemap = site.report().summary.unwrap().sitemap;
    (sitemap.state, sitemap.found)
}

#[test]
fn the_usual_places_are_asked_one_by_one_until_one_has_a_sitemap() {
    let robots = site().with("/robots.txt", "User-agent: *\nAllow: /\n");
    assert_eq!(robots.sitemaps_asked(), [["/sitemap.xml"], ["/sitemap_index.xml"], ["/sitemap.txt"]]);
    let second = site().with("/sitemap.xml", "<!doctype html><p>app").with("/sitemap_index.xml", urlset(&["/bread"]));
    assert_eq!(second.sitemaps_asked(), [["/sitemap.xml"], ["/sitemap_index.xml"]]);
    assert_eq!(state(&second), ("found".to_owned(), Some(true)));
    assert_eq!(codes(&second.report()), Vec::<&str>::new());
    let silent = site().answering("/robots.txt", 503, "");
    assert_eq!(silent.sitemaps_asked(), Vec::<Vec<String>>::new());
    assert_eq!(state(&silent), ("unreachable".to_owned(), None));
}

#[test]
fn declared_files_are_asked_two_by_two_until_the_page_is_found() {
    let robots = "Sitemap: /relative.xml\nSitemap: ftp://example.com/x\nSitemap: https://example.com/1.xml\nsitemap: https://example.org/2.xml\nSitemap: https://example.com/1.xml\nSitemap: https://example.com/3.xml\nSitemap: https://example.com/4.xml\nSitemap: https://example.com/5.xml\n";
    let none = site().with("/robots.txt", robots);
    assert_eq!(
        none.sitemaps_asked(),
        [vec!["/1.xml", "https://example.org/2.xml"], vec!["/3.xml", "/4.xml"], vec!["/5.xml"]]
    );
    let found = none.with("/3.xml", urlset(&["/", "/bread"]));
    assert_eq!(found.sitemaps_asked().len(), 2);
    let summary = found.report().summary.unwrap().sitemap;
    assert_eq!((summary.found, summary.url.as_deref()), (Some(true), Some("https://example.com/3.xml")));
    assert_eq!((summary.declared.len(), summary.checked.len(), summary.urls), (8, 4, 2));
}

#[test]
fn children_are_asked_newest_first_and_one_level_deep() {
    let nested = site()
        .with("/robots.txt", "Sitemap: https://example.com/i.xml")
        .with("/i.xml", index(&[("/old.xml", "2020-01-01"), ("/j.xml", "2026-01-01"), ("/new.xml", "2026-02-01")]))
        .with("/j.xml", index(&[("/deep.xml", "2026-01-01")]))
        .with("/new.xml", urlset(&["/"]))
        .with("/old.xml", urlset(&["/rye"]))
        .with("/deep.xml", urlset(&["/bread"]));
    assert_eq!(nested.sitemaps_asked(), [vec!["/i.xml"], vec!["/new.xml", "/j.xml"], vec!["/old.xml"]]);
    assert_eq!(state(&nested), ("tooLarge".to_owned(), None));
    let report = nested.report();
    assert_eq!(codes(&report), ["sitemap_too_large"]);
    assert_eq!(report.coverage.not_measured.get("sitemap_page_absent").map(String::as_str), Some("sitemap"));
    let found = nested.with("/new.xml", urlset(&["/bread"]));
    assert_eq!(found.sitemaps_asked(), [vec!["/i.xml"], vec!["/new.xml", "/j.xml"]]);
    assert_eq!(state(&found), ("found".to_owned(), Some(true)));
}

#[test]
fn indexes_that_name_themselves_or_each_other_are_read_once() {
    let itself = site().with("/sitemap.xml", index(&[("/sitemap.xml", "2026-01-01")]));
    assert_eq!(itself.sitemaps_asked(), [["/sitemap.xml"]]);
    assert_eq!(state(&itself), ("absent".to_owned(), Some(false)));
    let robots = "Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n";
    let each_other = site()
        .with("/robots.txt", robots)
        .with("/a.xml", index(&[("/b.xml", "2026-01-01"), ("/%61.xml#x", "2026-01-01")]))
        .with("/b.xml", index(&[("/a.xml", "2026-01-01")]));
    assert_eq!(each_other.sitemaps_asked(), [["/a.xml", "/b.xml"]]);
}

#[test]
fn an_audit_asks_for_twenty_files_at_most() {
    let many: Vec<String> = (0..100).map(|n| format!("/{n}.xml")).collect();
    let children: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "2026-01-01")).collect();
    let mut site_with_index = site().with("/sitemap.xml", index(&children));
    for path in &many[..30] {
        site_with_index = site_with_index.with(path, urlset(&["/"]));
    }
    assert_eq!(site_with_index.sitemaps_asked().concat().len(), 20);
    assert_eq!(state(&site_with_index), ("tooLarge".to_owned(), None));
    let lines: String = many.iter().map(|path| format!("Sitemap: https://example.com{path}\n")).collect();
    assert_eq!(site().with("/robots.txt", lines).sitemaps_asked().concat().len(), 20);
}

#[test]
fn no_more_than_two_files_of_other_sites_are_asked_for() {
    let lines: String = (0..5)
        .map(|n| format!("Sitemap: https://victim.org/{n}.xml\nSitemap: https://cdn.example.com/{n}.xml\n"))
        .collect();
    let asked = site().with("/robots.txt", lines);
    let urls = asked.sitemaps_asked().concat();
    assert_eq!(urls.iter().filter(|url| url.contains("victim.org")).count(), 2);
    assert_eq!(urls.iter().filter(|url| url.contains("cdn.example.com")).count(), 5);
    assert_eq!(asked.report().summary.unwrap().sitemap.found, None, "not every file was read");
}

/// Sitemaps that are still to be asked for.
fn still_wanted(capture: &Capture) -> Vec<Want> {
    let page = audit::Page::read(capture);
    let mut wants = audit::wanted(capture, &page, &audit::SiteFiles::read(capture, &page));
    wants.retain(|want| want.kind == WantKind::Sitemap);
    wants
}

#[test]
fn no_more_is_asked_for_once_the_files_are_large_together() {
    let large = urlset(&["/"]).replace("</urlset>", &(" ".repeat(10 * 1000 * 1000) + "</urlset>"));
    let lines: String = (0..20).map(|n| format!("Sitemap: https://example.com/{n}.xml\n")).collect();
    let mut capture = site().with("/robots.txt", lines).capture().0;
    capture.extras.retain(|extra| extra.want.kind != WantKind::Sitemap || extra.want.url.len() == 25);
    let files = capture.extras.iter_mut().filter(|extra| extra.want.kind == WantKind::Sitemap);
    for (n, extra) in files.enumerate() {
        let bytes = if n < 7 { large.as_bytes() } else { b"" };
        extra.fetched = with_headers(&extra.want.url, &[], bytes).page;
    }
    assert_eq!(still_wanted(&capture), []);
    for extra in capture.extras.iter_mut().filter(|extra| extra.want.kind == WantKind::Sitemap) {
        extra.fetched = with_headers(&extra.want.url, &[], "").page;
    }
    assert_eq!(still_wanted(&capture).len(), 2);
}

#[test]
fn states_say_no_more_than_is_known() {
    let declared =
        || site().with("/robots.txt", "Sitemap: https://example.com/s.xml\nSitemap: https://example.com/t.xml");
    for (name, site, expected, fired) in [
        ("no file", site(), ("missing", Some(false)), vec!["sitemap_missing"]),
        ("one place silent", site().answering("/sitemap.txt", 0, ""), ("unreachable", None), vec![]),
        ("one place closed", site().answering("/sitemap.xml", 403, ""), ("unreachable", None), vec![]),
        (
            "only a relative line",
            site().with("/robots.txt", "Sitemap: s.xml"),
            ("unreachable", None),
            vec!["robots_txt_sitemap_invalid"],
        ),
        ("declared, gone", declared(), ("unreachable", None), vec!["sitemap_unreachable"]),
        ("one gone", declared().with("/s.xml", urlset(&["/"])), ("unreachable", None), vec!["sitemap_unreachable"]),
        (
            "listed, one gone",
            declared().with("/s.xml", urlset(&["/bread"])),
            ("found", Some(true)),
            vec!["sitemap_unreachable"],
        ),
        (
            "all read",
            declared().with("/s.xml", urlset(&["/"])).with("/t.xml", "https://example.com/\n"),
            ("absent", Some(false)),
            vec!["sitemap_page_absent"],
        ),
        (
            "one broken",
            declared().with("/s.xml", urlset(&["/"])).with("/t.xml", "<!doctype html>"),
            ("invalid", None),
            vec!["sitemap_parse_error"],
        ),
        (
            "one too large",
            declared().with("/s.xml", urlset(&["/"])).with("/t.xml", urlset(&["/"; 50_001])),
            ("tooLarge", None),
            vec!["sitemap_too_large", "sitemap_duplicate_urls"],
        ),
        (
            "at the usual place, broken",
            site().with("/sitemap.xml", "<urlset><url></urlset>"),
            ("invalid", None),
            vec!["sitemap_parse_error"],
        ),
        (
            "not named by robots.txt",
            site().with("/robots.txt", "User-agent: *\n").with("/sitemap.xml", urlset(&["/bread"])),
            ("found", Some(true)),
            vec!["robots_txt_sitemap_missing"],
        ),
    ] {
        assert_eq!(state(&site), (expected.0.to_owned(), expected.1), "{name}");
        assert_eq!(codes(&site.report()), fired, "{name}");
    }
}

#[test]
fn the_page_is_found_by_an_index_in_gzip_in_text_and_in_feeds() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(urlset(&["/", "/bread"]).as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let rss = "<rss version='2.0'><channel><item><link>https://example.com/bread</link></item></channel></rss>";
    let robots = |url: &str| format!("Sitemap: https://example.com{url}\n");
    for (name, site) in [
        ("index", site().with("/sitemap_index.xml", index(&[("/a.xml.gz", "2026-01-01")])).with("/a.xml.gz", packed)),
        ("text", site().with("/sitemap.txt", "https://example.com/\nhttps://example.com/bread\n")),
        ("rss", site().with("/robots.txt", robots("/feed")).with("/feed", rss)),
    ] {
        assert_eq!(state(&site), ("found".to_owned(), Some(true)), "{name}");
        assert_eq!(codes(&site.report()), Vec::<&str>::new(), "{name}");
    }
}

#[test]
fn a_page_that_is_not_to_be_found_is_not_missed() {
    for (name, source, reason) in [
        ("noindex", PAGE.replace("<title>", "<meta name=robots content=noindex><title>"), Some("noindex")),
        ("another canonical", PAGE.replace("com/bread", "com/rye"), None),
    ] {
        let site = Site::new(page("https://example.com/bread", source)).with("/sitemap.xml", urlset(&["/"]));
        let report = site.report();
        assert_eq!(codes(&report), Vec::<&str>::new(), "{name}");
        assert_eq!(report.coverage.not_measured.get("sitemap_page_absent").map(String::as_str), reason, "{name}");
    }
    let blocked = site()
        .with("/robots.txt", "User-agent: *\nDisallow: /bread\nSitemap: https://example.com/s.xml")
        .with("/s.xml", urlset(&["/"]));
    assert_eq!(codes(&blocked.report()), Vec::<&str>::new());
}

#[test]
fn a_parse_error_is_told_with_file_and_place() {
    let site = site().with("/sitemap.xml", urlset(&["/?a=1&b=2"]));
    let report = site.report();
    let finding = report.findings.iter().find(|finding| finding.code == "sitemap_parse_error").unwrap();
    assert_eq!(
        finding.message.en,
        "A sitemap is invalid. https://example.com/sitemap.xml, line 2, column 35: the text has an unescaped &; write &amp;"
    );
    assert_eq!(finding.evidence[0].line, Some(2));
}

#[test]
fn a_first_sitemap_lists_the_page_and_what_it_links_to() {
    let source = PAGE.replace(
        "<title>",
        "<script type=application/ld+json>{\"@type\":\"Article\",\"dateModified\":\"2026-11-01\"}</script><title>",
    );
    let site =
        Site::new(page("https://example.com/bread", source)).with("/robots.txt", "User-agent: *\nDisallow: /secret/\n");
    let files = site.report().patch.files;
    let content = |path: &str| files.iter().find(|file| file.path == path).unwrap().content.as_str();
    assert_eq!(
        content("/sitemap.xml"),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n  <url><loc>https://example.com/bread</loc><lastmod>2026-11-01</lastmod></url>\n  <url><loc>https://example.com/rye?a=1&amp;b=2</loc></url>\n</urlset>\n"
    );
    assert_eq!(content("/robots.txt"), "User-agent: *\nDisallow: /secret/\nSitemap: https://example.com/sitemap.xml\n");
}

#[test]
fn the_entry_goes_into_the_sites_own_file_where_that_can_be_made_whole() {
    let robots = |path: &str| format!("Sitemap: https://example.com{path}\n");
    let file_of = |site: &Site| {
        let report = site.report();
        assert_eq!(codes(&report), ["sitemap_page_absent"]);
        let fix = report.fixes.into_iter().find(|fix| fix.code == "sitemap_page_absent").unwrap();
        (fix.file.map(|file| file.content), fix.note.map(|note| note.en))
    };
    let own = |path: &str, bytes: &[u8]| file_of(&site().with("/robots.txt", robots(path)).with(path, bytes));
    let listed = urlset(&["/"]).replace("</urlset>", "  <url><loc>https://example.com/bread</loc></url>\n</urlset>\n");
    assert_eq!(own("/s.xml", urlset(&["/"]).as_bytes()).0, Some(listed));
    let text = "https://example.com/\nhttps://example.com/bread\n";
    assert_eq!(own("/s.txt", b"https://example.com/").0.as_deref(), Some(text));
    let prefixed = "<s:urlset xmlns:s=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset >";
    assert!(
        own("/s.xml", prefixed.as_bytes())
            .0
            .unwrap()
            .contains("<s:url><s:loc>https://example.com/bread</s:loc></s:url>")
    );
    let many: Vec<String> = (0..2_000).map(|n| format!("/{n}")).collect();
    let large = urlset(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let rss = "<rss version='2.0'><channel><item><link>https://example.com/</link></item></channel></rss>";
    for (path, bytes) in [("/s.xml", large.as_str()), ("/s.xml", rss), ("/blog/s.xml", &urlset(&["/"]))] {
        let (file, note) = own(path, bytes.as_bytes());
        assert_eq!(file, None, "{path}");
        assert!(note.unwrap().ends_with("<url><loc>https://example.com/bread</loc></url>"), "{path}");
    }
}
