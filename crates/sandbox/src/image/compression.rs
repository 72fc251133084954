//! Archives as they come, compressed or not: told by their first bytes, read through, and stopped when they unpack to too much.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::error::Refusal;
use super::limits::Limits;

/// Memory that a decompressor may ask for, in KiB: as much as the widest window of usual settings needs.
const XZ_MEMORY_KIB: u32 = 256 << 10;

const BUFFER: usize = 64 << 10;

/// How an archive is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// By gzip.
    Gzip,
    /// By Zstandard.
    Zstd,
    /// By xz.
    Xz,
}

/// The plain bytes of an archive.
pub struct Plain<'a> {
    inner: Box<dyn Read + 'a>,
    /// How it was compressed.
    pub compression: Compression,
    consumed: Rc<Cell<u64>>,
    produced: u64,
    limits: Limits,
}

struct Counting<R> {
    inner: R,
    count: Rc<Cell<u64>>,
}

/// Several Zstandard frames one after another, as the format allows.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    within: bool,
}

/// Reads plain bytes out of what may be compressed.
pub fn decompress<'a>(source: impl Read + 'a, limits: Limits) -> io::Result<Plain<'a>> {
    let consumed = Rc::new(Cell::new(0));
    let counting = Counting { inner: source, count: Rc::clone(&consumed) };
    let mut source = BufReader::with_capacity(BUFFER, counting);
    let compression = Compression::of(first_bytes(&mut source)?);
    let inner: Box<dyn Read + 'a> = match compression {
        Compression::None => Box::new(source),
        Compression::Gzip => Box::new(MultiGzDecoder::new(source)),
        Compression::Zstd => Box::new(Frames { source, decoder: FrameDecoder::new(), within: false }),
        Compression::Xz => Box::new(XzReader::new_mem_limit(source, true, XZ_MEMORY_KIB)),
    };
    Ok(Plain { inner, compression, consumed, produced: 0, limits })
}

impl Compression {
    fn of(bytes: &[u8]) -> Compression {
        match bytes {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }
}

/// What the reader's first read gives; files and pipes alike give more than the longest mark.
fn first_bytes<R: Read>(source: &mut BufReader<R>) -> io::Result<&[u8]> {
    source.fill_buf()
}

impl Read for Plain<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.produced += count as u64;
        let limit = self.limits.stream();
        if self.produced > limit {
            return Err(Refusal::TooLarge { what: "bytes", limit: self.limits.bytes }.into());
        }
        let allowed = self.consumed.get().saturating_mul(self.limits.ratio);
        if self.produced > self.limits.ratio_free && self.produced > allowed {
            return Err(Refusal::Bomb { limit: self.limits.ratio }.into());
        }
        Ok(count)
    }
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count.set(self.count.get() + count as u64);
        Ok(count)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.within {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.within = self.begin()?;
            } else if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let blocks = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, blocks).map_err(damaged)?;
            } else {
                match self.decoder.read(buffer)? {
                    0 => self.end()?,
                    count => return Ok(count),
                }
            }
        }
    }
}

impl<R: BufRead> Frames<R> {
    /// Begins the next frame, or skips one that holds no data.
    fn begin(&mut self) -> io::Result<bool> {
        match self.decoder.init(&mut self.source) {
            Ok(()) => Ok(true),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = u64::from(length);
                match io::copy(&mut (&mut self.source).take(length), &mut io::sink())? {
                    skipped if skipped < length => Err(io::ErrorKind::UnexpectedEof.into()),
                    _ => Ok(false),
                }
            }
            Err(error) => Err(damaged(error)),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.within = false;
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(said), Some(found)) if said != found => Err(damaged("the checksum is wrong")),
            _ => Ok(()),
        }
    }
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    const TEXT: &[u8] = b"some text, some text, some text";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn xz(bytes: &[u8]) -> Vec<u8> {
        let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
        writer.finish().unwrap()
    }

    fn read(bytes: &[u8], limits: Limits) -> Result<(Compression, Vec<u8>), String> {
        let mut plain = decompress(bytes, limits).map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        plain.read_to_end(&mut out).map_err(|error| error.to_string())?;
        Ok((plain.compression, out))
    }

    #[test]
    fn the_first_bytes_tell_the_compression() {
        let limits = Limits::default();
        let twice = [TEXT, TEXT].concat();
        assert_eq!(read(TEXT, limits), Ok((Compression::None, TEXT.to_vec())));
        for (kind, compress) in [
            (Compression::Gzip, gzip as fn(&[u8]) -> Vec<u8>),
            (Compression::Zstd, zstd),
            (Compression::Xz, xz),
        ] {
            let once = compress(TEXT);
            assert_eq!(read(&once, limits), Ok((kind, TEXT.to_vec())));
            assert_eq!(read(&[&once[..], &once[..]].concat(), limits), Ok((kind, twice.clone())), "{kind:?}");
            assert!(read(&once[..once.len() - 2], limits).is_err(), "{kind:?} cut short");
        }
    }

    #[test]
    fn frames_without_data_are_skipped() {
        let skipped = [&[0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let frames = [&skipped, &zstd(TEXT)[..], &skipped].concat();
        assert_eq!(read(&frames, Limits::default()), Ok((Compression::Zstd, TEXT.to_vec())));
        assert!(read(&frames[..frames.len() - 1], Limits::default()).is_err());
    }

    #[test]
    fn what_unpacks_to_too_much_is_stopped() {
        let zeros = vec![0; 1 << 20];
        let limits = Limits { ratio: 10, ratio_free: 1 << 16, ..Limits::default() };
        for bytes in [gzip(&zeros), zstd(&zeros), xz(&zeros)] {
            assert_eq!(read(&bytes, limits), Err("more than 10 times its size".to_owned()));
        }
        assert_eq!(read(&zeros, limits).map(|(kind, _)| kind), Ok(Compression::None));
    }

    #[test]
    fn a_window_that_would_need_much_memory_is_refused() {
        // A frame header that declares a window of 2 GiB.
        let header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3];
        assert!(read(&header, Limits::default()).unwrap_err().contains("indow"));
    }
}
