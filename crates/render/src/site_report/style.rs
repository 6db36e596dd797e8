//! The style sheet of the report of a site, which is one file.

/// The style: of this page alone.
pub(super) const STYLE: &str = "\
:root{color-scheme:light dark;background:Canvas;color:CanvasText;--line:#8885;--bar:#2563eb}\
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:60rem;overflow-wrap:anywhere}th{overflow-wrap:normal}\
h1{font-size:1.5rem;overflow-wrap:anywhere}h2{margin-top:2.5rem}\
.score{font-size:3rem;font-weight:700}svg{max-width:100%;height:auto;font-size:13px;fill:currentColor}svg rect{fill:var(--bar)}\
details{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem;margin:.5rem 0}\
summary{cursor:pointer}li,td{overflow-wrap:anywhere}:focus-visible{outline:3px solid var(--bar);outline-offset:2px}\
.tag{display:inline-block;border:1px solid var(--line);border-radius:.25rem;padding:0 .4rem;margin-right:.4rem;font-size:.85rem}\
.error{border-color:#b91c1c}.warn{border-color:#b45309}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.35rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}\
td.number,th.number{text-align:right}td.number{white-space:nowrap}\
@media screen and (max-width:40rem){thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
tr{display:grid;grid-template-columns:1fr 1fr;border-bottom:1px solid var(--line);padding:.35rem 0}td{border:0;padding:.1rem 0}\
td:first-child{grid-column:1/-1}td.number{text-align:left}td.number::before{content:attr(data-label) ': '}}\
@media print{details::details-content{content-visibility:visible;block-size:auto}details{break-inside:avoid}}";
