//! Messages of D-Bus as bytes: method calls out, answers and signals in.
//!
//! Only the types that asking systemd for a scope takes are known. Nothing is sent here, and whatever comes in is either understood
//! or refused; a length in it is never trusted further than the bytes that are there.

#[cfg(test)]
mod tests;
mod values;

use values::{Order, Reader, Writer};

/// The longest message that is read: answers are short, and a stranger on the bus decides what arrives.
pub(super) const LONGEST: usize = 1 << 20;
/// How many bytes of a message tell how long it is.
pub(super) const PREFIX: usize = 16;

const CALL: u8 = 1;
const PATH: u8 = 1;
const INTERFACE: u8 = 2;
const MEMBER: u8 = 3;
const ERROR_NAME: u8 = 4;
const REPLY_SERIAL: u8 = 5;
const DESTINATION: u8 = 6;
const SIGNATURE: u8 = 8;

/// A method of somebody on the bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method<'a> {
    pub(super) destination: &'a str,
    pub(super) path: &'a str,
    pub(super) interface: &'a str,
    pub(super) member: &'a str,
}

/// An argument of a method.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument<'a> {
    Text(&'a str),
    /// `a(sv)`: the properties of a unit.
    Properties(&'a [(&'a str, Property<'a>)]),
    /// `a(sa(sv))` without any: units that are made along with another.
    NoUnits,
}

/// The value of a property of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Property<'a> {
    Text(&'a str),
    Flag(bool),
    Numbers(&'a [u32]),
}

/// What kind of message came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    Return,
    Error,
    Signal,
}

/// A message that came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) kind: Kind,
    /// The number of the call that it answers.
    pub(super) answers: Option<u32>,
    /// The name of a signal.
    pub(super) member: String,
    /// The name of an error.
    pub(super) error: String,
    body: Vec<u8>,
    order: Order,
}

/// Something came in that is no message of D-Bus, or longer than any answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// A method call as bytes; `serial` is the number that its answer names.
pub(super) fn call(method: Method<'_>, serial: u32, arguments: &[Argument<'_>]) -> Vec<u8> {
    let mut body = Writer::default();
    arguments.iter().for_each(|argument| body.argument(*argument));
    let signature: String = arguments.iter().map(|argument| argument.signature()).collect();

    let mut message = Writer::default();
    message.bytes.extend([b'l', CALL, 0, 1]);
    message.number(body.bytes.len() as u32);
    message.number(serial);
    message.array(|fields| {
        fields.field(PATH, "o", |value| value.text(method.path));
        fields.field(INTERFACE, "s", |value| value.text(method.interface));
        fields.field(MEMBER, "s", |value| value.text(method.member));
        fields.field(DESTINATION, "s", |value| value.text(method.destination));
        if !signature.is_empty() {
            fields.field(SIGNATURE, "g", |value| value.signature(&signature));
        }
    });
    message.align(8);
    message.bytes.extend(body.bytes);
    message.bytes
}

/// How long a message is, from its first bytes.
pub(super) fn length(prefix: &[u8; PREFIX]) -> Result<usize, Malformed> {
    let mut reader = Reader { bytes: prefix, at: 4, order: Order::of(prefix)? };
    let (body, _serial, fields) = (reader.number()?, reader.number()?, reader.number()?);
    let total = (PREFIX as u64 + u64::from(fields)).next_multiple_of(8) + u64::from(body);
    usize::try_from(total).ok().filter(|total| *total <= LONGEST).ok_or(Malformed)
}

impl Message {
    /// Reads a message that came in whole.
    pub(super) fn read(bytes: &[u8]) -> Result<Message, Malformed> {
        let order = Order::of(bytes)?;
        let kind = match bytes.get(1) {
            Some(1) => Kind::Call,
            Some(2) => Kind::Return,
            Some(3) => Kind::Error,
            Some(4) => Kind::Signal,
            _ => return Err(Malformed),
        };
        let (answers, member, error, body) = (None, String::new(), String::new(), Vec::new());
        let mut message = Message { kind, answers, member, error, body, order };
        let mut reader = Reader { bytes, at: PREFIX - 4, order };
        let end = reader.number()? as usize + reader.at;
        while reader.at < end {
            message.field(&mut reader)?;
        }
        reader.align(8);
        message.body = bytes.get(reader.at..).ok_or(Malformed)?.to_vec();
        Ok(message)
    }

    /// The first arguments, if all of them are text.
    pub(super) fn texts<const N: usize>(&self) -> Result<[String; N], Malformed> {
        let mut reader = self.reader();
        let mut texts = [const { String::new() }; N];
        for text in &mut texts {
            *text = reader.text()?;
        }
        Ok(texts)
    }

    /// The texts behind a first argument that is a number.
    pub(super) fn texts_after_number<const N: usize>(&self) -> Result<[String; N], Malformed> {
        let mut behind = self.clone();
        behind.body.drain(..4.min(behind.body.len()));
        behind.texts()
    }

    /// The first argument, if it is a flag in an envelope that tells its type.
    pub(super) fn wrapped_flag(&self) -> Result<bool, Malformed> {
        let mut reader = self.reader();
        if reader.signature()? == "b" { Ok(reader.number()? != 0) } else { Err(Malformed) }
    }

    fn reader(&self) -> Reader<'_> {
        Reader { bytes: &self.body, at: 0, order: self.order }
    }

    fn field(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        reader.align(8);
        let code = reader.byte()?;
        match (code, reader.signature()?.as_str()) {
            (REPLY_SERIAL, "u") => self.answers = Some(reader.number()?),
            (MEMBER, "s") => self.member = reader.text()?,
            (ERROR_NAME, "s") => self.error = reader.text()?,
            (_, "s" | "o") => drop(reader.text()?),
            (_, "g") => drop(reader.signature()?),
            (_, "u") => drop(reader.number()?),
            _ => return Err(Malformed),
        }
        Ok(())
    }
}

impl Argument<'_> {
    fn signature(self) -> &'static str {
        match self {
            Argument::Text(_) => "s",
            Argument::Properties(_) => "a(sv)",
            Argument::NoUnits => "a(sa(sv))",
        }
    }
}
