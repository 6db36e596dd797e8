//! Crawlers by purpose: what blocking one of them means differs.

/// Class and product token of each, with source and date in the file.
const TABLE: &str = include_str!("../data/crawlers.tsv");

/// What a crawler fetches pages for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A search engine's index.
    Search,
    /// The index of an AI assistant's search.
    Answers,
    /// A person's request to an assistant.
    Person,
    /// Training of models; also control tokens without a crawler of their own.
    Training,
    /// Public archives.
    Archive,
}

/// Product tokens of a purpose, in the table's order.
pub fn tokens(purpose: Purpose) -> impl Iterator<Item = &'static str> {
    rows().filter(move |(found, _)| *found == purpose).map(|(_, token)| token)
}

/// Every crawler that serves an AI product, in the table's order.
pub fn ai_tokens() -> impl Iterator<Item = &'static str> {
    rows().filter(|(purpose, _)| *purpose != Purpose::Search).map(|(_, token)| token)
}

fn rows() -> impl Iterator<Item = (Purpose, &'static str)> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (class, token) = line.split_once('\t')?;
        let purpose = match class {
            "search" => Purpose::Search,
            "answers" => Purpose::Answers,
            "person" => Purpose::Person,
            "training" => Purpose::Training,
            "archive" => Purpose::Archive,
            _ => return None,
        };
        Some((purpose, token))
    })
}
