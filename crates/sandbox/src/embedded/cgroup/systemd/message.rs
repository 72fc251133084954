//! Messages of D-Bus as bytes: method calls out, answers and signals in.
//!
//! Only the types that asking systemd for a scope takes are known. Nothing is sent here, and whatever comes in is either understood
//! or refused; a length in it is never trusted further than the bytes that are there.

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

/// Appends values, each at a multiple of its type's size.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn align(&mut self, size: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(size), 0);
    }

    fn number(&mut self, number: u32) {
        self.align(4);
        self.bytes.extend(number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }

    fn signature(&mut self, signature: &str) {
        self.bytes.push(signature.len() as u8);
        self.bytes.extend(signature.as_bytes());
        self.bytes.push(0);
    }

    /// An array of structures, whose length is known when they are written. The gap before the first does not count.
    fn array(&mut self, write: impl FnOnce(&mut Writer)) {
        self.number(0);
        let length = self.bytes.len() - 4;
        self.align(8);
        let first = self.bytes.len();
        write(self);
        let written = (self.bytes.len() - first) as u32;
        if let Some(place) = self.bytes.get_mut(length..length + 4) {
            place.copy_from_slice(&written.to_le_bytes());
        }
    }

    fn field(&mut self, code: u8, signature: &str, write: impl FnOnce(&mut Writer)) {
        self.align(8);
        self.bytes.push(code);
        self.signature(signature);
        write(self);
    }

    fn argument(&mut self, argument: Argument<'_>) {
        match argument {
            Argument::Text(text) => self.text(text),
            Argument::Properties(properties) => self.array(|array| {
                properties.iter().for_each(|(name, value)| array.property(name, *value));
            }),
            Argument::NoUnits => self.array(|_| {}),
        }
    }

    fn property(&mut self, name: &str, value: Property<'_>) {
        self.align(8);
        self.text(name);
        match value {
            Property::Text(text) => {
                self.signature("s");
                self.text(text);
            }
            Property::Flag(flag) => {
                self.signature("b");
                self.number(flag.into());
            }
            Property::Numbers(numbers) => {
                self.signature("au");
                self.number(4 * numbers.len() as u32);
                numbers.iter().for_each(|number| self.number(*number));
            }
        }
    }
}

/// Whether the lesser byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn of(message: &[u8]) -> Result<Order, Malformed> {
        match message.first() {
            Some(b'l') => Ok(Order::Little),
            Some(b'B') => Ok(Order::Big),
            _ => Err(Malformed),
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    order: Order,
}

impl Reader<'_> {
    fn align(&mut self, size: usize) {
        self.at = self.at.next_multiple_of(size);
    }

    fn take(&mut self, count: usize) -> Result<&[u8], Malformed> {
        let end = self.at.checked_add(count).ok_or(Malformed)?;
        let taken = self.bytes.get(self.at..end).ok_or(Malformed)?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.take(1)?.first().copied().ok_or(Malformed)
    }

    fn number(&mut self) -> Result<u32, Malformed> {
        self.align(4);
        let order = self.order;
        let bytes: [u8; 4] = self.take(4)?.try_into().map_err(|_| Malformed)?;
        Ok(if order == Order::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    fn text(&mut self) -> Result<String, Malformed> {
        let length = self.number()? as usize;
        self.ended(length)
    }

    fn signature(&mut self) -> Result<String, Malformed> {
        let length = self.byte()?.into();
        self.ended(length)
    }

    /// Text of a known length with a zero behind it.
    fn ended(&mut self, length: usize) -> Result<String, Malformed> {
        let text = String::from_utf8(self.take(length)?.to_vec()).map_err(|_| Malformed)?;
        if self.byte()? == 0 { Ok(text) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    const HELLO: Method<'static> = Method {
        destination: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member: "Hello",
    };

    /// Sixteen bytes a line, numbers that are letters as letters.
    fn dump(bytes: &[u8]) -> String {
        let shown = |byte: &u8| match byte {
            b'!'..=b'~' => format!(" {}", *byte as char),
            _ => format!("{byte:02x}"),
        };
        let line = |line: &[u8]| line.iter().map(shown).collect::<Vec<_>>().join(" ") + "\n";
        bytes.chunks(16).map(line).collect()
    }

    #[track_caller]
    fn check_call(method: Method<'_>, arguments: &[Argument<'_>], expected: Expect) {
        let bytes = call(method, 7, arguments);
        let prefix: &[u8; PREFIX] = bytes.first_chunk().unwrap();
        assert_eq!(length(prefix), Ok(bytes.len()));
        expected.assert_eq(&dump(&bytes));
    }

    #[test]
    fn a_call_without_arguments_has_no_signature() {
        check_call(
            HELLO,
            &[],
            expect![[r#"
                 l 01 00 01 00 00 00 00 07 00 00 00  m 00 00 00
                01 01  o 00 15 00 00 00  /  o  r  g  /  f  r  e
                 e  d  e  s  k  t  o  p  /  D  B  u  s 00 00 00
                02 01  s 00 14 00 00 00  o  r  g  .  f  r  e  e
                 d  e  s  k  t  o  p  .  D  B  u  s 00 00 00 00
                03 01  s 00 05 00 00 00  H  e  l  l  o 00 00 00
                06 01  s 00 14 00 00 00  o  r  g  .  f  r  e  e
                 d  e  s  k  t  o  p  .  D  B  u  s 00 00 00 00
            "#]],
        );
    }

    #[test]
    fn a_scope_is_asked_for_with_its_properties() {
        let properties = [
            ("Delegate", Property::Flag(true)),
            ("PIDs", Property::Numbers(&[0])),
            ("CollectMode", Property::Text("inactive-or-failed")),
        ];
        let arguments =
            [Argument::Text("guild-1-2.scope"), Argument::Properties(&properties), Argument::NoUnits];
        let method = Method { member: "Start", path: "/", interface: "a.b", destination: "a.b" };
        check_call(
            method,
            &arguments,
            expect![[r#"
                 l 01 00 01  x 00 00 00 07 00 00 00  U 00 00 00
                01 01  o 00 01 00 00 00  / 00 00 00 00 00 00 00
                02 01  s 00 03 00 00 00  a  .  b 00 00 00 00 00
                03 01  s 00 05 00 00 00  S  t  a  r  t 00 00 00
                06 01  s 00 03 00 00 00  a  .  b 00 00 00 00 00
                08 01  g 00 0f  s  a  (  s  v  )  a  (  s  a  (
                 s  v  )  ) 00 00 00 00 0f 00 00 00  g  u  i  l
                 d  -  1  -  2  .  s  c  o  p  e 00  [ 00 00 00
                08 00 00 00  D  e  l  e  g  a  t  e 00 01  b 00
                01 00 00 00 00 00 00 00 04 00 00 00  P  I  D  s
                00 02  a  u 00 00 00 00 04 00 00 00 00 00 00 00
                0b 00 00 00  C  o  l  l  e  c  t  M  o  d  e 00
                01  s 00 00 12 00 00 00  i  n  a  c  t  i  v  e
                 -  o  r  -  f  a  i  l  e  d 00 00 00 00 00 00
            "#]],
        );
    }

    /// A message as it comes in: header fields, then what `body` writes.
    fn incoming(kind: u8, fields: impl FnOnce(&mut Writer), body: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut written = Writer::default();
        body(&mut written);
        let mut message = Writer::default();
        message.bytes.extend([b'l', kind, 1, 1]);
        message.number(written.bytes.len() as u32);
        message.number(99);
        message.array(fields);
        message.align(8);
        message.bytes.extend(written.bytes);
        message.bytes
    }

    #[test]
    fn an_answer_names_its_call() {
        let bytes = incoming(
            2,
            |fields| {
                fields.field(REPLY_SERIAL, "u", |value| value.number(3));
                fields.field(DESTINATION, "s", |value| value.text(":1.7"));
                fields.field(SIGNATURE, "g", |value| value.signature("o"));
            },
            |body| body.text("/org/freedesktop/systemd1/job/17"),
        );
        let message = Message::read(&bytes).unwrap();
        assert_eq!((message.kind, message.answers), (Kind::Return, Some(3)));
        assert_eq!(message.texts(), Ok(["/org/freedesktop/systemd1/job/17".to_owned()]));
        assert_eq!(message.texts::<2>(), Err(Malformed));
    }

    #[test]
    fn an_error_has_a_name_and_a_text() {
        let bytes = incoming(
            3,
            |fields| fields.field(ERROR_NAME, "s", |value| value.text("a.b.UnitExists")),
            |body| body.text("Unit was already loaded."),
        );
        let message = Message::read(&bytes).unwrap();
        assert_eq!((message.kind, message.error.as_str()), (Kind::Error, "a.b.UnitExists"));
        assert_eq!(message.texts(), Ok(["Unit was already loaded.".to_owned()]));
    }

    #[test]
    fn the_end_of_a_job_tells_its_path_unit_and_result() {
        let bytes = incoming(
            4,
            |fields| fields.field(MEMBER, "s", |value| value.text("JobRemoved")),
            |body| {
                body.number(17);
                ["/job/17", "guild-1-2.scope", "done"].iter().for_each(|text| body.text(text));
            },
        );
        let message = Message::read(&bytes).unwrap();
        assert_eq!((message.kind, message.member.as_str()), (Kind::Signal, "JobRemoved"));
        let texts = message.texts_after_number().unwrap();
        assert_eq!(texts, ["/job/17", "guild-1-2.scope", "done"].map(str::to_owned));
    }

    #[test]
    fn a_flag_comes_in_an_envelope() {
        let flag = |signature: &str, value| {
            let write = |body: &mut Writer| {
                body.signature(signature);
                body.number(value);
            };
            Message::read(&incoming(2, |_| {}, write)).unwrap().wrapped_flag()
        };
        assert_eq!(flag("b", 1), Ok(true));
        assert_eq!(flag("b", 0), Ok(false));
        assert_eq!(flag("u", 1), Err(Malformed));
    }

    #[test]
    fn machines_that_put_the_greater_byte_first_are_understood() {
        let mut bytes = vec![b'B', 2, 1, 1];
        for number in [8_u32, 99, 8] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend([REPLY_SERIAL, 1, b'u', 0, 0, 0, 0, 5, 0, 0, 0, 2, b'o', b'k', 0, 0]);
        assert_eq!(length(bytes.first_chunk().unwrap()), Ok(bytes.len()));
        let message = Message::read(&bytes).unwrap();
        assert_eq!((message.answers, message.texts()), (Some(5), Ok(["ok".to_owned()])));
    }

    #[test]
    fn no_prefix_of_a_message_and_no_changed_byte_causes_a_panic() {
        let bytes = call(HELLO, 1, &[Argument::Text("text")]);
        for end in 0..bytes.len() {
            let _ = Message::read(&bytes[..end]).map(|message| message.texts::<1>());
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 2, 3, 4, 0x7f, 0xff, b'l', b'B'] {
                let mut changed = bytes.clone();
                changed[at] = value;
                let _ = length(changed.first_chunk().unwrap());
                let _ = Message::read(&changed).map(|message| (message.texts::<1>(), message.wrapped_flag()));
            }
        }
    }

    #[test]
    fn a_message_longer_than_any_answer_is_refused() {
        let mut prefix = [0; PREFIX];
        prefix[0] = b'l';
        prefix[4..8].copy_from_slice(&(LONGEST as u32).to_le_bytes());
        assert_eq!(length(&prefix), Err(Malformed));
        prefix[4..8].copy_from_slice(&((LONGEST - PREFIX) as u32).to_le_bytes());
        assert_eq!(length(&prefix), Ok(LONGEST));
    }
}
