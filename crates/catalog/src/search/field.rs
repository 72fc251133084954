//! The fields of a document, and how much a word in each of them counts.
//!
//! The figures are a choice, not a measurement: they order name, description, `when_to_use` and body.

use super::Document;

/// The part of a document that a word stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    /// What the qualified name has before the name: the plugin.
    Qualifier,
    Description,
    WhenToUse,
    Body,
}

/// The fields that describe a skill; misspellings are looked up in these alone.
pub(super) const HEAD: [Field; 4] = [Field::Name, Field::Qualifier, Field::Description, Field::WhenToUse];

impl Field {
    /// All of them, in the order in which they are counted.
    pub(super) const ALL: [Self; 5] =
        [Self::Name, Self::Qualifier, Self::Description, Self::WhenToUse, Self::Body];

    /// What a word is worth here, before its length is considered.
    pub(super) const fn weight(self) -> f64 {
        match self {
            Self::Name => 8.0,
            Self::Description => 3.0,
            Self::Qualifier | Self::WhenToUse => 2.0,
            Self::Body => 0.4,
        }
    }

    /// How much a long text dilutes its words, from not at all to wholly.
    const fn dilution(self) -> f64 {
        match self {
            Self::Name | Self::Qualifier => 0.5,
            Self::Description | Self::WhenToUse => 0.6,
            Self::Body => 0.75,
        }
    }

    /// This field's text in `document`.
    pub(super) fn text<'a>(self, document: &Document<'a>) -> &'a str {
        match self {
            Self::Name => document.name,
            Self::Qualifier => {
                document.qualified_name.strip_suffix(document.name).unwrap_or(document.qualified_name)
            }
            Self::Description => document.description,
            Self::WhenToUse => document.when_to_use,
            Self::Body => document.body,
        }
    }
}

/// A field with its average length in a collection, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    field: Field,
    average: f64,
}

impl Scale {
    /// The scale of `field` where its texts have these lengths.
    pub(super) fn new(field: Field, lengths: impl ExactSizeIterator<Item = usize>) -> Self {
        let count = lengths.len();
        let total: usize = lengths.sum();
        let average = total as f64 / count.max(1) as f64;
        Self { field, average: average.max(1.0) }
    }

    /// What one word is worth in a text of this field that has this length.
    pub(super) fn unit(self, length: usize) -> f64 {
        let dilution = self.field.dilution();
        self.field.weight() / (1.0 - dilution + dilution * length as f64 / self.average)
    }
}

/// Something for each field.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByField<T>([T; 5]);

impl<T: Copy> ByField<T> {
    /// What `make` gives for each.
    pub(super) fn new(make: impl FnMut(Field) -> T) -> Self {
        Self(Field::ALL.map(make))
    }

    /// That of one field.
    pub(super) const fn of(&self, field: Field) -> T {
        let [name, qualifier, description, when_to_use, body] = self.0;
        match field {
            Field::Name => name,
            Field::Qualifier => qualifier,
            Field::Description => description,
            Field::WhenToUse => when_to_use,
            Field::Body => body,
        }
    }
}
