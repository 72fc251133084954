//! The values of D-Bus as bytes: written one behind the other, and read with the same gaps.
//!
//! What a message is made of is not known here.

use super::{Argument, Malformed, Property};

/// Appends values, each at a multiple of its type's size.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn align(&mut self, size: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(size), 0);
    }

    pub(super) fn number(&mut self, number: u32) {
        self.align(4);
        self.bytes.extend(number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.bytes.extend(text.as_bytes());
        self.bytes.push(0);
    }

    pub(super) fn signature(&mut self, signature: &str) {
        self.bytes.push(signature.len() as u8);
        self.bytes.extend(signature.as_bytes());
        self.bytes.push(0);
    }

    /// An array of structures, whose length is known when they are written. The gap before the first does not count.
    pub(super) fn array(&mut self, write: impl FnOnce(&mut Writer)) {
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

    pub(super) fn field(&mut self, code: u8, signature: &str, write: impl FnOnce(&mut Writer)) {
        self.align(8);
        self.bytes.push(code);
        self.signature(signature);
        write(self);
    }

    pub(super) fn argument(&mut self, argument: Argument<'_>) {
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
pub(super) enum Order {
    Little,
    Big,
}

impl Order {
    pub(super) fn of(message: &[u8]) -> Result<Order, Malformed> {
        match message.first() {
            Some(b'l') => Ok(Order::Little),
            Some(b'B') => Ok(Order::Big),
            _ => Err(Malformed),
        }
    }
}

/// Takes values, as far as there are bytes.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) order: Order,
}

impl Reader<'_> {
    pub(super) fn align(&mut self, size: usize) {
        self.at = self.at.next_multiple_of(size);
    }

    fn take(&mut self, count: usize) -> Result<&[u8], Malformed> {
        let end = self.at.checked_add(count).ok_or(Malformed)?;
        let taken = self.bytes.get(self.at..end).ok_or(Malformed)?;
        self.at = end;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Malformed> {
        self.take(1)?.first().copied().ok_or(Malformed)
    }

    pub(super) fn number(&mut self) -> Result<u32, Malformed> {
        self.align(4);
        let order = self.order;
        let bytes: [u8; 4] = self.take(4)?.try_into().map_err(|_| Malformed)?;
        Ok(if order == Order::Little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    }

    pub(super) fn text(&mut self) -> Result<String, Malformed> {
        let length = self.number()? as usize;
        self.ended(length)
    }

    pub(super) fn signature(&mut self) -> Result<String, Malformed> {
        let length = self.byte()?.into();
        self.ended(length)
    }

    /// Text of a known length with a zero behind it.
    fn ended(&mut self, length: usize) -> Result<String, Malformed> {
        let text = String::from_utf8(self.take(length)?.to_vec()).map_err(|_| Malformed)?;
        if self.byte()? == 0 { Ok(text) } else { Err(Malformed) }
    }
}
