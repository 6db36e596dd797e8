//! Values of schema.org properties, judged and repaired.

use super::form::FORMS;
use super::*;

/// Every bad value of a node, and the members that it has after its repair; `None` where nothing is known.
fn judged_in(node: &str, decimal_mark: Option<char>) -> Option<Vec<(String, Option<String>)>> {
    let source = format!("{{\"@context\":\"https://schema.org\",{node}}}");
    let tree = ValueTree::read(&source).unwrap();
    let base = Url::parse("https://example.com/a/b").unwrap();
    let setting = Setting { decimal_mark, resolve: Box::new(|href| base.join(href).ok()), zoned: Box::new(|_| None) };
    let bad = read(&Graph::read([&tree]), &setting)?;
    Some(
        bad.iter()
            .map(|bad| (plain(bad.value).unwrap().to_owned(), bad.repair.first().map(|repair| repair.json.clone())))
            .collect(),
    )
}

#[track_caller]
fn fine(node: &str) {
    assert_eq!(judged_in(node, Some(',')), Some(Vec::new()), "{node}");
}

#[track_caller]
fn bad(node: &str, value: &str, repaired: Option<&str>) {
    let expected = vec![(value.to_owned(), repaired.map(str::to_owned))];
    assert_eq!(judged_in(node, Some(',')), Some(expected), "{node}");
}

#[test]
fn dates_durations_and_currencies() {
    fine(r#""datePublished":"2026-12-31T10:00-03:00","birthDate":2000,"totalTime":"PT30M","priceCurrency":"BRL""#);
    bad(r#""datePublished":"31/12/2026""#, "31/12/2026", Some("\"2026-12-31\""));
    bad(r#""dateModified":1795219200"#, "1795219200", None);
    bad(r#""cookTime":"30 min""#, "30 min", Some("\"PT30M\""));
    bad(r#""priceCurrency":"R$""#, "R$", Some("\"BRL\""));
    bad(r#""priceCurrency":"$""#, "$", None);
    bad(r#""schema:priceCurrency":"usd""#, "usd", Some("\"USD\""));
    assert_eq!(judged_in(r#""datePublished":" ","name":"31/12/2026""#, None), None);
}

#[test]
fn prices_are_repaired_where_the_language_is_certain_and_the_currency_known() {
    fine(r#""price":10,"lowPrice":"10.50","highPrice":1e3"#);
    bad(r#""price":"1.299,00""#, "1.299,00", Some("\"1299.00\""));
    bad(r#""price":"R$ 10","priceCurrency":"BRL""#, "R$ 10", Some("\"10\""));
    bad(r#""price":"R$ 10""#, "R$ 10", None);
    bad(r#""price":-1"#, "-1", None);
    let unknown = judged_in(r#""price":"1.299,00""#, None).unwrap();
    assert_eq!(unknown.first().unwrap().1, None);
    assert_eq!(decimal_mark("pt-BR"), Some(','));
    assert_eq!(decimal_mark("en"), Some('.'));
    assert_eq!((decimal_mark("de-CH"), decimal_mark("es"), decimal_mark("")), (None, None, None));
}

#[test]
fn words_of_enumerations() {
    fine(
        r#""availability":"https://schema.org/InStock","itemCondition":"NewCondition","eventStatus":"http://schema.org/EventScheduled""#,
    );
    bad(r#""availability":"in stock""#, "in stock", Some("\"https://schema.org/InStock\""));
    bad(
        r#""availability":"https://schema.org/instock""#,
        "https://schema.org/instock",
        Some("\"https://schema.org/InStock\""),
    );
    bad(r#""itemCondition":"new""#, "new", Some("\"https://schema.org/NewCondition\""));
    bad(r#""eventStatus":"cancelled""#, "cancelled", Some("\"https://schema.org/EventCancelled\""));
    bad(r#""availability":"soon""#, "soon", None);
    fine(r#""@type":"JobPosting","employmentType":["FULL_TIME","INTERN"]"#);
    bad(r#""@type":"JobPosting","employmentType":"Full-time""#, "Full-time", Some("\"FULL_TIME\""));
    assert_eq!(judged_in(r#""@type":"Person","employmentType":"Full-time""#, None), None);
}

#[test]
fn addresses_are_absolute() {
    fine(r#""url":"https://e.com/a","image":["http://e.com/b",{"url":"https://e.com/c"}]"#);
    bad(r#""logo":"/logo.png""#, "/logo.png", Some("\"https://example.com/logo.png\""));
    bad(r#""image":"img/a.png""#, "img/a.png", Some("\"https://example.com/a/img/a.png\""));
    bad(r#""image":"//cdn.example.com/a.png""#, "//cdn.example.com/a.png", Some("\"https://cdn.example.com/a.png\""));
    for value in ["www.example.com/a", "data:image/png;base64,AA", "a.png", "#"] {
        bad(&format!("\"url\":\"{value}\""), value, None);
    }
    assert_eq!(judged_in(r#""item":"/a""#, None), None);
    bad(r#""@type":"ListItem","item":"/a""#, "/a", Some("\"https://example.com/a\""));
}

#[test]
fn ratings_lie_within_their_bounds() {
    let stars = |rating: &str| format!("\"@type\":\"AggregateRating\",{rating}");
    fine(&stars(r#""ratingValue":4.5"#));
    fine(&stars(r#""ratingValue":"9","bestRating":"10""#));
    fine(&stars(r#""ratingValue":"88%""#));
    fine(&stars(r#""ratingValue":9,"bestRating":"ten""#));
    bad(&stars(r#""ratingValue":"4,5""#), "4,5", Some("\"4.5\""));
    bad(&stars(r#""ratingValue":0"#), "0", None);
    bad(&stars(r#""ratingValue":9.2"#), "9.2", None);
    bad(&stars(r#""ratingValue":"good""#), "good", None);
    bad(r#""reviewRating":{"ratingValue":"good"}"#, "good", None);
}

#[test]
fn ratings_of_content_hotels_and_certificates_have_words() {
    for property in ["contentRating", "starRating", "certificationRating"] {
        let node = format!("\"{property}\":{{\"@type\":\"Rating\",\"ratingValue\":\"PG-13\"}}");
        assert_eq!(judged_in(&node, None), None, "{property}");
    }
}

#[test]
fn positions_count_from_one() {
    let list = |kind: &str, positions: &str| {
        let items: Vec<String> = positions.split(' ').map(|position| format!("{{\"position\":{position}}}")).collect();
        format!("\"@type\":\"{kind}\",\"itemListElement\":[{}]", items.join(","))
    };
    fine(&list("BreadcrumbList", "1 2 3"));
    fine(&list("BreadcrumbList", "\"1\" 2"));
    fine(&list("BreadcrumbList", "2 1"));
    fine(&list("ItemList", "21 22"));
    bad(&list("BreadcrumbList", "1 3"), "3", None);
    bad(&list("ItemList", "1 1"), "1", None);
    bad(&list("ItemList", "1 2.5"), "2.5", None);
    let from_zero = judged_in(&list("BreadcrumbList", "0 1"), None).unwrap();
    assert_eq!(from_zero, [("0".to_owned(), Some("1".to_owned())), ("1".to_owned(), Some("2".to_owned()))]);
}

#[test]
fn places_lie_on_the_globe() {
    fine(r#""latitude":-23.55,"longitude":"-46.63""#);
    bad(r#""latitude":"-23,55","longitude":0"#, "-23,55", Some("\"-23.55\""));
    bad(r#""latitude":-122.4,"longitude":37.7"#, "-122.4", Some("37.7"));
    bad(r#""latitude":-122.4,"longitude":137.7"#, "-122.4", None);
    bad(r#""longitude":"W 5""#, "W 5", None);
}

#[test]
fn a_block_is_repaired_as_far_as_it_can_be() {
    let source = r#"{"@context":"https://schema.org", "datePublished":"31/12/2026", "price":"a", "image":["/a/b"]}"#;
    let setting = Setting { decimal_mark: None, resolve: Box::new(|_| None), zoned: Box::new(|_| None) };
    assert_eq!(repaired(source, &setting), source.replace("31/12/2026", "2026-12-31"));
    assert_eq!(repaired("{", &setting), "{");
}

#[test]
fn every_line_of_the_table_is_a_form() {
    let lines = FORMS.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(BY_PROPERTY.len(), lines.map(|line| line.split(' ').count()).sum::<usize>());
}

#[test]
fn trade_item_numbers() {
    fine(r#""gtin13":"4006381333931","gtin":4006381333931"#);
    bad(r#""gtin":"4006381 333931""#, "4006381 333931", Some("\"4006381333931\""));
    bad(r#""gtin12":36000291452"#, "36000291452", Some("\"036000291452\""));
    bad(r#""gtin13":"4006381333930""#, "4006381333930", None);
}
