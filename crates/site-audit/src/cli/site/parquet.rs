//! Tables as Apache Parquet, for DuckDB, pandas and Polars.
//!
//! Every column may be empty. Rows are written in groups, so that memory does not grow with the table.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use render::site_report::{Cell, ColumnKind, SiteTable};

/// Rows of a group. Chosen: some megabytes of text; readers skip whole groups.
const GROUP: usize = 20_000;

/// A table that is being written.
pub(super) struct ParquetFile {
    writer: SerializedFileWriter<File>,
    columns: Vec<Column>,
    rows: usize,
    name: String,
}

/// The values of a column that are not written yet.
struct Column {
    values: Values,
    /// For each row, 1 where it has a value.
    levels: Vec<i16>,
}

enum Values {
    Text(Vec<ByteArray>),
    Whole(Vec<i64>),
    Decimal(Vec<f64>),
    Flag(Vec<bool>),
}

impl ParquetFile {
    /// Begins `NAME.parquet` in a folder.
    pub(super) fn begin(folder: &Path, table: &SiteTable) -> Result<Self> {
        let path = folder.join(format!("{}.parquet", table.name));
        let name = path.display().to_string();
        let file = File::create(&path).with_context(|| format!("{name} could not be written"))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(format!("site-audit {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema(table)?), Arc::new(properties))?;
        let columns = table.columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(Self { writer, columns, rows: 0, name })
    }

    /// Adds a row: a cell for each column.
    pub(super) fn add(&mut self, row: &[Cell<'_>]) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.add(cell);
        }
        self.rows += 1;
        if self.rows < GROUP { Ok(()) } else { self.write_group() }
    }

    /// Writes what is left, and the end of the file.
    pub(super) fn end(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.writer.close().with_context(|| format!("{} could not be written", self.name))?;
        Ok(())
    }

    fn write_group(&mut self) -> Result<()> {
        let failed = || format!("{} could not be written", self.name);
        let mut group = self.writer.next_row_group().with_context(failed)?;
        for column in &mut self.columns {
            let mut writer = group.next_column()?.with_context(failed)?;
            column.write(&mut writer).with_context(failed)?;
            writer.close().with_context(failed)?;
        }
        group.close().with_context(failed)?;
        self.rows = 0;
        Ok(())
    }
}

impl Column {
    fn new(kind: ColumnKind) -> Self {
        let values = match kind {
            ColumnKind::Text => Values::Text(Vec::new()),
            ColumnKind::Whole => Values::Whole(Vec::new()),
            ColumnKind::Decimal(_) => Values::Decimal(Vec::new()),
            ColumnKind::Flag => Values::Flag(Vec::new()),
        };
        Self { values, levels: Vec::new() }
    }

    /// A cell of another kind than the column's counts as empty: none is made.
    fn add(&mut self, cell: &Cell<'_>) {
        let before = self.values.len();
        match (&mut self.values, cell) {
            (Values::Text(values), Cell::Text(text)) => values.extend(text.as_deref().map(ByteArray::from)),
            (Values::Whole(values), Cell::Whole(number)) => values.extend(*number),
            (Values::Decimal(values), Cell::Decimal(number)) => values.extend(*number),
            (Values::Flag(values), Cell::Flag(flag)) => values.extend(*flag),
            _ => {}
        }
        self.levels.push(i16::from(self.values.len() > before));
    }

    /// Writes the values, and lets go of them.
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> parquet::errors::Result<()> {
        let levels = std::mem::take(&mut self.levels);
        let levels = Some(levels.as_slice());
        match &mut self.values {
            Values::Text(values) => {
                writer.typed::<ByteArrayType>().write_batch(&std::mem::take(values), levels, None)?
            }
            Values::Whole(values) => writer.typed::<Int64Type>().write_batch(&std::mem::take(values), levels, None)?,
            Values::Decimal(values) => {
                writer.typed::<DoubleType>().write_batch(&std::mem::take(values), levels, None)?
            }
            Values::Flag(values) => writer.typed::<BoolType>().write_batch(&std::mem::take(values), levels, None)?,
        };
        Ok(())
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Decimal(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }
}

fn schema(table: &SiteTable) -> Result<Type> {
    let field = |(name, kind): &(&str, ColumnKind)| {
        let (physical, logical) = match kind {
            ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Whole => (PhysicalType::INT64, None),
            ColumnKind::Decimal(_) => (PhysicalType::DOUBLE, None),
            ColumnKind::Flag => (PhysicalType::BOOLEAN, None),
        };
        let column = Type::primitive_type_builder(name, physical);
        column.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = table.columns.iter().map(field).collect::<parquet::errors::Result<Vec<_>>>()?;
    Ok(Type::group_type_builder(table.name).with_fields(fields).build()?)
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use render::site_report::TEMPLATES;

    use super::*;

    #[test]
    fn a_table_is_read_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = ParquetFile::begin(folder.path(), &TEMPLATES).unwrap();
        let rows = GROUP + 1;
        for number in 0..rows {
            let name = format!("/produção/{number}/…");
            let score = (number % 2 == 0).then(|| i64::try_from(number % 100).unwrap());
            let cells = [
                Cell::Text(Some(Cow::Borrowed(&name))),
                Cell::Text(None),
                Cell::Whole(Some(3)),
                Cell::Whole(score),
                Cell::Decimal(Some(0.5)),
            ];
            file.add(&cells).unwrap();
        }
        file.end().unwrap();
        let reader = SerializedFileReader::new(File::open(folder.path().join("templates.parquet")).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let read: Vec<String> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(read.len(), rows);
        assert_eq!(read[7], r#"{template: "/produção/7/…", example: null, pages: 3, score: null, gain: 0.5}"#);
        assert!(read[GROUP].contains("score: 0"));
    }
}
