//! Registrable domains and public suffixes, by the Public Suffix List (<https://publicsuffix.org/list/>).
//!
//! A crate of its own for the sake of the build: the list is generic code, a quarter of what the compiler made of each crate
//! that called it. Here it is compiled once.

/// The registrable domain of a host name: its public suffix and one label. `None` for a suffix alone.
///
/// `www.example.co.uk` gives `example.co.uk`. A suffix that the list does not have counts as one label. An upper-case name
/// and an address are not looked at specially: give the host of a parsed URL.
pub fn registrable_domain(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

/// Whether a host name ends in a public suffix of the list, with at least one label before it.
pub fn has_known_suffix(host: &str) -> bool {
    psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known()) && psl::domain_str(host).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registrable_domain_is_one_label_and_a_suffix() {
        assert_eq!(registrable_domain("www.example.co.uk"), Some("example.co.uk"));
        assert_eq!(registrable_domain("example.com"), Some("example.com"));
        assert_eq!(registrable_domain("a.example.unlisted"), Some("example.unlisted"));
        assert_eq!(registrable_domain("co.uk"), None);
        assert_eq!(registrable_domain("localhost"), None);
    }

    #[test]
    fn a_known_suffix_needs_a_name_before_it() {
        assert!(has_known_suffix("example.com"));
        assert!(has_known_suffix("deep.example.com.br"));
        assert!(!has_known_suffix("com"));
        assert!(!has_known_suffix("printer.unlisted"));
        assert!(!has_known_suffix("index.html"));
    }
}
