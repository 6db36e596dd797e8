//! Namespaces of elements, and the names of attributes in them.

/// The namespaces that a parser makes elements in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// `http://www.w3.org/1999/xhtml`
    Html,
    /// `http://www.w3.org/2000/svg`
    Svg,
    /// `http://www.w3.org/1998/Math/MathML`
    MathMl,
}

/// The name of an attribute on its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeName<'t> {
    /// `xlink`, `xml` or `xmlns` on elements of SVG and MathML.
    pub prefix: Option<&'t str>,
    /// The rest; the whole where there is no prefix.
    pub local: &'t str,
}
