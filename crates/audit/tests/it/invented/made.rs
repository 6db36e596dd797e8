//! Sites of words that mean nothing, so that a word which was not there shows.

use proptest::prelude::*;
use proptest::sample::subsequence;
use url::Url;

use crate::capture::page;
use crate::site::Site;

/// Parts of a head: `@` stands for a word, `#` for a path, `~` for an at sign.
const HEAD: &[&str] = &[
    "<meta charset=windows-1252>",
    "<title>@ @ @</title>",
    "<title></title>",
    "<title>@ &amp;amp; @ | @ | @</title>",
    "<title>Untitled</title>",
    "<meta name=description content='@ @ @ @'>",
    "<meta name=description content=''>",
    "<meta name=robots content='Index, no-follow, max-snippet:@, noarchive'>",
    "<meta name=viewport content='width=1024, @=1, user-scalable=no'>",
    "<base href='#/'>",
    "<link rel=canonical href='#?utm_source=@&amp;a=@'>",
    "<link rel=canonical href='//example.com#'>",
    "<link rel=alternate hreflang=en_UK href='#'>",
    "<link rel=alternate hreflang=pt-br href='https://example.com#'>",
    "<meta property=og:title content='@ &quot;@&quot; @'>",
    "<meta property=og:image content='#.jpg'>",
    "<meta property=og:site_name content='@ & @'>",
    "<meta property=og:type content=article><meta property=article:published_time content='2026-10-0@'>",
    "<meta name=author content='@ <@>'>",
    "<script type=application/ld+json>{\"~type\": \"Product\", \"name\": \"@ \\u0040\", \"offers\": {\"price\": \"1.2@\", \"priceCurrency\": \"R$\"}}</script>",
    "<script type=application/ld+json>{\"~context\": \"https://schema.org\", \"~type\": \"Article\", \"headline\": \"@\", \"url\": \"#\",}</script>",
    "<script type=application/ld+json>{\"~context\": \"https://schema.org\", \"~type\": \"Recipe\", \"name\": \"@\", \"prepTime\": \"20 min\"}</script>",
    "<script src='http://example.com#.js'></script>",
    "<div>@</div>",
];

/// Parts of a body.
const BODY: &[&str] = &[
    "<h1>@ <b>@</b> @</h1>",
    "<h1></h1>",
    "<h2></h2><h4>@</h4>",
    "<p>@ @ @ @ @ <i>@ @</i> @ @ &lt;@&gt; @ @ @ @. @ @ @ @ @ @ @ @ @ @ @ @ @ @ @ @.</p>",
    "<nav><a href='/'>@</a> <a href='#'>@ @</a> <a href='#'>[@](@)</a></nav>",
    "<nav aria-label=breadcrumb><a href='/'>@</a> &gt; <a href='#'>@</a> &gt; <span aria-current=page>@</span></nav>",
    "<a href='http://example.com#'>@</a>",
    "<a href='htps://example.com#'><img src='#.png' alt='@ logo'></a>",
    "<a href='# @'>@</a><a href='javascript:@()'>@</a>",
    "<img data-src='#.jpg' alt='@'>",
    "<img src='#.jpg' alt='@.jpg' width=@>",
    "<picture><source srcset='#.webp 2x'></picture>",
    "<figure><img src='#.jpg'><figcaption>@ @</figcaption></figure>",
    "<iframe src='https://player.vimeo.com/video/@'></iframe>",
    "<form action='http://example.com#'><input name=@><button></button></form>",
    "<div itemscope itemtype='https://schema.org/Product'><span itemprop=name>@</span><span itemprop=price>1.000,@</span></div>",
    "<time datetime='31/12/2026'>@</time>",
    "<script>document.write('@')</script>",
];

/// Other files of the site.
const FILES: &[(&str, &str)] = &[
    ("/robots.txt", "User-agent: *\nDisalow: #\nSitemap: /@.xml\n"),
    ("/robots.txt", "User-agent: @\nDisallow: /\nContent-Signal: search=true; @=no\n"),
    ("/llms.txt", "@ @\n\n> @\n\n- [@](#): @\n"),
    ("/.well-known/security.txt", "Contact: @~example.com\nPolicy: https://example.com#\n"),
    (
        "/sitemap.xml",
        "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>#</loc></url></urlset>",
    ),
];

/// A site as it is written down.
#[derive(Debug)]
pub(crate) struct Made {
    url: String,
    source: String,
    files: Vec<(&'static str, String)>,
}

impl Made {
    pub(crate) fn site(&self) -> Site {
        let site = Site::new(page(&self.url, self.source.as_str()));
        self.files.iter().fold(site, |site, (path, text)| site.with(path, text.as_str()))
    }
}

/// A site of some of these parts.
pub(crate) fn sites() -> impl Strategy<Value = Made> {
    let parts = |all: &'static [&'static str]| subsequence(all, 0..all.len());
    let files = subsequence(FILES, 0..FILES.len());
    let html = prop::sample::select(vec!["", "<html>", "<html lang=english>", "<html lang=pt_br>"]);
    let words = prop::collection::vec("[b-z]{3,9}|[à-ý]{2}[a-z]{3}", 40);
    (html, parts(HEAD), parts(BODY), files, words).prop_map(|(html, head, body, files, words)| {
        let mut words = words.iter().map(String::as_str).cycle();
        let mut filled = |text: &str| {
            let mut word = || words.next().unwrap_or_default().to_owned();
            let piece = |character| match character {
                '@' => word(),
                '#' => format!("/{}/{}", word(), word()),
                '~' => "@".to_owned(),
                other => other.to_string(),
            };
            text.chars().map(piece).collect::<String>()
        };
        let [head, body] = [filled(&head.concat()), filled(&body.concat())];
        Made {
            url: Url::parse(&filled("https://example.com#")).unwrap().into(),
            source: format!("<!doctype html>{html}<head>{head}</head><body>{body}"),
            files: files.into_iter().map(|(path, text)| (path, filled(text))).collect(),
        }
    })
}
