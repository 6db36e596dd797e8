//! Columns of a table of pages, as Arrow arrays of any of the usual types. Nothing is copied.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, RecordBatch};
use arrow_schema::{ArrowError, DataType};

use crate::failure::PageFault;
use crate::input::PageInput;

/// The columns of a batch that an audit reads. Others are passed over.
#[derive(Debug)]
pub(crate) struct PageColumns {
    url: ArrayRef,
    html: ArrayRef,
    status: Option<ArrayRef>,
    headers: Option<ArrayRef>,
    robots: Option<ArrayRef>,
    rows: usize,
}

impl PageColumns {
    /// The columns of a batch: `url` and `html`, with `status`, `headers` and `robots` where they are there.
    pub(crate) fn of(batch: &RecordBatch) -> Result<Self, ArrowError> {
        let missing = |name: &str| ArrowError::SchemaError(format!("the table of pages has no column {name:?}"));
        let column = |name: &'static str, fits: fn(&DataType) -> bool, wanted: &str| {
            let Some(array) = batch.column_by_name(name) else { return Ok(None) };
            let kind = array.data_type();
            if *kind != DataType::Null && !fits(kind) {
                let message = format!("the column {name:?} has the type {kind}; use {wanted}");
                return Err(ArrowError::SchemaError(message));
            }
            // Offsets and UTF-8 come from another program.
            array.to_data().validate_full()?;
            Ok(Some(array.clone()))
        };
        Ok(Self {
            url: column("url", is_text, "a string type")?.ok_or_else(|| missing("url"))?,
            html: column("html", is_bytes, "a string or binary type")?.ok_or_else(|| missing("html"))?,
            status: column("status", DataType::is_integer, "an integer type")?,
            headers: column("headers", is_headers, "map<string, string> or a list of pairs of strings")?,
            robots: column("robots", is_text, "a string type")?,
            rows: batch.num_rows(),
        })
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The text of the URL; empty where it is null.
    pub(crate) fn url(&self, row: usize) -> &str {
        text(&self.url, row).unwrap_or_default()
    }

    /// The page of a row.
    pub(crate) fn page(&self, row: usize) -> Result<PageInput<'_>, PageFault> {
        Ok(PageInput {
            url: text(&self.url, row).ok_or(PageFault::Null("url"))?,
            html: bytes(&self.html, row).ok_or(PageFault::Null("html"))?,
            status: self.status(row),
            headers: self.headers.as_ref().and_then(|headers| pairs(headers, row)),
            robots: self.robots.as_ref().and_then(|robots| text(robots, row)),
        })
    }

    /// The status of a row; `None` where it is not known.
    pub(crate) fn status(&self, row: usize) -> Option<i64> {
        let array = self.status.as_ref()?;
        match array.data_type() {
            DataType::Int8 => number::<Int8Type>(array, row),
            DataType::Int16 => number::<Int16Type>(array, row),
            DataType::Int32 => number::<Int32Type>(array, row),
            DataType::Int64 => number::<Int64Type>(array, row),
            DataType::UInt8 => number::<UInt8Type>(array, row),
            DataType::UInt16 => number::<UInt16Type>(array, row),
            DataType::UInt32 => number::<UInt32Type>(array, row),
            DataType::UInt64 => number::<UInt64Type>(array, row),
            _ => None,
        }
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_bytes(kind: &DataType) -> bool {
    is_text(kind) || matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// A list of structs of two texts: names and values, which a map is too.
fn is_headers(kind: &DataType) -> bool {
    let (DataType::Map(pair, _) | DataType::List(pair) | DataType::LargeList(pair)) = kind else { return false };
    let DataType::Struct(fields) = pair.data_type() else { return false };
    fields.len() == 2 && fields.iter().all(|field| is_text(field.data_type()))
}

fn number<T: ArrowPrimitiveType>(array: &ArrayRef, row: usize) -> Option<i64>
where
    T::Native: TryInto<i64>,
{
    // A number that does not fit is no status either.
    array.is_valid(row).then(|| array.as_primitive::<T>().value(row).try_into().unwrap_or(i64::MAX))
}

fn text(array: &dyn Array, row: usize) -> Option<&str> {
    if !array.is_valid(row) {
        return None;
    }
    match array.data_type() {
        DataType::Utf8 => Some(array.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(array.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(array.as_string_view().value(row)),
        _ => None,
    }
}

fn bytes(array: &dyn Array, row: usize) -> Option<&[u8]> {
    if !array.is_valid(row) {
        return None;
    }
    match array.data_type() {
        DataType::Binary => Some(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => Some(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => Some(array.as_binary_view().value(row)),
        _ => text(array, row).map(str::as_bytes),
    }
}

/// The headers of a row; `None` where they are null. A null value is empty, a null name is no header.
fn pairs(array: &ArrayRef, row: usize) -> Option<Vec<(String, String)>> {
    if !array.is_valid(row) {
        return None;
    }
    let entries = match array.data_type() {
        DataType::Map(..) => array.as_map().value(row),
        DataType::List(_) => array.as_list::<i32>().value(row).as_struct().clone(),
        DataType::LargeList(_) => array.as_list::<i64>().value(row).as_struct().clone(),
        _ => return None,
    };
    let [names, values] = entries.columns() else { return None };
    let pair = |at| Some((text(names, at)?.to_owned(), text(values, at).unwrap_or_default().to_owned()));
    Some((0..entries.len()).filter_map(pair).collect())
}
