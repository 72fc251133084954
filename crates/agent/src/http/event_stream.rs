//! Server-sent events out of bytes, as far as models send them: the data of each event, bounded.

/// The longest event.
const LONGEST_EVENT: usize = 2 << 20;

/// What is wrong with a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads a stream piece by piece.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    line: Vec<u8>,
    data: String,
    ends_with_return: bool,
}

impl EventStream {
    /// The events that are complete with these bytes.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            let was_return = std::mem::replace(&mut self.ends_with_return, *byte == b'\r');
            match byte {
                // The second half of a line's end.
                b'\n' if was_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(*byte),
            }
            if self.line.len() + self.data.len() > LONGEST_EVENT {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then_some(data);
        }
        let line = String::from_utf8_lossy(&line);
        if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_whatever_the_pieces_and_the_line_ends() {
        let text =
            ": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: 1}\r\n\r\ndata:[DONE]\n\nid: 7\n\ndata: cut";
        for size in 1..text.len() {
            let mut stream = EventStream::default();
            let events: Vec<String> =
                text.as_bytes().chunks(size).flat_map(|piece| stream.read(piece).unwrap()).collect();
            assert_eq!(events, ["{\"x\":\n1}", "[DONE]"], "{size}");
        }
    }

    #[test]
    fn an_event_without_end_is_refused() {
        let mut stream = EventStream::default();
        let piece = vec![b'x'; 1 << 20];
        assert_eq!(stream.read(&piece), Ok(vec![]));
        assert_eq!(stream.read(&piece), Ok(vec![]));
        assert_eq!(stream.read(&piece), Err(TooLong));
    }
}
