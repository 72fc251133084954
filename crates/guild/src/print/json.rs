//! Replies as JSON: text that needs no escape is copied whole, and every unusual value is serde_json's to write.
//!
//! A list of thousands of skills is mostly such text, and looking at it letter by letter costs more than finding the
//! skills. A test holds that the bytes are those of serde_json. What a terminal would obey is not removed here.

use serde::Serialize;
use serde::ser::{
    Error as _, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use std::fmt;
use std::io::{self, Write};

/// How much waits before it is written: a system call costs more than copying this, and more memory costs more than that.
const MOST_WAITING: usize = 32 * 1024;

/// Room for what is still added when so much waits, so that the memory seldom has to grow.
const ROOM: usize = MOST_WAITING + 4 * 1024;

/// How many bytes are looked at together.
const BLOCK: usize = 16;

/// Writes a value as one line of JSON.
pub fn write_line<T: Serialize>(value: &T, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer { waiting: Vec::with_capacity(ROOM), out };
    value.serialize(&mut writer).map_err(|Failure(error)| error)?;
    writer.put(b"\n");
    writer.out.write_all(&writer.waiting)
}

struct Writer<'w> {
    waiting: Vec<u8>,
    out: &'w mut dyn Write,
}

/// Why a value could not be written.
#[derive(Debug)]
struct Failure(io::Error);

/// A list or an object whose end is still to come.
struct Open<'a, 'w> {
    writer: &'a mut Writer<'w>,
    is_empty: bool,
    end: &'static [u8],
}

impl<'w> Writer<'w> {
    fn put(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    fn leave_to_serde_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.waiting, value).map_err(|error| Failure(error.into()))
    }

    fn text(&mut self, text: &str) -> Result<(), Failure> {
        if needs_escapes(text) {
            return self.leave_to_serde_json(text);
        }
        self.waiting.reserve(text.len() + 2);
        self.put(b"\"");
        self.put(text.as_bytes());
        self.put(b"\"");
        Ok(())
    }

    fn open(&mut self, start: &[u8], end: &'static [u8]) -> Open<'_, 'w> {
        self.put(start);
        Open { writer: self, is_empty: true, end }
    }

    /// Opens the object that says which variant its one value is of.
    fn variant(&mut self, variant: &str) -> Result<(), Failure> {
        self.put(b"{");
        self.text(variant)?;
        self.put(b":");
        Ok(())
    }
}

/// Whether something in a text may not stand in JSON as it is.
fn needs_escapes(text: &str) -> bool {
    // Every byte of a block is looked at, whatever came before it: only then does the compiler look at all of them at once.
    let has_special = |block: &[u8; BLOCK]| block.iter().fold(false, |found, byte| found | is_special(*byte));
    let (blocks, rest) = text.as_bytes().as_chunks();
    match text.as_bytes().last_chunk() {
        // The last block overlaps the one before it, and spares looking at its bytes one by one.
        Some(last) => blocks.iter().any(has_special) || has_special(last),
        None => rest.iter().any(|byte| is_special(*byte)),
    }
}

const fn is_special(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

impl Open<'_, '_> {
    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.writer.put(b",");
        }
    }

    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.separate();
        value.serialize(&mut *self.writer)
    }

    /// A pair whose key is a field's name, in which nothing needs an escape.
    fn field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Failure> {
        self.writer.put(if std::mem::take(&mut self.is_empty) { b"\"" } else { b",\"" });
        self.writer.put(key.as_bytes());
        self.writer.put(b"\":");
        value.serialize(&mut *self.writer)
    }

    fn close(self) -> Result<(), Failure> {
        let Writer { waiting, out } = self.writer;
        waiting.extend_from_slice(self.end);
        if waiting.len() >= MOST_WAITING {
            out.write_all(waiting).map_err(Failure)?;
            waiting.clear();
        }
        Ok(())
    }
}

/// Methods whose values serde_json writes.
macro_rules! left_to_serde_json {
    ($($method:ident: $type:ty),+ $(,)?) => {
        $(fn $method(self, value: $type) -> Result<(), Failure> {
            self.leave_to_serde_json(&value)
        })+
    };
}

impl<'a, 'w> Serializer for &'a mut Writer<'w> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Open<'a, 'w>;
    type SerializeTuple = Open<'a, 'w>;
    type SerializeTupleStruct = Open<'a, 'w>;
    type SerializeTupleVariant = Open<'a, 'w>;
    type SerializeMap = Open<'a, 'w>;
    type SerializeStruct = Open<'a, 'w>;
    type SerializeStructVariant = Open<'a, 'w>;

    left_to_serde_json!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_bytes: &[u8],
    );

    fn serialize_bool(self, value: bool) -> Result<(), Failure> {
        self.put(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<(), Failure> {
        self.text(text)
    }

    fn serialize_none(self) -> Result<(), Failure> {
        self.put(b"null");
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Failure> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Failure> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Failure> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        self.variant(variant)?;
        value.serialize(&mut *self)?;
        self.put(b"}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a, 'w>, Failure> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'a, 'w>, Failure> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'a, 'w>, Failure> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a, 'w>, Failure> {
        self.variant(variant)?;
        Ok(self.open(b"[", b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a, 'w>, Failure> {
        Ok(self.open(b"{", b"}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'a, 'w>, Failure> {
        Ok(self.open(b"{", b"}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a, 'w>, Failure> {
        self.variant(variant)?;
        Ok(self.open(b"{", b"}}"))
    }
}

/// Lists of every sort, which JSON writes alike.
macro_rules! lists {
    ($($kind:ident: $method:ident),+ $(,)?) => {
        $(impl $kind for Open<'_, '_> {
            type Ok = ();
            type Error = Failure;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
                self.item(value)
            }

            fn end(self) -> Result<(), Failure> {
                self.close()
            }
        })+
    };
}

lists!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
);

/// Objects whose keys the compiler knows.
macro_rules! structs {
    ($($kind:ident),+ $(,)?) => {
        $(impl $kind for Open<'_, '_> {
            type Ok = ();
            type Error = Failure;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), Failure> {
                self.field(key, value)
            }

            fn end(self) -> Result<(), Failure> {
                self.close()
            }
        })+
    };
}

structs!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = Failure;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failure> {
        self.separate();
        let start = self.writer.waiting.len();
        key.serialize(&mut *self.writer)?;
        if self.writer.waiting.get(start) == Some(&b'"') {
            return Ok(());
        }
        Err(Failure::custom("a key of a reply is no text"))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        self.writer.put(b":");
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Failure> {
        self.close()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl serde::ser::Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(io::Error::other(message.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_testkit::Dice;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[track_caller]
    fn check(value: &impl Serialize) {
        let mut written = Vec::new();
        write_line(value, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string(value).unwrap() + "\n");
    }

    #[derive(Serialize)]
    enum Sort {
        Unit,
        Newtype(&'static str),
        Tuple(u8, Option<bool>),
        Struct { a: f64, b: () },
    }

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct Newtype(i64);

    #[derive(Serialize)]
    struct Tuple(char, f32);

    #[test]
    fn every_sort_of_value_is_written_as_serde_json_writes_it() {
        check(&[Sort::Unit, Sort::Newtype("n"), Sort::Tuple(1, None), Sort::Struct { a: 0.1, b: () }]);
        check(&(Unit, Newtype(-3), Tuple('"', 1e30), [0u8; 0], Some(true), f64::NAN));
        check(&BTreeMap::from([("a\n", vec![1u64, u64::MAX]), ("b", vec![])]));
        check(&json!({"a": [null, 1.5, -2, "\u{1f}", {"größe": "名前 ❤"}], "": {}, "b": []}));
    }

    #[test]
    fn every_text_is_escaped_as_serde_json_escapes_it() {
        (0..=char::MAX as u32)
            .step_by(7)
            .chain(0..300)
            .filter_map(char::from_u32)
            .for_each(|c| check(&c.to_string()));
        let pieces =
            ["a", "\"", "\\", "\n", "\u{0}", "\u{7f}", "é", "名", "\u{2028}", "abcdefghijklmnopqrstuvwxyz"];
        let mut dice = Dice::new(0x0123_4567_89ab_cdef);
        for _ in 0..2_000 {
            let text: String = (0..dice.below(40)).filter_map(|_| dice.pick(&pieces).copied()).collect();
            check(&text);
        }
    }

    #[test]
    fn what_is_larger_than_the_buffer_is_written_whole() {
        let long = "x".repeat(MOST_WAITING);
        check(&vec![("a", long.as_str(), "\n"), ("b", &long, "c"), ("d", "e", &long)]);
    }

    #[test]
    fn a_key_that_is_no_text_is_refused() {
        let error = write_line(&BTreeMap::from([(1, 2)]), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "a key of a reply is no text");
    }

    #[test]
    fn a_reader_that_left_is_told_as_such() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for count in [1, MOST_WAITING] {
            let error = write_line(&vec!["text"; count], &mut Gone).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        }
    }
}
