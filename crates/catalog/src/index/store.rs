//! The index as bytes: a header, the records one by one, and a fingerprint of everything before it.
//!
//! Whether a record still counts is not asked here.

use super::{Record, Stamp, listing};
use crate::Fingerprint;
use crate::directory::Name;
use crate::fingerprint::Fingerprinter;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::Path;
use std::time::SystemTime;

/// Raised whenever the shape of [`Record`], of anything in it or of the file changes; a test holds them together.
const FORMAT: u32 = 5;
/// What every index of this format and release begins with: another release may read the same files otherwise.
const HEADER: [u8; 16] = {
    let [a, b, c, d] = FORMAT.to_le_bytes();
    let [e, f, g, h] = release(env!("CARGO_PKG_VERSION").as_bytes()).to_le_bytes();
    [b'g', b'u', b'i', b'l', b'd', b'i', b'd', b'x', a, b, c, d, e, f, g, h]
};

/// A number for a release's name (FNV-1a).
const fn release(name: &[u8]) -> u32 {
    match name {
        [] => 0x811c_9dc5,
        [before @ .., last] => (release(before) ^ *last as u32).wrapping_mul(0x0100_0193),
    }
}
const FINGERPRINT_BYTES: usize = 16;
/// From this size on, what is fresh goes into another piece.
const PIECE: usize = 256 * 1024;

/// Records under their paths, one after the other, as they stand in the file.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
}

/// Records that are not in the file yet, in pieces: one that grew would be copied each time that it doubles.
#[derive(Debug, Default)]
pub struct Fresh {
    pieces: Vec<Frames>,
}

/// A record under its path. In the file each part stands behind its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The path.
    pub path: &'a str,
    /// What the record hangs on, behind its length, and then the record as postcard writes it; not read yet.
    content: &'a [u8],
}

impl Fresh {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The piece that the next record goes into.
    fn piece(&mut self) -> Option<&mut Frames> {
        if self.pieces.last().is_none_or(|last| last.bytes.len() >= PIECE) {
            self.pieces.push(Frames::default());
        }
        self.pieces.last_mut()
    }

    /// Adds a record under its path.
    pub fn add(&mut self, path: &str, record: &Record) {
        let file = if record.flat { "" } else { record.file.as_ref() };
        let beside = record.beside.iter().map(|(path, stamp)| (path.as_str(), *stamp));
        let stamps = std::iter::once((file, record.seen)).chain(beside);
        // A record is plain data, so that writing it out cannot fail.
        let put = |bytes: Vec<u8>| postcard::to_extend(record, bytes).unwrap_or_default();
        if let Some(piece) = self.piece() {
            piece.add(path, stamps, put);
        }
    }

    /// Adds the names of a directory, which was seen as this.
    pub fn add_listing(&mut self, path: &str, seen: Stamp, names: &[Name]) {
        if let Some(listed) = listing::write(names) {
            let put = |mut bytes: Vec<u8>| {
                bytes.extend_from_slice(&listed);
                bytes
            };
            if let Some(piece) = self.piece() {
                piece.add(&listing::key(path), std::iter::once(("", seen)), put);
            }
        }
    }
}

impl Frames {
    /// Adds what `put` puts under a path, behind the stamps of what it hangs on.
    fn add<'s>(
        &mut self,
        path: &str,
        stamps: impl Iterator<Item = (&'s str, Stamp)>,
        put: impl FnOnce(Vec<u8>) -> Vec<u8>,
    ) {
        self.part(|frames| frames.bytes.extend_from_slice(path.as_bytes()));
        self.part(|frames| {
            frames.part(|frames| {
                for (path, stamp) in stamps {
                    frames.part(|frames| frames.bytes.extend_from_slice(path.as_bytes()));
                    frames.bytes.extend_from_slice(&stamp.to_bytes());
                }
            });
            frames.bytes = put(std::mem::take(&mut frames.bytes));
        });
    }

    /// Adds what `put` puts at the end, behind its length.
    fn part(&mut self, put: impl FnOnce(&mut Self)) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&length(0));
        let start = self.bytes.len();
        put(self);
        let written = length(self.bytes.len().saturating_sub(start));
        if let Some(unknown) = self.bytes.get_mut(before..).and_then(<[u8]>::first_chunk_mut) {
            *unknown = written;
        }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Frame<'_>> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (path, behind) = split(rest)?;
            let (content, behind) = split(behind)?;
            rest = behind;
            Some(Frame { path: std::str::from_utf8(path).ok()?, content })
        })
    }
}

impl<'a> Frame<'a> {
    /// Reads the record; what it hangs on is not in it.
    pub fn read(self) -> Option<Record> {
        let (_, record) = split(self.content)?;
        postcard::from_bytes(record).ok()
    }

    /// Reads the names of a directory.
    pub fn read_listing(self) -> Option<Vec<Name>> {
        let (_, names) = split(self.content)?;
        listing::read(names)
    }

    /// Whether everything that the record hangs on is as `holds` wants it: first the skill's file, then what stands beside
    /// it. A record that hangs on nothing never is.
    pub fn hangs_on(self, mut holds: impl FnMut(&'a str, Stamp) -> bool) -> bool {
        let Some((mut rest, _)) = split(self.content).filter(|(stamps, _)| !stamps.is_empty()) else {
            return false;
        };
        while !rest.is_empty() {
            let Some((path, stamp, behind)) = split_stamp(rest) else { return false };
            if !holds(path, stamp) {
                return false;
            }
            rest = behind;
        }
        true
    }
}

fn split_stamp(bytes: &[u8]) -> Option<(&str, Stamp, &[u8])> {
    let (path, behind) = split(bytes)?;
    let (stamp, behind) = behind.split_first_chunk()?;
    Some((std::str::from_utf8(path).ok()?, Stamp::from_bytes(*stamp)?, behind))
}

/// What stands behind its length at the start of `bytes`, and the rest.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, behind) = bytes.split_first_chunk()?;
    behind.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}

/// A length as it stands before a path or a record; no skill comes near the largest.
fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or_default().to_le_bytes()
}

/// When the look began that the index is of, and its records; `None` where it is missing, damaged or of another format.
pub fn load(file: &Path) -> Option<(i64, Frames)> {
    // Opening a pipe would wait for somebody to write into it.
    let mut file =
        fs::metadata(file).is_ok_and(|metadata| metadata.is_file()).then(|| File::open(file).ok())??;
    let metadata = file.metadata().ok()?;
    let begun = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let mut start = [0; HEADER.len()];
    file.read_exact(&mut start).ok().filter(|()| start == HEADER)?;
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    let end = bytes.len().checked_sub(FINGERPRINT_BYTES)?;
    let is_whole =
        bytes.split_at_checked(end).is_some_and(|(frames, end)| Fingerprint::of(frames).to_bytes() == end);
    bytes.truncate(end);
    is_whole.then_some((i64::try_from(begun.as_nanos()).ok()?, Frames { bytes }))
}

/// Writes the index beside its place and moves it there, as old as the look that it is of: what changed while that went on may
/// have been seen before it changed.
pub fn save<'a>(
    file: &Path,
    begun: SystemTime,
    kept: impl Iterator<Item = Frame<'a>>,
    fresh: &Fresh,
) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let temporary = tempfile::NamedTempFile::new_in(directory)?;
    write(temporary.as_file(), kept, fresh)?;
    temporary.as_file().set_modified(begun)?;
    // It is not synced: what a crash leaves of it lacks its fingerprint, and is read as empty.
    temporary.persist(file)?;
    Ok(())
}

fn write<'a>(file: impl Write, kept: impl Iterator<Item = Frame<'a>>, fresh: &Fresh) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(128 * 1024, file);
    file.write_all(&HEADER)?;
    let mut seen = Fingerprinter::default();
    let mut put = |part: &[u8]| {
        seen.add_part(part);
        file.write_all(part)
    };
    for Frame { path, content } in kept {
        for part in [path.as_bytes(), content] {
            put(&length(part.len()))?;
            put(part)?;
        }
    }
    for piece in &fresh.pieces {
        put(&piece.bytes)?;
    }
    let seen = seen.finish().to_bytes();
    file.write_all(&seen)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use guild_manifest::skill::{self, Profile, Source};

    /// A skill with a value in as many fields as one file can fill.
    const RICH: &str = "---\nname: Rich Skill\ndescription: d\nwhen_to_use: w\nlicense: MIT\nargument-hint: h\n\
        arguments: a b\nallowed-tools: Read\ndisallowed-tools: Bash\nmodel: m\neffort: low\nagent: x\nbackground: no\n\
        shell: bash\nhooks: {a: [1, 2.5, true, null, t]}\npaths: '*.py'\nscript: run.sh\nsandbox_image_role: r\n\
        timeout_seconds: 5\nlimits: {memory_mb: 64, cpus: 0.5, processes: 3, output_bytes: 2048}\n\
        params: {p: {type: integer, required: true, description: q, default: 1, enum: [1, 2], items: string, minimum: 1,\n  \
        maximum: 2, pattern: x, format: path, writeOnly: true}, additional: false}\noutputs: {o: string}\n\
        capabilities: {declared_tools: ['builtin:t'], workspace: write, network: host, env: [E]}\ncommand: c\n\
        command_tool: t\nplugin: {entrypoint: e.py, source_files: [s.py], asset_files: [a.txt], profile: safe_eval}\n\
        requires_tools: [t]\nmetadata: {openclaw: {os: [linux], requires: {bins: [b], anyBins: [c], env: [E],\n  \
        config: [a.b]}, primaryEnv: E, skillKey: k, install: [{kind: brew, formula: f, label: l, bins: [b]}]}}\n\
        required_credential_files: [x/y]\n---\n!`id`\n";

    /// What changed within a tick of the clock in the midst of a look that took long was held for at rest.
    #[test]
    fn an_index_is_as_old_as_the_look_that_it_is_of() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("index");
        let begun = SystemTime::UNIX_EPOCH + std::time::Duration::from_nanos(1_234_567_890);
        save(&file, begun, std::iter::empty(), &Fresh::default()).unwrap();
        assert_eq!(load(&file).map(|(begun, _)| begun), Some(1_234_567_890));
    }

    #[test]
    fn an_index_of_another_release_is_read_as_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("index");
        save(&file, SystemTime::UNIX_EPOCH, std::iter::empty(), &Fresh::default()).unwrap();
        let mut bytes = fs::read(&file).unwrap();
        bytes[HEADER.len() - 1] ^= 1;
        fs::write(&file, &bytes).unwrap();
        assert!(load(&file).is_none());
        assert_ne!(release(b"0.1.0"), release(b"0.1.1"));
    }

    #[test]
    fn what_is_fresh_is_written_whole_in_however_many_pieces() {
        let directory = tempfile::tempdir().unwrap();
        let (file, mut fresh) = (directory.path().join("index"), Fresh::default());
        let paths: Vec<String> =
            (0..9_000).map(|number| format!("a/long/way/to/a/group/{number:06}")).collect();
        paths.iter().for_each(|path| fresh.add_listing(path, Stamp::default(), &[]));
        assert!(fresh.pieces.len() > 2, "{}", fresh.pieces.len());
        save(&file, SystemTime::UNIX_EPOCH, std::iter::empty(), &fresh).unwrap();
        let (_, frames) = load(&file).unwrap();
        let written: Vec<&str> = frames.iter().map(|frame| frame.path.trim_end_matches('/')).collect();
        assert_eq!(written, paths);
    }

    /// If this test fails, the bytes of a record changed: raise `FORMAT`, so that older indexes are not misread, and
    /// then write the new fingerprint here.
    #[test]
    fn the_format_is_raised_when_a_record_changes() {
        let reading = skill::read(&Source::new("SKILL.md", "rich", RICH.as_bytes()), Profile::Lenient);
        let skill = reading.skill.map(Box::new);
        assert!(skill.is_some(), "{:?}", reading.problems);
        let record = Record {
            file: "SKILL.md".into(),
            flat: false,
            seen: Stamp::from_bytes([1; Stamp::BYTES]).unwrap(),
            beside: vec![("scripts".to_owned(), Stamp::default())],
            fingerprint: Fingerprint::default(),
            skill,
            problems: reading.problems,
        };
        let mut fresh = Fresh::default();
        fresh.add("rich", &record);
        let piece = fresh.pieces.first().unwrap();
        let frame = piece.iter().next().unwrap();
        let mut stamps = Vec::new();
        assert!(frame.hangs_on(|path, stamp| {
            stamps.push((path.to_owned(), stamp));
            true
        }));
        assert_eq!(stamps, [("SKILL.md".to_owned(), record.seen), ("scripts".to_owned(), Stamp::default())]);
        let record = Record { seen: Stamp::default(), beside: Vec::new(), ..record };
        assert_eq!((frame.path, frame.read()), ("rich", Some(record)));
        assert_eq!(
            (FORMAT, Fingerprint::of(&piece.bytes).to_string().as_str()),
            (5, "ed4b42ba27a8769642a1229143d81a2d")
        );
    }
}
