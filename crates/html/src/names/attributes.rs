//! Known attribute names, and how foreign elements spell theirs.

use super::{AttributeId, Mixed, SLOTS, find, position, table};
use crate::namespace::{AttributeName, Namespace};

const ATTRIBUTES: &[&str] = &[
    // Of HTML.
    "accept",
    "accept-charset",
    "accesskey",
    "action",
    "align",
    "allow",
    "allowfullscreen",
    "alt",
    "as",
    "async",
    "autocomplete",
    "autofocus",
    "autoplay",
    "bgcolor",
    "blocking",
    "border",
    "cellpadding",
    "cellspacing",
    "charset",
    "checked",
    "cite",
    "class",
    "color",
    "cols",
    "colspan",
    "content",
    "contenteditable",
    "controls",
    "coords",
    "crossorigin",
    "data",
    "datetime",
    "decoding",
    "default",
    "defer",
    "dir",
    "disabled",
    "download",
    "draggable",
    "enctype",
    "encoding",
    "face",
    "fetchpriority",
    "for",
    "form",
    "formaction",
    "frameborder",
    "headers",
    "height",
    "hidden",
    "high",
    "href",
    "hreflang",
    "http-equiv",
    "id",
    "imagesizes",
    "imagesrcset",
    "inert",
    "inputmode",
    "integrity",
    "is",
    "itemid",
    "itemprop",
    "itemref",
    "itemscope",
    "itemtype",
    "kind",
    "label",
    "lang",
    "language",
    "list",
    "loading",
    "longdesc",
    "loop",
    "low",
    "max",
    "maxlength",
    "media",
    "method",
    "min",
    "minlength",
    "multiple",
    "muted",
    "name",
    "nomodule",
    "nonce",
    "novalidate",
    "onclick",
    "onerror",
    "onload",
    "open",
    "optimum",
    "pattern",
    "ping",
    "placeholder",
    "playsinline",
    "poster",
    "preload",
    "prefix",
    "property",
    "readonly",
    "referrerpolicy",
    "rel",
    "required",
    "resource",
    "rev",
    "reversed",
    "role",
    "rows",
    "rowspan",
    "sandbox",
    "scope",
    "scrolling",
    "selected",
    "shadowrootmode",
    "shape",
    "size",
    "sizes",
    "slot",
    "span",
    "spellcheck",
    "src",
    "srcdoc",
    "srclang",
    "srcset",
    "start",
    "step",
    "style",
    "summary",
    "tabindex",
    "target",
    "title",
    "translate",
    "type",
    "typeof",
    "usemap",
    "valign",
    "value",
    "version",
    "vocab",
    "width",
    "wrap",
    "about",
    "datatype",
    "aria-controls",
    "aria-current",
    "aria-describedby",
    "aria-expanded",
    "aria-haspopup",
    "aria-hidden",
    "aria-label",
    "aria-labelledby",
    "aria-live",
    "aria-modal",
    "aria-selected",
    "data-id",
    "data-src",
    "data-srcset",
    "data-type",
    // Of SVG.
    "clip-rule",
    "cx",
    "cy",
    "d",
    "fill",
    "fill-opacity",
    "fill-rule",
    "offset",
    "opacity",
    "points",
    "r",
    "rx",
    "ry",
    "stop-color",
    "stroke",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-width",
    "transform",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
    "focusable",
    "enable-background",
    "attributename",
    "attributetype",
    "basefrequency",
    "baseprofile",
    "calcmode",
    "clippathunits",
    "diffuseconstant",
    "edgemode",
    "filterunits",
    "glyphref",
    "gradienttransform",
    "gradientunits",
    "kernelmatrix",
    "kernelunitlength",
    "keypoints",
    "keysplines",
    "keytimes",
    "lengthadjust",
    "limitingconeangle",
    "markerheight",
    "markerunits",
    "markerwidth",
    "maskcontentunits",
    "maskunits",
    "numoctaves",
    "pathlength",
    "patterncontentunits",
    "patterntransform",
    "patternunits",
    "pointsatx",
    "pointsaty",
    "pointsatz",
    "preservealpha",
    "preserveaspectratio",
    "primitiveunits",
    "refx",
    "refy",
    "repeatcount",
    "repeatdur",
    "requiredextensions",
    "requiredfeatures",
    "specularconstant",
    "specularexponent",
    "spreadmethod",
    "startoffset",
    "stddeviation",
    "stitchtiles",
    "surfacescale",
    "systemlanguage",
    "tablevalues",
    "targetx",
    "targety",
    "textlength",
    "viewbox",
    "viewtarget",
    "xchannelselector",
    "ychannelselector",
    "zoomandpan",
    // Of MathML.
    "definitionurl",
    // With a prefix.
    "xlink:actuate",
    "xlink:arcrole",
    "xlink:href",
    "xlink:role",
    "xlink:show",
    "xlink:title",
    "xlink:type",
    "xml:lang",
    "xml:space",
    "xmlns",
    "xmlns:xlink",
];

static ATTRIBUTE_SLOTS: [u16; SLOTS] = table(ATTRIBUTES);

/// "Adjust SVG attributes" (WHATWG HTML §13.2.6.5), in the order of their lower-case forms.
const SVG_ATTRIBUTES: [&str; 58] = [
    "attributeName",
    "attributeType",
    "baseFrequency",
    "baseProfile",
    "calcMode",
    "clipPathUnits",
    "diffuseConstant",
    "edgeMode",
    "filterUnits",
    "glyphRef",
    "gradientTransform",
    "gradientUnits",
    "kernelMatrix",
    "kernelUnitLength",
    "keyPoints",
    "keySplines",
    "keyTimes",
    "lengthAdjust",
    "limitingConeAngle",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "numOctaves",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "pointsAtX",
    "pointsAtY",
    "pointsAtZ",
    "preserveAlpha",
    "preserveAspectRatio",
    "primitiveUnits",
    "refX",
    "refY",
    "repeatCount",
    "repeatDur",
    "requiredExtensions",
    "requiredFeatures",
    "specularConstant",
    "specularExponent",
    "spreadMethod",
    "startOffset",
    "stdDeviation",
    "stitchTiles",
    "surfaceScale",
    "systemLanguage",
    "tableValues",
    "targetX",
    "targetY",
    "textLength",
    "viewBox",
    "viewTarget",
    "xChannelSelector",
    "yChannelSelector",
    "zoomAndPan",
];

impl AttributeId {
    pub(crate) const COLOR: Self = Self::of("color");
    pub(crate) const DISABLED: Self = Self::of("disabled");
    pub(crate) const ENCODING: Self = Self::of("encoding");
    pub(crate) const FACE: Self = Self::of("face");
    pub(crate) const FOR: Self = Self::of("for");
    pub(crate) const MULTIPLE: Self = Self::of("multiple");
    pub(crate) const SELECTED: Self = Self::of("selected");
    pub(crate) const SHADOW_ROOT_MODE: Self = Self::of("shadowrootmode");
    pub(crate) const SIZE: Self = Self::of("size");
    pub(crate) const TYPE: Self = Self::of("type");
    const DEFINITION_URL: Self = Self::of("definitionurl");
    const FIRST_SVG: Self = Self::of("attributename");
    const LAST_SVG: Self = Self::of("zoomandpan");
    const FIRST_PREFIXED: Self = Self::of("xlink:actuate");

    const fn of(name: &str) -> Self {
        Self(position(ATTRIBUTES, name) as u16)
    }

    /// The number of a known name, in any letter case, that was hashed as it was read.
    pub(crate) fn known_mixed(name: &[u8], mixed: Mixed) -> Option<Self> {
        find(&ATTRIBUTE_SLOTS, ATTRIBUTES, name, mixed).map(Self)
    }

    /// The known name in lower case.
    pub(crate) fn text(self) -> Option<&'static str> {
        ATTRIBUTES.get(usize::from(self.0)).copied()
    }

    /// The name as an element of that namespace has it.
    pub(crate) fn on(self, namespace: Namespace) -> Option<AttributeName<'static>> {
        let text = self.text()?;
        let plain = |local| AttributeName { prefix: None, local };
        if namespace == Namespace::Html {
            return Some(plain(text));
        }
        if self.0 >= Self::FIRST_PREFIXED.0 {
            return Some(match text.split_once(':') {
                Some((prefix, local)) => AttributeName { prefix: Some(prefix), local },
                None => plain(text),
            });
        }
        if namespace == Namespace::MathMl && self == Self::DEFINITION_URL {
            return Some(plain("definitionURL"));
        }
        let svg = usize::from(self.0.wrapping_sub(Self::FIRST_SVG.0));
        let mended = (namespace == Namespace::Svg && self.0 <= Self::LAST_SVG.0).then(|| SVG_ATTRIBUTES.get(svg));
        Some(plain(mended.flatten().copied().unwrap_or(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Option<AttributeId> {
        AttributeId::known_mixed(name.as_bytes(), Mixed::of(name.as_bytes()))
    }

    #[test]
    fn the_mixed_case_names_stand_as_their_lower_case_forms_do() {
        let first = usize::from(AttributeId::FIRST_SVG.0);
        for (at, svg) in SVG_ATTRIBUTES.iter().enumerate() {
            assert_eq!(ATTRIBUTES.get(first + at).copied(), Some(svg.to_ascii_lowercase().as_str()));
        }
    }

    #[test]
    fn every_name_is_found_in_any_case() {
        for name in ATTRIBUTES {
            let id = known(&name.to_ascii_uppercase());
            assert_eq!(id.and_then(AttributeId::text), Some(*name));
        }
        assert_eq!(known("data-unknown"), None);
        assert_eq!(known(""), None);
    }
}
