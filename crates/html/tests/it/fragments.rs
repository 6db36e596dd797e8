//! Pieces of markup of every class that the tree builder tells apart, for sources made of random joins of them.

use proptest::prelude::*;
use proptest::sample::select;

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    // The document's own elements.
    "<!DOCTYPE html>", "<!doctype HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" 'x'>", "<!DOCTYPE>", "<!DOCTYPE a SYSTEM 'b' c>",
    "<html>", "<html lang=pt a=1>", "</html>", "<head>", "</head>", "<body>", "<body class=x b=2>", "</body>",
    "<frameset>", "</frameset>", "<frame>", "<noframes>", "</noframes>",
    // Metadata and raw text.
    "<meta charset=utf-8>", "<link rel=a>", "<base href=/>", "<title>", "</title>", "<style>", "</style>", "<script>",
    "</script>", "<script><!--<script></script>-->", "<noscript>", "</noscript>", "<textarea>", "</textarea>",
    "<textarea>\n\nx", "<xmp>", "</xmp>", "<iframe>", "</iframe>", "<noembed>", "</noembed>", "<plaintext>",
    // Blocks.
    "<p>", "</p>", "<p id='a' id=b>", "<div>", "</div>", "<div CLASS=\"A &amp; b\" data-x=&lt>", "<section>",
    "</section>", "<address>", "</address>", "<center>", "<pre>", "<pre>\r\n", "</pre>", "<listing>\n", "<h1>", "</h1>",
    "<h2>", "</h2>", "<h6>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>", "<dl>", "<dt>", "<dd>", "</dd>",
    "</dl>", "<details>", "<summary>", "<dialog>", "<search>", "<form>", "<form a=1>", "</form>", "<fieldset>",
    "<button>", "</button>", "<hr>", "<br>", "</br>", "<img src=a alt>", "<image x>", "<input>", "<input type=HIDDEN>",
    "<area>", "<embed>", "<wbr>", "<source>", "<track>", "<param>", "<keygen>",
    // Formatting.
    "<a>", "<a href=x>", "</a>", "<b>", "<b a=1 c=2>", "<b c=2 a=1>", "</b>", "<i>", "</i>", "<em>", "</em>", "<font>",
    "<font size=1>", "</font>", "<nobr>", "</nobr>", "<code>", "</code>", "<u>", "</u>", "<small>", "</small>",
    "<span>", "</span>", "<unknown-1>", "</unknown-1>", "<A\u{C9}b>", "</a\u{C9}B>",
    // What bounds scopes.
    "<applet>", "</applet>", "<marquee>", "</marquee>", "<object>", "</object>",
    // Ruby.
    "<ruby>", "<rb>", "<rt>", "<rtc>", "<rp>", "</ruby>",
    // Tables.
    "<table>", "</table>", "<caption>", "</caption>", "<colgroup>", "</colgroup>", "<col>", "<tbody>", "</tbody>",
    "<thead>", "</thead>", "<tfoot>", "</tfoot>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>",
    // Lists of choices.
    "<select>", "<select multiple>", "</select>", "<option>", "<option selected>", "</option>", "<optgroup>",
    "</optgroup>", "<selectedcontent>", "</selectedcontent>", "<datalist>",
    // Templates.
    "<template>", "</template>", "<template shadowrootmode=open>", "<slot>",
    "<template for=a>", "<?marker name='a'?>", "<?start name=\"a\"?>", "<?end?>",
    // Foreign content.
    "<svg>", "<svg viewbox='0 0 1 1' xlink:href=a xmlns=b />", "</svg>", "<g>", "</g>", "<foreignObject>",
    "</foreignobject>", "<desc>", "</desc>", "<circle />", "<math>", "<math definitionurl=a>", "</math>", "<mi>", "</mi>",
    "<mglyph>", "<malignmark>", "<annotation-xml>", "<annotation-xml encoding='text/HTML'>", "</annotation-xml>",
    "<![CDATA[", "<![CDATA[x\0<b>]]>", "]]>",
    // Comments, instructions and what is none.
    "<!--", "-->", "<!-- c -->", "<!-->", "<!--->", "<!--a--!>", "<!x>", "</ x>", "</>", "<?tool a?>", "<?xml b?>",
    "<?i>", "<?",
    // Text and broken tags.
    "x", " ", "\n", "\r\n", "\r", "\t", "\x0C", "\0", "\u{FFFD}", "\u{E9}", "\u{1F9A6}", "&", "&amp;", "&notit;", "&#0;",
    "&#32;", "&#x80;", "&nbsp", "&lt", ";", "<", "</", "<a", "<b x", "<b x=", "<p '", "\"", "'", "=", "/", ">", "/>",
];

/// Sources of so many pieces.
pub(crate) fn sources(pieces: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(select(FRAGMENTS), 0..pieces).prop_map(|pieces| pieces.concat())
}
