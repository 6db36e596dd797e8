//! The catalog of checks of a site: every check, by family and name. A test compares it with the folder.

use model::lang::{Text, text};

use crate::check::SiteCheck;

mod links {
    pub(super) mod broken_external_link;
    pub(super) mod broken_image;
    pub(super) mod broken_internal_link;
    pub(super) mod internal_link_redirects;
    pub(super) mod internal_redirect_chain;
    pub(super) mod internal_redirect_loop;
    pub(super) mod server_error_pages;
    pub(super) mod soft_404_cluster;
    pub(super) mod unresponsive_pages;
}
mod duplicates {
    pub(super) mod case_duplicates;
    pub(super) mod duplicate_content;
    pub(super) mod duplicate_description;
    pub(super) mod duplicate_h1;
    pub(super) mod duplicate_title;
    pub(super) mod little_own_text;
    pub(super) mod near_duplicate_content;
    pub(super) mod parameter_duplicates;
    pub(super) mod trailing_slash_duplicates;
    pub(super) mod www_http_duplicates;
}
mod canonical {
    pub(super) mod canonical_chain;
    pub(super) mod canonical_loop;
    pub(super) mod canonical_to_blocked;
    pub(super) mod canonical_to_error;
    pub(super) mod canonical_to_noindex;
    pub(super) mod canonical_to_redirect;
    pub(super) mod canonical_unlinked;
}
mod indexing {
    pub(super) mod blocked_but_linked_much;
    pub(super) mod crawl_trap;
    pub(super) mod nofollow_only_page;
    pub(super) mod noindex_but_linked_much;
    pub(super) mod orphan_page;
    pub(super) mod page_too_deep;
    pub(super) mod sitemap_lists_broken;
    pub(super) mod sitemap_lists_nonindexable;
    pub(super) mod sitemap_page_missing;
}
mod languages {
    pub(super) mod hreflang_cluster_conflict;
    pub(super) mod hreflang_no_return;
    pub(super) mod hreflang_to_noncanonical;
    pub(super) mod lang_differs_in_cluster;
}
mod structured_data {
    pub(super) mod breadcrumb_not_path;
    pub(super) mod entity_id_conflict;
    pub(super) mod organization_conflict;
}
mod pagination {
    pub(super) mod pagination_canonical_to_first;
    pub(super) mod pagination_gap;
}

/// Checks of the site on one subject.
#[derive(Debug)]
pub struct SiteFamily {
    /// The subject, as a heading.
    pub title: Text,
    /// Its checks, in the order of the catalog.
    pub checks: &'static [&'static SiteCheck],
}

/// Every family, in the order of the catalog.
pub const FAMILIES: &[SiteFamily] = &[
    SiteFamily {
        title: text("Status and links", "Status e links"),
        checks: &[
            &links::broken_internal_link::CHECK,
            &links::internal_link_redirects::CHECK,
            &links::internal_redirect_chain::CHECK,
            &links::internal_redirect_loop::CHECK,
            &links::broken_external_link::CHECK,
            &links::broken_image::CHECK,
            &links::server_error_pages::CHECK,
            &links::unresponsive_pages::CHECK,
            &links::soft_404_cluster::CHECK,
        ],
    },
    SiteFamily {
        title: text("Duplicates", "Duplicatas"),
        checks: &[
            &duplicates::duplicate_title::CHECK,
            &duplicates::duplicate_description::CHECK,
            &duplicates::duplicate_h1::CHECK,
            &duplicates::duplicate_content::CHECK,
            &duplicates::near_duplicate_content::CHECK,
            &duplicates::little_own_text::CHECK,
            &duplicates::www_http_duplicates::CHECK,
            &duplicates::trailing_slash_duplicates::CHECK,
            &duplicates::case_duplicates::CHECK,
            &duplicates::parameter_duplicates::CHECK,
        ],
    },
    SiteFamily {
        title: text("Canonicals", "Canônicas"),
        checks: &[
            &canonical::canonical_chain::CHECK,
            &canonical::canonical_loop::CHECK,
            &canonical::canonical_to_noindex::CHECK,
            &canonical::canonical_to_redirect::CHECK,
            &canonical::canonical_to_error::CHECK,
            &canonical::canonical_to_blocked::CHECK,
            &canonical::canonical_unlinked::CHECK,
        ],
    },
    SiteFamily {
        title: text("Indexing", "Indexação"),
        checks: &[
            &indexing::noindex_but_linked_much::CHECK,
            &indexing::blocked_but_linked_much::CHECK,
            &indexing::sitemap_page_missing::CHECK,
            &indexing::sitemap_lists_nonindexable::CHECK,
            &indexing::sitemap_lists_broken::CHECK,
            &indexing::orphan_page::CHECK,
            &indexing::page_too_deep::CHECK,
            &indexing::nofollow_only_page::CHECK,
            &indexing::crawl_trap::CHECK,
        ],
    },
    SiteFamily {
        title: text("Languages", "Idiomas"),
        checks: &[
            &languages::hreflang_no_return::CHECK,
            &languages::hreflang_cluster_conflict::CHECK,
            &languages::hreflang_to_noncanonical::CHECK,
            &languages::lang_differs_in_cluster::CHECK,
        ],
    },
    SiteFamily {
        title: text("Structured data", "Dados estruturados"),
        checks: &[
            &structured_data::organization_conflict::CHECK,
            &structured_data::breadcrumb_not_path::CHECK,
            &structured_data::entity_id_conflict::CHECK,
        ],
    },
    SiteFamily {
        title: text("Pagination", "Paginação"),
        checks: &[&pagination::pagination_canonical_to_first::CHECK, &pagination::pagination_gap::CHECK],
    },
];

/// Every check, in the order of the catalog.
pub fn all() -> impl Iterator<Item = &'static SiteCheck> {
    FAMILIES.iter().flat_map(|family| family.checks).copied()
}

/// The check of a code.
pub fn find(code: &str) -> Option<&'static SiteCheck> {
    all().find(|check| check.code == code)
}
