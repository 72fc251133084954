//! Messages as they go out, byte by byte, and what is understood of those that come in.

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
    let arguments = [Argument::Text("guild-1-2.scope"), Argument::Properties(&properties), Argument::NoUnits];
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
