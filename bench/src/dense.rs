//! Generated pages that are dense in tags, as templates make them.

/// A page of instructions of about 50 KB, of an ordinary make.
pub(crate) fn steps() -> String {
    let mut out = String::from(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>How to bake bread at home</title>\
         <meta name=description content=\"Flour, water, salt and time: bread that works every time, step by step.\">\
         <meta name=viewport content=\"width=device-width, initial-scale=1\"><link rel=icon href=/favicon.ico>\
         </head><body><h1>How to bake bread at home</h1>",
    );
    let mut part = 0;
    while out.len() < 50_000 {
        part += 1;
        out.push_str(&format!(
            "<section class=part id=s{part}><h2>Step {part}</h2><p>Knead the dough for <b>ten</b> minutes, then let it \
             rest under a cloth. <a href=/steps/{part}>More on step {part}</a></p><ul><li>flour</li><li>water</li></ul>\
             <img src=/img/{part}.jpg alt=\"Dough\" width=320 height=200 loading=lazy></section>"
        ));
    }
    out + "</body></html>"
}

/// A page of signatures and short paragraphs, full of links, as documentation of a library is.
pub(crate) fn documentation() -> String {
    let item = |n: usize| {
        format!(
            "<section id=\"method.item{n}\" class=\"method\"><a class=\"src rightside\" href=\"../src/lib.rs.html#{n}\">Source</a>\
             <a href=\"#method.item{n}\" class=\"anchor\">§</a><h4 class=\"code-header\">pub fn <a href=\"#method.item{n}\" class=\"fn\">item{n}</a>\
             &lt;<a class=\"trait\" href=\"trait.Read.html\">Read</a>&gt;(&amp;self, at: <a class=\"primitive\" href=\"usize.html\">usize</a>) \
             -&gt; <a class=\"enum\" href=\"enum.Option.html\">Option</a>&lt;T&gt;</h4></section>\n<div class=\"docblock\"><p>Gives the \
             <code>T</code> at <em>{n}</em>, or <code>None</code>.</p>\n<ul>\n<li>first</li>\n<li><strong>second</strong></li>\n</ul></div>\n"
        )
    };
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Reference</title></head><body class=\"rustdoc\"><main>{}</main></body></html>",
        (0..400).map(item).collect::<String>()
    )
}

/// A page of product cards, as a shop's list is.
pub(crate) fn shop() -> String {
    let card = |n: usize| {
        format!(
            "<li class=\"grid__item product-card\" data-product-id=\"{n}\" data-price=\"{n}99\"><a href=\"/products/item-{n}?ref=list&amp;pos={n}\" \
             class=\"product-card__link\" aria-label=\"Item {n}\"><img class=\"product-card__image lazy\" src=\"/images/{n}.webp\" \
             srcset=\"/images/{n}.webp?w=320&amp;q=80 320w, /images/{n}.webp?w=640&amp;q=80 640w\" sizes=\"(min-width: 990px) 25vw, 50vw\" width=\"320\" \
             height=\"320\" alt=\"Item {n} &ndash; front\" loading=\"lazy\"><h3 class=\"product-card__title\">Item {n}</h3><div class=\"price\"><span \
             class=\"price__was\"><s>&euro;{n}9</s></span> <span class=\"price__now\">&euro;{n}</span></div></a><form action=\"/cart\" method=\"post\">\
             <input type=\"hidden\" name=\"id\" value=\"{n}\"><button type=\"submit\" class=\"button button--small\" disabled>Add</button></form></li>\n"
        )
    };
    format!(
        "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Shop</title></head><body><ul class=\"grid\">{}</ul></body></html>",
        (0..400).map(card).collect::<String>()
    )
}
