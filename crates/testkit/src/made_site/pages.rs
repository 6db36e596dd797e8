//! The HTML of a made page.

use std::fmt::Write as _;

use super::{Changes, FIXED_WIDTH, MadeAnswer, MadeSite, TEMPLATES};

/// The words that texts are made of.
const WORDS: [&str; 96] = [
    "the", "of", "and", "to", "in", "is", "that", "for", "it", "with", "as", "was", "on", "are", "by", "this", "from",
    "or", "have", "an", "bread", "oven", "flour", "water", "salt", "morning", "street", "market", "baker", "window",
    "garden", "river", "bridge", "stone", "wood", "table", "chair", "kitchen", "recipe", "butter", "honey", "apple",
    "pear", "plum", "cherry", "summer", "winter", "spring", "autumn", "weather", "rain", "cloud", "light", "shadow",
    "color", "paper", "letter", "book", "story", "song", "voice", "friend", "family", "child", "school", "teacher",
    "lesson", "question", "answer", "number", "measure", "weight", "length", "hour", "minute", "season", "journey",
    "road", "train", "station", "harbor", "island", "mountain", "valley", "forest", "field", "farm", "horse", "bird",
    "fish", "hand", "wheel", "glass", "metal", "cotton", "wool",
];
/// Bytes of a page besides its text, about.
const FRAME: usize = 4_000;
/// Links to related pages.
const RELATED: usize = 12;

/// Numbers that depend on a seed alone (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % most.max(1) as u64) as usize
    }

    fn sentence(&mut self, words: usize) -> String {
        let text: Vec<&str> = (0..words).map(|_| WORDS[self.below(WORDS.len())]).collect();
        let mut text = text.join(" ");
        text.get_mut(..1).map(str::make_ascii_uppercase);
        text + "."
    }
}

impl MadeSite {
    /// The page of a number under a path.
    pub(super) fn page(&self, number: usize, path: &str, host: &str, changes: Changes) -> MadeAnswer {
        let template = number.checked_sub(1).map_or("home", |before| TEMPLATES[before % TEMPLATES.len()]);
        let mut body = String::with_capacity(self.options.bytes + 4_096);
        let is_fixed_width = self.options.planted && self.number(path).is_some() && template == FIXED_WIDTH;
        head(&mut body, number, path, host, &changes, is_fixed_width);
        let h1 = changes.h1.clone().unwrap_or_else(|| format!("The {template} of {}", name(number)));
        body.push_str("<header class=\"site\"><a href=\"/\">Home of the bakery</a><nav><ul>");
        self.links(&mut body, &(0..TEMPLATES.len()).map(|at| Self::number_of(at, 0)).collect::<Vec<_>>());
        let _ = write!(body, "</ul></nav></header><div class=\"top-{template}\">");
        if !h1.is_empty() {
            let _ = write!(body, "<h1>{h1}</h1>");
        }
        let _ = write!(body, "</div><main class=\"{template}\">");
        if changes.short {
            body.push_str("<p>The page you asked for does not exist.</p>");
        } else {
            self.text(&mut body, template, changes.text_of.unwrap_or(number));
        }
        if let Some(word) = changes.last_word {
            let _ = write!(body, "<p class=\"last\">{word}</p>");
        }
        let _ = write!(body, "{}</main><nav class=\"below\"><ul>", changes.html);
        let children = if self.number(path).is_some() { self.children(number) } else { Vec::new() };
        self.links(&mut body, &children);
        body.push_str("</ul></nav><nav class=\"related\"><ul>");
        let mut numbers = Numbers(number as u64);
        self.links(&mut body, &(0..RELATED).map(|_| self.related(&mut numbers)).collect::<Vec<_>>());
        for (path, nofollow) in &changes.links {
            let rel = if *nofollow { " rel=\"nofollow\"" } else { "" };
            let _ = write!(body, "<li><a href=\"{path}\"{rel}>More at {path}</a></li>");
        }
        body.push_str("</ul></nav><footer><p>Bread from our oven since 1987.</p>");
        if self.options.planted {
            body.push_str("<p><a href=\"/cart\">Your cart</a> <a href=\"/private/login\">Sign in</a></p>");
        }
        body.push_str("</footer></body></html>");
        MadeAnswer::of("text/html; charset=utf-8", body)
    }

    /// A page that others link as related: among the first of each template, which all sites have.
    fn related(&self, numbers: &mut Numbers) -> usize {
        loop {
            let number = numbers.below(self.options.pages.min(1_200));
            if !self.unlisted.contains(&number) && !self.unrelated.contains(&number) {
                return number;
            }
        }
    }

    fn links(&self, body: &mut String, numbers: &[usize]) {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        if self.options.shuffled {
            numbers.reverse();
            let half = numbers.len() / 3;
            numbers.rotate_left(half);
        }
        for number in numbers {
            let _ = write!(body, "<li><a href=\"{}\">About {}</a></li>", self.path(number), name(number));
        }
    }

    /// Text in sections whose markup is the template's own, until the page has its bytes.
    fn text(&self, body: &mut String, template: &str, number: usize) {
        let mut numbers = Numbers(number as u64 ^ 0x5eed);
        let kind = TEMPLATES.iter().position(|one| *one == template).map_or(0, |at| at + 1);
        let frames = ["section", "article", "div", "blockquote", "figure"];
        let begun = body.len();
        let (outer, inner) = (frames[kind % frames.len()], frames[kind / 3 % frames.len()]);
        loop {
            let _ = write!(body, "<{outer} class=\"{template}-part\"><h2>{}</h2>", numbers.sentence(4));
            for _ in 0..2 + kind % 3 {
                let _ = write!(body, "<{inner} class=\"{template}-text\"><p>{}</p>", numbers.sentence(40));
                let _ = write!(body, "<ul class=\"{template}-list\">");
                for _ in 0..2 + kind % 4 {
                    let _ = write!(body, "<li><b>{}</b> {}</li>", numbers.sentence(2), numbers.sentence(9));
                }
                let _ = write!(body, "</ul></{inner}>");
            }
            let _ = write!(body, "</{outer}>");
            if body.len() - begun + FRAME >= self.options.bytes {
                return;
            }
        }
    }
}

/// The head, and the start of the body.
fn head(body: &mut String, number: usize, path: &str, host: &str, changes: &Changes, is_fixed_width: bool) {
    let _ = write!(body, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    let title = changes.title.clone().unwrap_or_else(|| format!("{} and what our bakery knows of it", name(number)));
    if !title.is_empty() {
        let _ = write!(body, "<title>{title}</title>");
    }
    let mut numbers = Numbers(number as u64 ^ 0xdead);
    let description = numbers.sentence(14);
    let description = changes.description.clone().unwrap_or_else(|| format!("{}: {description}", name(number)));
    if !description.is_empty() {
        let _ = write!(body, "<meta name=\"description\" content=\"{description}\">");
    }
    if !is_fixed_width {
        body.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    }
    if changes.noindex {
        body.push_str("<meta name=\"robots\" content=\"noindex\">");
    } else {
        let canonical = changes.canonical.as_deref().unwrap_or(path);
        let _ = write!(body, "<link rel=\"canonical\" href=\"http://{host}{canonical}\">");
    }
    for (lang, path) in &changes.versions {
        let _ = write!(body, "<link rel=\"alternate\" hreflang=\"{lang}\" href=\"http://{host}{path}\">");
    }
    // Another organization has an address, and no identity of its own.
    let id = match changes.organization {
        None => format!("\"@id\":\"http://{host}/#organization\","),
        Some(_) => String::new(),
    };
    let organization = changes.organization.unwrap_or("Bakery of the Old Bridge");
    let _ = write!(
        body,
        "<script type=\"application/ld+json\">{{\"@context\":\"https://schema.org\",\"@graph\":[{{\"@type\":\"Organization\",{id}\"url\":\"http://{host}/\",\"name\":\"{organization}\"}}"
    );
    if let Some(brand) = changes.brand {
        let _ = write!(body, ",{{\"@type\":\"Brand\",\"@id\":\"http://{host}/#brand\",\"name\":\"{brand}\"}}");
    }
    if number > 0 {
        let step = changes.step.clone().unwrap_or_else(|| format!("/{}/", TEMPLATES[(number - 1) % TEMPLATES.len()]));
        let _ = write!(
            body,
            ",{{\"@type\":\"BreadcrumbList\",\"itemListElement\":[{{\"@type\":\"ListItem\",\"position\":1,\"name\":\"Home\",\"item\":\"http://{host}/\"}},{{\"@type\":\"ListItem\",\"position\":2,\"name\":\"Part\",\"item\":\"http://{host}{step}\"}},{{\"@type\":\"ListItem\",\"position\":3,\"name\":\"{}\"}}]}}",
            name(number)
        );
    }
    body.push_str("]}</script></head><body>");
}

/// A name that only this page has.
fn name(number: usize) -> String {
    let mut numbers = Numbers(number as u64 ^ 0x0a11);
    let (one, two) = (WORDS[20 + numbers.below(WORDS.len() - 20)], WORDS[20 + numbers.below(WORDS.len() - 20)]);
    format!("{one} and {two} {number}")
}
