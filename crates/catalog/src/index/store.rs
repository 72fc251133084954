//! The index as bytes: a header, the records one by one, and a fingerprint of everything before it.
//!
//! Whether a record still counts is not asked here.

use super::Record;
use crate::Fingerprint;
use crate::fingerprint::Fingerprinter;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::Path;
use std::time::SystemTime;

/// Raised whenever the shape of [`Record`], of anything in it or of the file changes; a test holds them together.
const FORMAT: u32 = 2;
/// What every index of this format begins with.
const HEADER: [u8; 12] = {
    let [a, b, c, d] = FORMAT.to_le_bytes();
    [b'g', b'u', b'i', b'l', b'd', b'i', b'd', b'x', a, b, c, d]
};
const FINGERPRINT_BYTES: usize = 16;

/// Records under their paths, one after the other, each behind its length.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    /// The frame that is being written.
    waiting: Vec<u8>,
}

impl Frames {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Adds a record under its path.
    pub fn add(&mut self, path: &str, record: &Record) {
        self.waiting.clear();
        // A record is plain data, so that writing it out cannot fail.
        self.waiting =
            postcard::to_extend(&(path, record), std::mem::take(&mut self.waiting)).unwrap_or_default();
        self.bytes.extend_from_slice(&length(&self.waiting));
        self.bytes.extend_from_slice(&self.waiting);
    }

    /// Path and record of each, as they were written.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (length, behind) = rest.split_first_chunk::<4>()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let (frame, behind) = behind.split_at_checked(length)?;
            rest = behind;
            Some(frame)
        })
    }
}

/// The path that a frame begins with.
pub fn path_of(frame: &[u8]) -> Option<&str> {
    postcard::take_from_bytes(frame).ok().map(|(path, _)| path)
}

/// The record in a frame.
pub fn record_of(frame: &[u8]) -> Option<Record> {
    postcard::from_bytes(frame).ok().map(|(_, record): (&str, Record)| record)
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
    is_whole.then_some((i64::try_from(begun.as_nanos()).ok()?, Frames { bytes, ..Frames::default() }))
}

/// Writes the index beside its place and moves it there, as old as the look that it is of: what changed while that went on may
/// have been seen before it changed.
pub fn save<'a>(file: &Path, begun: SystemTime, frames: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let temporary = tempfile::NamedTempFile::new_in(directory)?;
    write(temporary.as_file(), frames)?;
    temporary.as_file().set_modified(begun)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}

fn write<'a>(file: impl Write, frames: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(128 * 1024, file);
    let mut seen = Fingerprinter::default();
    file.write_all(&HEADER)?;
    for frame in frames {
        for part in [&length(frame), frame] {
            seen.add_part(part);
            file.write_all(part)?;
        }
    }
    file.write_all(&seen.finish().to_bytes())?;
    file.flush()
}

/// A frame's length as it stands before it; no skill comes near the largest.
fn length(frame: &[u8]) -> [u8; 4] {
    u32::try_from(frame.len()).unwrap_or_default().to_le_bytes()
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
        save(&file, begun, std::iter::empty()).unwrap();
        assert_eq!(load(&file).map(|(begun, _)| begun), Some(1_234_567_890));
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
            seen: crate::index::Stamp::default(),
            beside: vec![("scripts".to_owned(), crate::index::Stamp::default())],
            fingerprint: Fingerprint::default(),
            skill,
            problems: reading.problems,
        };
        let mut frames = Frames::default();
        frames.add("rich", &record);
        let frame = frames.iter().next().unwrap();
        assert_eq!((path_of(frame), record_of(frame)), (Some("rich"), Some(record)));
        assert_eq!(
            (FORMAT, Fingerprint::of(frame).to_string().as_str()),
            (2, "db195690d07f82719a460d7805acfd6a")
        );
    }
}
