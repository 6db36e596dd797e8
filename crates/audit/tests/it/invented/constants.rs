//! What families write for every site alike.

/// Names of the vocabularies in which a page speaks to machines, by where they stand.
const NAMES: &[(&str, &[&str])] = &[
    ("a field", &["User-agent", "Allow", "Disallow", "Sitemap", "Contact", "Expires"]),
    (
        "name",
        &[
            "viewport",
            "description",
            "robots",
            "referrer",
            "twitter:card",
            "twitter:player:width",
            "twitter:player:height",
        ],
    ),
    ("property", &["og:title", "og:type", "og:url", "og:description", "og:image", "og:image:width", "og:image:height"]),
    ("rel", &["canonical", "icon", "apple-touch-icon", "manifest", "alternate"]),
    ("type", &["application/ld+json", "text/markdown"]),
    ("xmlns", &["http://www.sitemaps.org/schemas/sitemap/0.9"]),
    ("@context", &["https://schema.org"]),
];

/// Tables whose first column names what a fix may name.
const TABLES: &[(&[&str], &str)] = &[
    (&["a name", "itemprop", "property", ""], include_str!("../../../src/data/schema_properties.tsv")),
    (&[""], include_str!("../../../src/data/schema_types.tsv")),
    // What the text of a page is written in.
    (&["lang"], include_str!("../../../src/data/function_words.tsv")),
    // The services that embedded pages are of.
    (&["title"], include_str!("../../../src/data/embed_hosts.tsv")),
    (&["User-agent"], include_str!("../../../src/data/crawlers.tsv")),
];
/// Where Google says what each rich result needs, of which the table of rich results names the pages.
const RICH_RESULTS: &str = "https://developers.google.com/search/docs/appearance/structured-data/";

/// Values by code.
const VALUES: &[(&str, &[&str])] = &[
    ("breadcrumb_missing", &["BreadcrumbList", "ListItem"]),
    ("charset_invalid", &["utf-8"]),
    ("charset_missing", &["utf-8"]),
    ("hreflang_x_default_missing", &["x-default"]),
    ("content_signal_invalid", &["yes", "no", "ai-train"]),
    ("hreflang_code_invalid", &["en-GB", "x-default"]),
    ("html_lang_invalid", &["en"]),
    ("iframe_not_lazy", &["lazy"]),
    ("image_lazy_first", &["eager", "high"]),
    ("image_lazy_script_only", &["eager", "lazy"]),
    ("images_not_lazy", &["lazy"]),
    ("jsonld_context_invalid", &["https://schema.org", "EUR", "BRL"]),
    // The names that were meant.
    ("jsonld_type_unknown", &["WebSite", "http://schema.org/Product"]),
    // The currencies of signs that are of one alone.
    ("jsonld_value_invalid", &["EUR", "BRL"]),
    ("max_image_preview_not_large", &["max-image-preview", "large"]),
    // The one type of a part that Google takes.
    ("jsonld_required_missing", &["https://schema.org/WebPageElement"]),
    ("jsonld_author_invalid", &["Person"]),
    ("og_core_incomplete", &["website", "article"]),
    ("og_type_invalid", &["website", "article"]),
    ("robots_directive_obsolete", &["max-image-preview", "large"]),
    ("referrer_policy_unsafe", &["strict-origin-when-cross-origin"]),
    ("robots_txt_html_response", &["*"]),
    ("robots_txt_missing", &["*"]),
    // A line that asks the owner is a comment.
    ("security_txt_invalid", &[YEAR_ON, "#"]),
    ("security_txt_missing", &[YEAR_ON]),
    ("site_name_missing", &["WebSite"]),
    ("sri_missing", &["sha384", "anonymous"]),
    ("structured_data_missing", &["Article", "BreadcrumbList", "ListItem", "Organization", "Person", "WebSite"]),
    ("twitter_card_invalid", &["summary_large_image"]),
    ("twitter_card_missing", &["summary", "summary_large_image"]),
    ("viewport_fixed_width", &["width", "device-width", "initial-scale", "1"]),
    ("viewport_missing", &["width", "device-width", "initial-scale", "1"]),
    ("viewport_zoom_disabled", &["width", "device-width", "initial-scale", "1"]),
];
/// A day less than a year after the audits of the tests.
const YEAR_ON: &str = "2027-11-20T00:00:00Z";

/// Whether this is a name of a vocabulary.
pub(crate) fn is_name(of: &str, text: &str) -> bool {
    let in_table = |(kinds, table): &(&[&str], &str)| {
        let mut lines = table.lines().filter(|line| !line.starts_with('#'));
        kinds.contains(&of) && lines.any(|line| line.split('\t').any(|cell| cell == text))
    };
    let mut names = NAMES.iter().filter(|(known, _)| *known == of).flat_map(|(_, names)| names.iter());
    names.any(|name| *name == text)
        || of == "a name" && text.starts_with('@')
        || of == "a sentence" && text.starts_with(RICH_RESULTS)
        || TABLES.iter().any(in_table)
}

/// Whether the fix of a code may hold this though the site does not say it.
pub(crate) fn is_of(code: &str, text: &str) -> bool {
    VALUES.iter().any(|(known, values)| *known == code && values.contains(&text))
}
