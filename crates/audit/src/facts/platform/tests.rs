//! Systems and what is none: the pages are made up, with the markup that the systems write.

use super::*;
use crate::example;
use proptest::prelude::*;

/// The systems of a page with these headers.
fn with_headers(headers: &[(&str, &str)], body: &str) -> Vec<Platform> {
    let mut capture = example::page(example::PAGE_URL, body);
    if let model::capture::Fetched::Response(exchange) = &mut capture.page {
        exchange.headers.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    }
    crate::report(&capture).summary.unwrap().platform
}

/// Name and version of each system of a page.
fn found(body: &str) -> Vec<(String, Option<String>)> {
    with_headers(&[], body).into_iter().map(|platform| (platform.name, platform.version)).collect()
}

fn names(body: &str) -> Vec<String> {
    found(body).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn each_system_is_told_by_what_it_writes() {
    for (name, body) in [
        (
            "WordPress",
            "<link rel=stylesheet href='https://example.com/wp-includes/css/dist/block-library/style.min.css'>",
        ),
        ("WordPress", "<link rel='https://api.w.org/' href='https://example.com/wp-json/'>"),
        ("WordPress", "<script src='https://cdn.example.com/wp-content/plugins/menu/menu.js'></script>"),
        ("Drupal", "<script type=application/json data-drupal-selector=drupal-settings-json>{}</script>"),
        ("Drupal", "<link rel=stylesheet href=/sites/default/files/css/css_a1.css>"),
        ("Joomla", "<script type=application/json class='joomla-script-options new'>{}</script>"),
        ("TYPO3", "<!--\n\tThis website is powered by TYPO3 - inspiring people to share!\n-->"),
        ("TYPO3", "<link rel=stylesheet href=/typo3temp/assets/css/a1.css>"),
        ("Ghost", "<meta name=generator content='Ghost 5.99'>"),
        ("Wix", "<meta name=generator content='Wix.com Website Builder'>"),
        ("Squarespace", "<!-- This is Squarespace. -->"),
        ("Webflow", "<link rel=stylesheet href='https://cdn.prod.website-files.com/a1/css/tea.webflow.css'>"),
        ("Blogger", "<meta content=blogger name=generator>"),
        ("Shopify", "<script id=shopify-features type=application/json>{}</script>"),
        ("Magento", "<script type=text/x-magento-init>{}</script>"),
        ("Magento", "<link rel=stylesheet href=/static/version12/frontend/Tea/leaf/en_US/css/a.css>"),
        ("PrestaShop", "<meta name=generator content=PrestaShop>"),
        ("Hugo", "<meta name=generator content='Hugo 0.123.7'>"),
        ("Next.js", "<script id=__NEXT_DATA__ type=application/json>{}</script>"),
        ("Next.js", "<script src='https://assets.example.net/_next/static/chunks/main-app-a1.js'></script>"),
        ("Nuxt", "<div id=__nuxt></div>"),
        ("Gatsby", "<div id=___gatsby></div>"),
        ("Astro", "<meta name=generator content='Astro v5.9.2'>"),
        ("AMP", "<!doctype html><html ⚡ lang=en><head></head></html>"),
        ("AMP", "<!doctype html><html amp lang=en><head></head></html>"),
        ("OneTrust", "<script src='https://cdn.cookielaw.org/scripttemplates/otSDKStub.js'></script>"),
        ("Cookiebot", "<script id=Cookiebot src='//consent.cookiebot.com/uc.js'></script>"),
        ("Akismet", "<form><textarea name=ak_hp_textarea></textarea></form>"),
        ("reCAPTCHA", "<script src='https://www.google.com/recaptcha/api.js'></script>"),
    ] {
        assert_eq!(names(body), [name], "{body}");
    }
}

#[test]
fn plugins_are_told_only_where_their_system_is() {
    let wordpress = "<meta name=generator content='WordPress 6.4.2'>";
    let version = |text: &str| Some(text.to_owned());
    for (name, mark, number) in [
        (
            "Yoast SEO",
            "<!-- This site is optimized with the Yoast SEO plugin v22.1 - https://yoast.com/ -->",
            version("22.1"),
        ),
        (
            "Yoast SEO",
            "<!-- This site is optimized with the Yoast SEO Premium plugin v21.5 (Yoast SEO v21.5) -->",
            version("21.5"),
        ),
        ("Yoast SEO", "<!-- / Yoast SEO plugin. -->", None),
        ("Rank Math", "<!-- Search Engine Optimization by Rank Math PRO - https://rankmath.com/ -->", None),
        ("AIOSEO", "<!-- All in One SEO Pro 4.6.8.1 - aioseo.com -->", version("4.6.8.1")),
        ("AIOSEO", "<meta name=generator content='All in One SEO (AIOSEO) 4.6.1'>", version("4.6.1")),
    ] {
        let both = [(name.to_owned(), number), ("WordPress".to_owned(), version("6.4.2"))];
        assert_eq!(found(&format!("{wordpress}{mark}")), both, "{mark}");
        assert!(names(mark).is_empty(), "{mark}");
    }
    let shop = format!("{wordpress}<meta name=generator content='WooCommerce 9.1.2'>");
    assert_eq!(names(&shop), ["WordPress", "WooCommerce"]);
}

#[test]
fn what_speaks_of_a_system_is_none() {
    for body in [
        "<p>We moved from WordPress to Drupal 10, Ghost 5 and Shopify. Powered by TYPO3.",
        "<a href='https://wordpress.org/'>Proudly powered by WordPress</a>",
        "<img src='https://cdn.shopify.com/s/files/1/1/files/mug.jpg'>",
        "<img src='https://example.com/wp-content/uploads/2019/tea.jpg'>",
        "<link rel=stylesheet href='https://blog.example.org/wp-content/themes/tea/style.css'>",
        "<script src='https://news.example.org/wp-includes/js/embed.js'></script>",
        "<link rel=dns-prefetch href='//cdn.shopify.com'><link rel=preconnect href='https://static1.squarespace.com'>",
        "<meta name=generator content='Page builder for WordPress'>",
        "<meta name=generator content='Ghost writer'><meta name=generator content='Hugo Boss'>",
        "<meta name=description content='WordPress 6.4'>",
        "<!-- Moved away from WordPress 6.4 and the Yoast SEO plugin -->",
        "<iframe src='https://www.youtube.com/embed/1'></iframe><div id=drupal class=wp-block-group></div>",
        "<pre>&lt;script id=__NEXT_DATA__&gt;</pre><textarea><script id=__NEXT_DATA__></script></textarea>",
        "<template><script id=__NEXT_DATA__></script></template>",
        "<html data-amp=1><p amp>",
        "<script src=/js/next/static/chunks/main.js></script>",
    ] {
        assert_eq!(names(body), Vec::<String>::new(), "{body}");
    }
}

#[test]
fn response_headers_are_evidence_where_they_are_the_servers() {
    let named = |name: &str, value: &str| {
        with_headers(&[(name, value)], "<p>a").into_iter().map(|platform| platform.name).collect::<Vec<_>>()
    };
    assert_eq!(named("x-powered-by", "Next.js"), ["Next.js"]);
    assert_eq!(named("x-generator", "Drupal 10 (https://www.drupal.org)"), ["Drupal"]);
    assert_eq!(named("link", "<https://example.com/wp-json/>; rel=\"https://api.w.org/\""), ["WordPress"]);
    assert_eq!(named("server", "Squarespace"), ["Squarespace"]);
    // Hydrogen is a storefront of its own: the theme that the places of fixes name does not exist there.
    assert!(named("powered-by", "Shopify, Oxygen, Hydrogen").is_empty());
    assert!(named("x-powered-by", "PHP/8.3, Next.js-like").is_empty());
    let evidence = with_headers(&[("x-generator", "Drupal 10")], "").remove(0).evidence;
    let header =
        PlatformEvidence { place: PlatformPlace::Header, snippet: "x-generator: Drupal 10".to_owned(), line: None };
    assert_eq!(evidence, [header]);
}

#[test]
fn evidence_is_short_has_its_line_and_shows_the_mark() {
    let long = format!("<meta name=a>\n<script data-x='{}' src=/_next/static/a.js></script>", "x".repeat(400));
    let platform = with_headers(&[], &long).remove(0);
    let evidence = platform.evidence.first().unwrap();
    assert_eq!((evidence.place, evidence.line), (PlatformPlace::Address, Some(2)));
    assert!(evidence.snippet.starts_with("/_next/static/"), "{}", evidence.snippet);
    let many = "<meta name=generator content='WordPress 6'><link rel='https://api.w.org/' href=/wp-json/>\
                <script src=/wp-includes/a.js></script><script src=/wp-content/plugins/b.js></script>";
    assert_eq!(with_headers(&[], many).remove(0).evidence.len(), MOST_EVIDENCE);
}

#[test]
fn a_page_that_something_else_answered_for_has_no_systems() {
    let mut capture = example::page(example::PAGE_URL, "<meta name=generator content='WordPress 6'>");
    if let model::capture::Fetched::Response(exchange) = &mut capture.page {
        exchange.headers.push(("cf-mitigated".to_owned(), "challenge".to_owned()));
    }
    assert!(crate::report(&capture).summary.unwrap().platform.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn evidence_stands_in_the_page(
        before in "[a-z <>é\"'=/!-]{0,40}", filler in "[a-zé ]{0,300}", which in 0..6_usize, after in "[a-z <>é\"']{0,40}"
    ) {
        let marks = [
            format!("<meta data-a='{filler}' name=generator content='Hugo 0.1'>"),
            format!("<!-- {filler} This website is powered by TYPO3 {filler} -->"),
            format!("<script data-a='{filler}' id=__NEXT_DATA__></script>"),
            format!("<link rel=stylesheet title='{filler}' href=/typo3temp/a.css>"),
            format!("<div title='{filler}' id=___gatsby></div>"),
            format!("<input value='{filler}' name=ak_hp_textarea>"),
        ];
        let body = format!("{before}{}{after}", marks[which]);
        for platform in with_headers(&[], &body) {
            prop_assert!(!platform.evidence.is_empty() && platform.evidence.len() <= MOST_EVIDENCE);
            for evidence in platform.evidence {
                prop_assert!(body.contains(&evidence.snippet) && !evidence.snippet.is_empty(), "{}", evidence.snippet);
                prop_assert!(evidence.snippet.chars().count() <= SNIPPET);
                prop_assert!(evidence.line.is_some());
            }
        }
    }
}
