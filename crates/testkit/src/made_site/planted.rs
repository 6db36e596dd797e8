//! The defects that are planted, each with the finding that it has to cause.
//!
//! Pages are named by template and index: `Self::at(2, 5)` is the fifth page of the third template.

use super::{Changes, Extra, MadeSite};

impl MadeSite {
    /// Plants every defect, template by template.
    pub(super) fn plant(&mut self) {
        self.plant_links();
        self.plant_duplicates();
        self.plant_canonicals();
        self.plant_indexing();
        self.plant_languages_and_data();
        self.plant_lists();
        self.plant_on_pages();
    }

    /// The number of a page.
    fn at(template: usize, index: usize) -> usize {
        Self::number_of(template, index)
    }

    fn change(&mut self, number: usize) -> &mut Changes {
        self.changes.entry(number).or_default()
    }

    /// Links a path on a page.
    fn link(&mut self, number: usize, path: &str) {
        self.change(number).links.push((path.to_owned(), false));
    }

    fn expect(&mut self, code: &'static str, path: &str) {
        self.planted.insert((code, path.to_owned()));
    }

    fn expect_on(&mut self, code: &'static str, number: usize) {
        let path = self.path(number);
        self.planted_on_pages.insert((code, path));
    }

    fn redirect(&mut self, from: &str, to: &str) {
        self.extra.insert(from.to_owned(), Extra::Redirect(to.to_owned()));
    }

    /// A page besides the others, with a text of its own, which a sitemap lists.
    fn extra_page(&mut self, path: &str, text: usize, changes: Changes) {
        self.extra.insert(path.to_owned(), Extra::Page(text, Box::new(changes)));
        self.listed.push(path.to_owned());
    }

    fn plant_links(&mut self) {
        for one in 0..6 {
            let gone = format!("/gone/{one}");
            self.link(Self::at(2, 3 + one), &gone);
            self.expect("broken_internal_link", &gone);
        }
        for one in 0..3 {
            let (old, new) = (format!("/old/{one}"), self.path(Self::at(3, 10 + one)));
            self.redirect(&old, &new);
            self.link(Self::at(3, 3 + one), &old);
            self.expect("internal_link_redirects", &old);
        }
        let end = self.path(Self::at(4, 10));
        self.redirect("/chain/0", "/chain/1");
        self.redirect("/chain/1", &end);
        self.link(Self::at(4, 3), "/chain/0");
        self.expect("internal_redirect_chain", "/chain/0");
        self.redirect("/loop/0", "/loop/1");
        self.redirect("/loop/1", "/loop/0");
        self.link(Self::at(4, 4), "/loop/0");
        self.expect("internal_redirect_loop", "/loop/0");
        for (one, status) in [500, 503].into_iter().enumerate() {
            let path = format!("/fails/{one}");
            self.extra.insert(path.clone(), Extra::Status(status));
            self.link(Self::at(4, 5), &path);
            self.expect("server_error_pages", &path);
        }
        for index in [6, 7] {
            let page = Self::at(4, index);
            let changes = self.change(page);
            changes.title = Some("Page not found".to_owned());
            changes.h1 = Some("Page not found".to_owned());
            changes.short = true;
            let path = self.path(page);
            self.expect("soft_404_cluster", &path);
        }
        self.change(Self::at(0, 7)).html =
            "<p><img src=\"/none.png\" alt=\"A loaf of bread\" width=\"9\" height=\"9\"></p>";
        self.expect("broken_image", "/none.png");
    }

    /// Two pages of a template that share something.
    fn share(&mut self, template: usize, index: usize, change: impl Fn(&mut Changes)) -> String {
        let pages = [Self::at(template, index), Self::at(template, index + 1)];
        pages.iter().for_each(|page| change(self.change(*page)));
        pages.map(|page| self.path(page)).into_iter().min().unwrap_or_default()
    }

    fn plant_duplicates(&mut self) {
        for one in 0..4 {
            let title = format!("One title that pages of pair {one} share");
            let first = self.share(5, 2 + 2 * one, |page| page.title = Some(title.clone()));
            self.expect("duplicate_title", &first);
        }
        for one in 0..3 {
            let text =
                format!("One description that both pages of pair {one} share, long enough to be shown in results.");
            let first = self.share(6, 2 + 2 * one, |page| page.description = Some(text.clone()));
            self.expect("duplicate_description", &first);
        }
        for one in 0..2 {
            let h1 = format!("One heading that pages of pair {one} share");
            let first = self.share(7, 2 + 2 * one, |page| page.h1 = Some(h1.clone()));
            self.expect("duplicate_h1", &first);
        }
        for one in 0..2 {
            let first = self.share(8, 2 + 2 * one, |page| page.text_of = Some(800_000 + one));
            self.expect("duplicate_content", &first);
        }
        let first = self.share(8, 6, |page| page.text_of = Some(800_009));
        self.change(Self::at(8, 7)).last_word = Some("Otherwise");
        self.expect("near_duplicate_content", &first);
        for (index, code) in [(2, "trailing_slash_duplicates"), (3, "case_duplicates"), (4, "parameter_duplicates")] {
            let page = Self::at(9, index);
            let path = self.path(page);
            let other = match index {
                2 => format!("{path}/"),
                3 => path.to_uppercase(),
                _ => format!("{path}?view=list"),
            };
            self.extra_page(&other, page, Changes::default());
            self.link(Self::at(9, 8), &other);
            let first = path.clone().min(other);
            self.expect(code, &first);
        }
    }

    /// Names a path as the canonical of a page, which no sitemap lists then.
    fn canonical(&mut self, number: usize, path: &str) {
        self.change(number).canonical = Some(path.to_owned());
        self.unlisted.insert(number);
    }

    fn plant_canonicals(&mut self) {
        let path = |index| Self::new_path(10, index);
        self.canonical(Self::at(10, 2), &path(3));
        self.canonical(Self::at(10, 3), &path(4));
        self.expect("canonical_chain", &path(3));
        self.canonical(Self::at(10, 5), &path(6));
        self.canonical(Self::at(10, 6), &path(5));
        self.expect("canonical_loop", &path(5));
        self.canonical(Self::at(10, 7), &path(8));
        self.change(Self::at(10, 8)).noindex = true;
        self.unlisted.insert(Self::at(10, 8));
        self.expect("canonical_to_noindex", &path(8));
        for (index, target, code) in [
            (9, "/old/0", "canonical_to_redirect"),
            (10, "/gone/0", "canonical_to_error"),
            (11, "/private/0", "canonical_to_blocked"),
            (12, "/unlinked", "canonical_unlinked"),
        ] {
            self.canonical(Self::at(10, index), target);
            self.expect(code, target);
        }
        self.extra.insert("/unlinked".to_owned(), Extra::Page(800_020, Box::default()));
    }

    fn new_path(template: usize, index: usize) -> String {
        format!("/{}/{index}", super::TEMPLATES[template])
    }

    fn plant_indexing(&mut self) {
        for index in [2, 3] {
            let page = Self::at(11, index);
            self.unlisted.insert(page);
            let path = self.path(page);
            self.expect("sitemap_page_missing", &path);
            self.expect_on("sitemap_page_absent", page);
        }
        let hidden = Self::at(11, 4);
        self.change(hidden).noindex = true;
        let path = self.path(hidden);
        self.expect("sitemap_lists_nonindexable", &path);
        self.listed.push("/gone/listed".to_owned());
        self.expect("sitemap_lists_broken", "/gone/listed");
        for one in 0..2 {
            let path = format!("/orphan/{one}");
            self.extra_page(&path, 800_030 + one, Changes::default());
            self.expect("orphan_page", &path);
        }
        for step in 1..=3 {
            let links = (step < 3).then(|| (format!("/deep/{}", step + 1), false));
            let changes = Changes { links: links.into_iter().collect(), ..Changes::default() };
            self.extra_page(&format!("/deep/{step}"), 800_040 + step, changes);
        }
        self.link(Self::at(1, 2), "/deep/1");
        self.unrelated.insert(Self::at(1, 2));
        self.expect("page_too_deep", "/deep/3");
        self.extra_page("/quiet", 800_050, Changes::default());
        self.change(Self::at(1, 3)).links.push(("/quiet".to_owned(), true));
        self.expect("nofollow_only_page", "/quiet");
        // Every page links these.
        let cart = Changes { noindex: true, ..Changes::default() };
        self.extra.insert("/cart".to_owned(), Extra::Page(800_060, Box::new(cart)));
        self.expect("noindex_but_linked_much", "/cart");
        self.expect("blocked_but_linked_much", "/private/login");
        self.link(Self::at(1, 9), "/calendar?month=0");
        self.expect("crawl_trap", "/calendar?month");
    }

    fn plant_languages_and_data(&mut self) {
        let path = |index| Self::new_path(1, index);
        self.change(Self::at(1, 4)).versions = vec![("en", path(4)), ("x-default", path(5))];
        self.expect("hreflang_no_return", &path(5));
        self.change(Self::at(1, 6)).versions = vec![("en", path(6)), ("x-default", "/old/1".to_owned())];
        self.expect("hreflang_to_noncanonical", "/old/1");
        let both = vec![("en", path(7)), ("fr", path(8))];
        self.change(Self::at(1, 7)).versions = both.clone();
        self.change(Self::at(1, 8)).versions = both;
        self.expect("lang_differs_in_cluster", &path(8));
        self.change(Self::at(0, 2)).organization = Some("Bakery of the New Bridge");
        self.expect("organization_conflict", &Self::new_path(0, 2));
        self.change(Self::at(0, 3)).brand = Some("Old Bridge");
        self.change(Self::at(0, 4)).brand = Some("New Bridge");
        self.expect("entity_id_conflict", "/#brand");
        self.change(Self::at(0, 5)).step = Some("/gone/1".to_owned());
        self.expect("breadcrumb_not_path", "/gone/1");
    }

    fn plant_lists(&mut self) {
        self.extra_page("/list", 800_070, Changes::default());
        for number in [2, 4] {
            self.extra_page(&format!("/list?page={number}"), 800_070 + number, Changes::default());
        }
        for path in ["/list", "/list?page=2", "/list?page=4", "/shelf", "/shelf?page=2"] {
            self.link(Self::at(0, 6), path);
        }
        self.expect("pagination_gap", "/list");
        self.extra_page("/shelf", 800_080, Changes::default());
        let second = Changes { canonical: Some("/shelf".to_owned()), ..Changes::default() };
        self.extra.insert("/shelf?page=2".to_owned(), Extra::Page(800_082, Box::new(second)));
        self.expect("pagination_canonical_to_first", "/shelf");
    }

    fn plant_on_pages(&mut self) {
        for number in 1..self.options.pages {
            if self.path(number).starts_with(&format!("/{}/", super::FIXED_WIDTH)) {
                self.expect_on("viewport_missing", number);
            }
        }
        let empty = || Some(String::new());
        let page = Self::at(2, 10);
        self.change(page).title = empty();
        self.expect_on("title_missing", page);
        let page = Self::at(2, 11);
        self.change(page).description = empty();
        self.expect_on("meta_description_missing", page);
        let page = Self::at(2, 12);
        self.change(page).h1 = empty();
        self.expect_on("h1_missing", page);
        let page = Self::at(2, 13);
        self.change(page).html = "<p><img src=\"/logo.png\" width=\"9\" height=\"9\"></p>";
        self.expect_on("image_alt_missing", page);
        self.extra.insert("/logo.png".to_owned(), Extra::Status(204));
        let page = Self::at(2, 14);
        self.change(page).html = "<p><a href=\"javascript:void(0)\">Bread</a></p>";
        self.expect_on("link_not_crawlable", page);
    }
}
