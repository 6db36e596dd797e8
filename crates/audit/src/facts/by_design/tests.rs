//! Cases of the patterns, both ways.

use super::*;
use crate::example;
use crate::facts::walk::Page;

/// The first element of a name on a page of this body, judged.
fn judged<T>(body: &str, name: &str, judge: impl Fn(Element<'_>, &Html) -> T) -> T {
    let page = Page::read(&example::page(example::PAGE_URL, body));
    let html = page.html.unwrap();
    let element = html.document.elements().find(|element| element.is(name)).unwrap();
    judge(element, &html)
}

#[test]
fn every_row_of_the_table_is_read() {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count();
    let read = [&*CONSENT, &*TRAP, &*COMMENT, &*PARTNER, &*MEASURE]
        .map(|pattern| pattern.0.iter().map(|(_, texts)| texts.len()).sum::<usize>());
    assert_eq!(read.iter().sum::<usize>(), rows);
    let places = ["id", "class", "name", "call", "path", "address"];
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), 4, "{line}");
        assert!(places.contains(&cells[1]) && cells[2] == cells[2].to_ascii_lowercase(), "{line}");
    }
}

#[test]
fn controls_of_consent_tools_are_told_from_links_that_need_a_script() {
    let is = |body: &str| judged(body, "a", |link, _| is_consent_control(link));
    for control in [
        "<a href='javascript:Cookiebot.renew()'>Cookies</a>",
        "<a href='javascript: void(window.UC_UI.showSecondLayer());'>Privacy</a>",
        "<a href='#' onclick='return klaro.show()'>Cookies</a>",
        "<a href='javascript:void(0)' class='ot-sdk-show-settings'>Cookies</a>",
        "<div id=onetrust-banner-sdk><p><a href='javascript:;'>Accept</a></div>",
    ] {
        assert!(is(control), "{control}");
    }
    for link in [
        "<a href='javascript:openPage(2)'>Next</a>",
        "<a href='javascript:show()' class=cookie-recipes>Cookies</a>",
        "<body class='cmplz-document'><a href='javascript:show()'>Next</a>",
        "<a href='javascript:go(\"onetrust\")'>Next</a>",
    ] {
        assert!(!is(link), "{link}");
    }
}

#[test]
fn fields_for_robots_are_told_from_fields_for_people() {
    let is = |body: &str| judged(body, "input", |field, _| is_trap_field(field));
    for trap in [
        "<form><input name=contact_honeypot></form>",
        "<form><div class=wpforms-field-hp><input name='wpforms[hp]'></div></form>",
        "<form netlify-honeypot=surname2><input name=surname2></form>",
        "<form><div style='position: absolute; left: -5000px'><input name=b_1_2></div></form>",
        "<form><input name=website tabindex=-1 autocomplete=off></form>",
        "<form><div class='url-textfield js-form-wrapper'><input name=url></div></form>",
    ] {
        assert!(is(trap), "{trap}");
    }
    for field in [
        "<form netlify-honeypot=surname2><input name=surname></form>",
        "<form netlify-honeypot=''><input></form>",
        "<form><input name=hp_model></form>",
        "<form><input name=q autocomplete=off></form>",
        "<div style='position:absolute;left:-5000px'><form><input name=q></form></div>",
    ] {
        assert!(!is(field), "{field}");
    }
}

#[test]
fn ids_that_a_spam_guard_swaps_are_read() {
    let swapped = |script: &str| {
        judged(&format!("<p><script>{script}</script>"), "p", |_, html| {
            swapped_ids(html).into_iter().map(|(from, to)| format!("{from}>{to}")).collect::<Vec<_>>()
        })
    };
    let guard = "document.getElementById(\"comment\").setAttribute( \"id\", \"a1\" );\
                 document.getElementById('c2').setAttribute('id','comment');";
    assert_eq!(swapped(guard), ["comment>a1", "c2>comment"]);
    for other in [
        "document.getElementById('a').setAttribute('class','b')",
        "document.getElementById(name).setAttribute('id','b')",
        "document.getElementById('a",
        "getElementById('a').setAttribute('id', x)",
    ] {
        assert!(swapped(other).is_empty(), "{other}");
    }
}

#[test]
fn links_of_readers_and_partners_are_told_from_the_sites_own() {
    let comment = |body: &str| judged(body, "a", |link, _| is_comment_link(link));
    assert!(comment("<a rel='ugc external nofollow' href=/x>Ana</a>"));
    assert!(comment("<ol class=commentlist><li><a rel=nofollow href=/x>Ana</a></ol>"));
    assert!(comment("<div id=comments><a rel=nofollow class=comment-reply-link href='?replytocom=1'>Reply</a></div>"));
    assert!(!comment("<p class=post-comments-count><a rel=nofollow href=/x>Tea</a>"));
    let partner = |tag: &str| {
        judged(&format!("{tag}Kettle</a>"), "a", |link, html| {
            is_partner_link(link, &html.resolve(link.attribute("href").unwrap()).unwrap())
        })
    };
    assert!(partner("<a href=/go/kettle rel=nofollow>"));
    assert!(partner("<a href=/recommends/kettle/>"));
    assert!(partner("<a href=/kettle rel='sponsored nofollow'>"));
    assert!(partner("<a href=/k class=thirstylink>"));
    assert!(!partner("<a href=/go rel=nofollow>"), "a page about the game");
    assert!(!partner("<a href=/golang/go/ rel=nofollow>"));
}

#[test]
fn images_that_stand_in_count_or_show_a_character_are_told() {
    let image = |body: &str, judge: fn(Element<'_>) -> bool| judged(body, "img", |image, _| judge(image));
    assert!(image("<img data-nimg=intrinsic src='data:image/gif;base64,R0lG'>", is_script_loaded));
    assert!(image("<img data-lazy-src=/a.jpg src='data:image/svg+xml,x'>", is_script_loaded));
    assert!(image("<img class=lazyload data-srcset='/a.jpg 2x'>", is_script_loaded));
    assert!(!image("<img data-nimg=1 src=/_next/image?url=a>", is_script_loaded));
    assert!(!image("<img src='data:image/gif;base64,R0lG'>", is_script_loaded));
    assert!(!image("<img data-src=/a.jpg src=/b.jpg>", is_script_loaded));
    assert!(image("<img class=emoji src=/smile.svg alt=🙂>", is_emoji));
    assert!(!image("<img class=emojis src=/all.png>", is_emoji));
    let counts = |body: &str| {
        judged(body, "img", |image, html| {
            is_counting_pixel(image, image.attribute("src").and_then(|src| html.resolve(src)).as_ref())
        })
    };
    assert!(counts("<img src='https://pixel.wp.com/b.gif?v=noscript'>"));
    assert!(counts("<img src='https://www.facebook.com/tr?id=1'>"));
    assert!(counts("<img src=/count.php width=1 height=1>"));
    assert!(!counts("<img src=/line.png width=1 height=400>"));
    assert!(!counts("<img src=https://www.facebook.com/trees.jpg>"));
}

#[test]
fn the_layout_of_rendered_amp_is_told_from_the_authors_tags() {
    let is = |body: &str, name: &str| judged(body, name, |element, _| is_amp_layout(element));
    assert!(is("<i-amphtml-sizer></i-amphtml-sizer>", "i-amphtml-sizer"));
    assert!(is("<amp-img i-amphtml-layout=responsive></amp-img>", "amp-img"));
    assert!(is("<img class='i-amphtml-fill-content'>", "img"));
    assert!(!is("<amp-img layout=responsive></amp-img>", "amp-img"));
}
