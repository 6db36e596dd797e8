//! `security.txt` (RFC 9116).

use model::time::Timestamp;

use service::Services;

/// Months until the file expires: under a year, as §2.5.5 recommends; the date changes once a month.
const MONTHS: i64 = 11;

/// The file; none where no contact is set.
pub(super) fn document(services: &Services) -> Option<String> {
    let contact = services.config().security.contact.as_ref()?;
    let expires = expires(services.ports().now());
    let own = services.url("/.well-known/security.txt");
    // Web addresses in the file must be https (§2.5), so a service without it leaves its own out.
    let canonical = if services.is_https() { format!("Canonical: {own}\n") } else { String::new() };
    Some(format!("Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, pt\n{canonical}"))
}

/// The first day of the month that is [`MONTHS`] ahead.
fn expires(now: Timestamp) -> String {
    let (year, month, _) = now.day().civil();
    let ahead = year * 12 + (month - 1) + MONTHS;
    format!("{:04}-{:02}-01T00:00:00Z", ahead / 12, ahead % 12 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_expires_with_a_month_under_a_year_ahead() {
        for (now, wanted) in [
            (1_769_851_800_000, "2026-12-01T00:00:00Z"), // 2026-01-31
            (1_772_323_200_000, "2027-02-01T00:00:00Z"), // 2026-03-01
        ] {
            assert_eq!(expires(Timestamp(now)), wanted);
        }
    }
}
