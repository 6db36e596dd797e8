//! Tables that lay a page out instead of showing data.

use super::document::Element;

/// Whether a table stands within another, with neither header cell nor caption nor role: it lays out, it does not tabulate.
pub(crate) fn is_layout_table(table: Element<'_>) -> bool {
    !table.has("role")
        && table.ancestors().any(|around| around.is("table"))
        && !table.descendants().any(|below| below.is("th") || below.is("caption"))
}
