//! The index as bytes: a header, the records one by one, and a fingerprint of everything before it.
//!
//! Whether a record still counts is not asked here.

use super::Record;
use crate::fingerprint::Fingerprinter;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::SystemTime;

/// Raised whenever the shape of [`Record`] or of anything in it changes; a test holds the two together.
const FORMAT: u32 = 1;
const MAGIC: &[u8; 8] = b"guildidx";
/// No record is larger; a length beyond it is damage.
const MAX_RECORD: usize = 16 * 1024 * 1024;

/// A record under its path.
type Entry<'a> = (&'a str, &'a Record);

/// When the index was written, and its records by path; `None` where it is missing, damaged or of another format.
///
/// Records are read one by one, so that the file and what it holds are never in memory both.
pub fn load(file: &Path) -> Option<(i64, Vec<(String, Record)>)> {
    // Opening a pipe would wait for somebody to write into it.
    let file =
        fs::metadata(file).is_ok_and(|metadata| metadata.is_file()).then(|| File::open(file).ok())??;
    let written = file.metadata().ok()?.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let mut source =
        Source { file: BufReader::with_capacity(128 * 1024, file), seen: Fingerprinter::default() };
    if source.bytes::<8>()? != *MAGIC || source.number()? != FORMAT {
        return None;
    }
    let count = source.number()?;
    let mut records = Vec::new();
    let mut frame = Vec::new();
    for _ in 0..count {
        let length = usize::try_from(source.number()?).ok().filter(|length| *length <= MAX_RECORD)?;
        frame.resize(length, 0);
        source.fill(&mut frame)?;
        records.push(postcard::from_bytes(&frame).ok()?);
    }
    let Source { mut file, seen } = source;
    let mut expected = [0; 16];
    file.read_exact(&mut expected).ok()?;
    (seen.finish().to_bytes() == expected).then_some((i64::try_from(written.as_nanos()).ok()?, records))
}

/// Writes the index beside its place and moves it there.
pub fn save<'a>(file: &Path, records: impl ExactSizeIterator<Item = Entry<'a>>) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let temporary = tempfile::NamedTempFile::new_in(directory)?;
    write(BufWriter::with_capacity(128 * 1024, temporary.as_file()), records)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}

fn write<'a>(file: impl Write, records: impl ExactSizeIterator<Item = Entry<'a>>) -> io::Result<()> {
    let mut sink = Sink { file, seen: Fingerprinter::default() };
    sink.write(MAGIC)?;
    sink.write(&FORMAT.to_le_bytes())?;
    sink.write(&length(records.len())?)?;
    let mut frame = Vec::new();
    for record in records {
        frame.clear();
        frame = postcard::to_extend(&record, frame).map_err(io::Error::other)?;
        sink.write(&length(frame.len())?)?;
        sink.write(&frame)?;
    }
    let Sink { mut file, seen } = sink;
    file.write_all(&seen.finish().to_bytes())?;
    file.flush()
}

fn length(count: usize) -> io::Result<[u8; 4]> {
    u32::try_from(count).map(u32::to_le_bytes).map_err(io::Error::other)
}

struct Source<R> {
    file: R,
    seen: Fingerprinter,
}

impl<R: Read> Source<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> Option<()> {
        self.file.read_exact(bytes).ok()?;
        self.seen.add(bytes);
        Some(())
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Some(bytes)
    }

    fn number(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }
}

struct Sink<W> {
    file: W,
    seen: Fingerprinter,
}

impl<W: Write> Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.seen.add(bytes);
        self.file.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fingerprint;
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
        let bytes = postcard::to_stdvec(&("rich", &record)).unwrap();
        let (path, again): (String, Record) = postcard::from_bytes(&bytes).unwrap();
        assert_eq!((path.as_str(), &again), ("rich", &record));
        assert_eq!(
            (FORMAT, Fingerprint::of(&bytes).to_string().as_str()),
            (1, "a644b8b56070e7c5296f0758292f9c24")
        );
    }
}
