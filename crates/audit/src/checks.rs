//! The catalog: every family, by category and name. A test compares it with the folder.

use crate::check::{Check, Family};

mod agents {
    pub(super) mod ai_crawlers;
    pub(super) mod app_shell;
    pub(super) mod llms_txt;
}
mod canonical {
    #[expect(clippy::module_inception, reason = "a family may be named as its category is")]
    pub(super) mod canonical;
}
mod content {
    pub(super) mod duplicate_ids;
    pub(super) mod form_labels;
    pub(super) mod garbled_text;
    pub(super) mod h1;
    pub(super) mod headings;
    pub(super) mod iframe_titles;
    pub(super) mod legacy_markup;
    pub(super) mod page_dates;
    pub(super) mod placeholder_text;
    pub(super) mod text_content;
}
mod crawl {
    pub(super) mod robots_txt;
    pub(super) mod sitemap;
}
mod head {
    pub(super) mod app_icons;
    pub(super) mod base_url;
    pub(super) mod charset;
    pub(super) mod doctype;
    pub(super) mod favicon;
    pub(super) mod head_structure;
    pub(super) mod meta_description;
    pub(super) mod meta_description_length;
    pub(super) mod title;
    pub(super) mod title_length;
    pub(super) mod title_wording;
    pub(super) mod viewport;
}
mod http {
    pub(super) mod access;
    pub(super) mod document;
    pub(super) mod redirects;
    pub(super) mod soft_404;
}
mod i18n {
    pub(super) mod hreflang;
    pub(super) mod html_lang;
}
mod images {
    pub(super) mod image_alt;
    pub(super) mod image_dimensions;
    pub(super) mod image_loading;
    pub(super) mod image_sources;
    pub(super) mod inline_images;
    pub(super) mod srcset;
}
mod indexing {
    pub(super) mod robots_meta;
}
mod links {
    pub(super) mod contact_links;
    pub(super) mod crawlable_links;
    pub(super) mod fragment_links;
    pub(super) mod link_syntax;
    pub(super) mod link_target;
    pub(super) mod link_text;
    pub(super) mod nofollow_links;
}
mod performance {
    pub(super) mod delivery;
    pub(super) mod document_write;
    pub(super) mod lazy_iframes;
    pub(super) mod preconnect;
    pub(super) mod scripts;
}
mod security {
    pub(super) mod https;
    pub(super) mod mixed_content;
}
mod social {
    pub(super) mod og_image;
    pub(super) mod open_graph;
    pub(super) mod twitter_card;
}
mod structured_data {
    pub(super) mod jsonld;
    pub(super) mod jsonld_values;
    pub(super) mod rich_results;
}

/// Every family, in catalog order.
pub const FAMILIES: &[&Family] = &[
    &http::access::FAMILY,
    &http::document::FAMILY,
    &http::redirects::FAMILY,
    &http::soft_404::FAMILY,
    &indexing::robots_meta::FAMILY,
    &crawl::robots_txt::FAMILY,
    &crawl::sitemap::FAMILY,
    &canonical::canonical::FAMILY,
    &head::app_icons::FAMILY,
    &head::base_url::FAMILY,
    &head::charset::FAMILY,
    &head::doctype::FAMILY,
    &head::favicon::FAMILY,
    &head::head_structure::FAMILY,
    &head::meta_description::FAMILY,
    &head::meta_description_length::FAMILY,
    &head::title::FAMILY,
    &head::title_length::FAMILY,
    &head::title_wording::FAMILY,
    &head::viewport::FAMILY,
    &content::duplicate_ids::FAMILY,
    &content::form_labels::FAMILY,
    &content::garbled_text::FAMILY,
    &content::h1::FAMILY,
    &content::headings::FAMILY,
    &content::iframe_titles::FAMILY,
    &content::legacy_markup::FAMILY,
    &content::page_dates::FAMILY,
    &content::placeholder_text::FAMILY,
    &content::text_content::FAMILY,
    &links::contact_links::FAMILY,
    &links::crawlable_links::FAMILY,
    &links::fragment_links::FAMILY,
    &links::link_syntax::FAMILY,
    &links::link_target::FAMILY,
    &links::link_text::FAMILY,
    &links::nofollow_links::FAMILY,
    &images::image_alt::FAMILY,
    &images::image_dimensions::FAMILY,
    &images::image_loading::FAMILY,
    &images::image_sources::FAMILY,
    &images::inline_images::FAMILY,
    &images::srcset::FAMILY,
    &structured_data::jsonld::FAMILY,
    &structured_data::jsonld_values::FAMILY,
    &structured_data::rich_results::FAMILY,
    &i18n::hreflang::FAMILY,
    &i18n::html_lang::FAMILY,
    &social::open_graph::FAMILY,
    &social::og_image::FAMILY,
    &social::twitter_card::FAMILY,
    &performance::delivery::FAMILY,
    &performance::document_write::FAMILY,
    &performance::lazy_iframes::FAMILY,
    &performance::preconnect::FAMILY,
    &performance::scripts::FAMILY,
    &security::https::FAMILY,
    &security::mixed_content::FAMILY,
    &agents::ai_crawlers::FAMILY,
    &agents::app_shell::FAMILY,
    &agents::llms_txt::FAMILY,
];

/// Every check, in catalog order.
pub fn all() -> impl Iterator<Item = &'static Check> {
    FAMILIES.iter().flat_map(|family| family.checks)
}

/// The check of a code.
pub fn find(code: &str) -> Option<&'static Check> {
    all().find(|check| check.code == code)
}
