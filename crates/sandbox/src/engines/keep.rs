//! Copies what a container left in a kept directory out of it, from the archive that the engine makes of it.
//!
//! The archive is asked for when nothing of the command runs any more, so nothing in it can be exchanged while it is read. The archive of
//! a running container is the one way out that both engines have, needs no program of the image, and is made by the engine within the
//! container's own root. Docker's has no tmpfs in it, but volumes, and a volume can be in memory; Podman's has both, but not while
//! a container is paused, and it has no volumes of a size.
//!
//! All of it is a stranger's: only regular files and directories come out, without set-id bits, each into a directory that was made here.
//! What is written is bounded by the size of the place, and so is what is read: a file without content can have any length.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use bollard::query_parameters::DownloadFromContainerOptionsBuilder;
use futures_util::StreamExt;
use tar::{Archive, Entry, EntryType};
use tokio::time::timeout;

use super::connection::Connection;
use super::pipe::{self, Reader};
use crate::outcome::{KeptFile, Told, why_left_behind};

/// How long an engine may take to hand a directory over.
const PATIENCE: Duration = Duration::from_secs(120);

/// Directories within directories beyond which nothing is kept.
const MOST_LEVELS: usize = 32;

/// Bytes of an archive besides the content: headers, long names.
const HEADERS: u64 = 64 << 20;

/// What was kept and what was not.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Files, relative to the directory.
    pub(super) kept: Vec<KeptFile>,
    /// Others, each with the reason.
    pub(super) left_behind: Vec<(PathBuf, String)>,
}

/// Copies the regular files of a container's directory, which holds at most `size` bytes, to a directory of the host, which is made if
/// it is not there.
pub(super) async fn copy_out(
    connection: &Connection,
    container: &str,
    from: &Path,
    size: u64,
    to: &Path,
) -> io::Result<Copied> {
    let options =
        DownloadFromContainerOptionsBuilder::default().path(&format!("{}/.", from.display())).build();
    let mut archive = Box::pin(connection.client.download_from_container(container, Some(options)));
    let (sender, reader) = pipe::reader();
    let to = to.to_owned();
    let unpacking = tokio::task::spawn_blocking(move || unpack(reader, size, &to));
    let sending = async move {
        while let Some(chunk) = archive.next().await {
            if sender.send(chunk.map_err(io::Error::other)).await.is_err() {
                return;
            }
        }
    };
    let slow = io::Error::new(io::ErrorKind::TimedOut, "the engine takes too long to hand it over");
    timeout(PATIENCE, sending).await.map_err(|_| slow)?;
    unpacking.await.map_err(io::Error::other)?
}

fn unpack(archive: Reader, size: u64, to: &Path) -> io::Result<Copied> {
    fs::create_dir_all(to)?;
    let mut unpacking = Unpacking {
        to: to.to_owned(),
        room: size,
        made: HashSet::from([PathBuf::new()]),
        written: HashMap::new(),
        copied: Copied::default(),
        told: Told::nothing(),
    };
    let most = size.saturating_mul(2).saturating_add(HEADERS);
    for entry in Archive::new(archive.take(most)).entries()? {
        let entry = entry.map_err(|_| io::Error::other("the archive is larger than the place, or damaged"));
        match entry {
            Ok(mut entry) => unpacking.entry(&mut entry),
            // What came before it is kept; what would have come after it cannot be read.
            Err(error) => {
                unpacking.leave(PathBuf::from("."), error.to_string());
                break;
            }
        }
    }
    let mut copied = unpacking.copied;
    copied.left_behind.extend(unpacking.told.rest());
    copied.kept.sort_by(|a, b| a.path.cmp(&b.path));
    copied.left_behind.sort();
    Ok(copied)
}

struct Unpacking {
    to: PathBuf,
    /// Bytes that may still be written.
    room: u64,
    /// Directories that were made here.
    made: HashSet<PathBuf>,
    /// Sizes of the files that were written here, which another name may be of.
    written: HashMap<PathBuf, u64>,
    copied: Copied,
    told: Told,
}

impl Unpacking {
    fn entry(&mut self, entry: &mut Entry<'_, impl Read>) {
        let place = match entry.path().map(|path| relative(&path)) {
            Ok(Some(place)) if place.as_os_str().is_empty() => return,
            Ok(Some(place)) => place,
            _ => return self.leave(PathBuf::from("."), "its path leads elsewhere".to_owned()),
        };
        if !self.told.has_room_for(&place) {
            return;
        }
        match self.copy(entry, &place) {
            Ok(Some(size)) => {
                self.written.insert(place.clone(), size);
                self.copied.kept.push(KeptFile { path: place, size });
            }
            Ok(None) => {}
            Err(error) => self.leave(place, why_left_behind(&error)),
        }
    }

    /// Copies one entry; gives the size of a file.
    fn copy(&mut self, entry: &mut Entry<'_, impl Read>, place: &Path) -> io::Result<Option<u64>> {
        let kind = entry.header().entry_type();
        let parent = place.parent().unwrap_or(Path::new(""));
        if !self.made.contains(parent) {
            let said = |above: &Path| self.copied.left_behind.iter().any(|(left, _)| left == above);
            if place.ancestors().skip(1).any(said) {
                return Ok(None);
            }
            return Err(io::Error::other("its directory is not there"));
        }
        match kind {
            EntryType::Directory if place.components().count() >= MOST_LEVELS => {
                Err(io::Error::other("too many directories within each other"))
            }
            EntryType::Directory => {
                fs::create_dir(self.to.join(place))?;
                self.made.insert(place.to_owned());
                Ok(None)
            }
            EntryType::Regular => {
                let (size, executable) = (entry.size(), entry.header().mode()? & 0o100 != 0);
                self.write(entry, place, size, executable).map(Some)
            }
            EntryType::Link => self.copy_again(entry, place).map(Some),
            other => Err(io::Error::other(format!("not a regular file but {}", describe(other)))),
        }
    }

    fn write(&mut self, from: &mut impl Read, place: &Path, size: u64, executable: bool) -> io::Result<u64> {
        self.room = self
            .room
            .checked_sub(size)
            .ok_or_else(|| io::Error::other("larger than what is left of the directory's size"))?;
        let mode = if executable { 0o755 } else { 0o644 };
        let path = self.to.join(place);
        let mut to = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
        io::copy(from, &mut to)
    }

    /// Another name of a file that came before.
    fn copy_again(&mut self, entry: &Entry<'_, impl Read>, place: &Path) -> io::Result<u64> {
        let named = entry.link_name()?.and_then(|name| relative(&name));
        let known = named.and_then(|name| self.written.get(&name).map(|size| (self.to.join(&name), *size)));
        let Some((first, size)) = known else {
            return Err(io::Error::other("another name of a file that was left behind"));
        };
        let executable = entry.header().mode()? & 0o100 != 0;
        let mut first = fs::File::open(first)?;
        self.write(&mut first, place, size, executable)
    }

    fn leave(&mut self, place: PathBuf, reason: String) {
        self.copied.left_behind.push((place, reason));
    }
}

/// The path without `.`; `None` for one that leads out of the directory. Podman's hard links begin at the root.
fn relative(path: &Path) -> Option<PathBuf> {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(clean)
}

fn describe(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Symlink => "a symbolic link",
        EntryType::Fifo => "a pipe",
        EntryType::Char | EntryType::Block => "a device",
        _ => "of an unknown kind",
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use expect_test::{Expect, expect};
    use tar::{Builder, Header};

    use super::*;

    /// Entries as `kind path [-> link]`, `f` with its path as content, and what comes of an archive of them.
    #[track_caller]
    fn check(size: u64, entries: &[&str], expected: Expect) {
        let mut builder = Builder::new(Vec::new());
        for entry in entries {
            let (kind, rest) = entry.split_once(' ').unwrap();
            let (path, link) = rest.split_once(" -> ").unwrap_or((rest, ""));
            append(&mut builder, kind, path, link);
        }
        let directory = tempfile::tempdir().unwrap();
        let outside = directory.path().join("outside");
        fs::write(&outside, "untouched").unwrap();
        let to = directory.path().join("kept");
        let (sender, reader) = pipe::reader();
        sender.try_send(Ok(builder.into_inner().unwrap().into())).unwrap();
        drop(sender);
        let copied = unpack(reader, size, &to).unwrap();
        let mut shown = String::new();
        for file in copied.kept {
            let path = to.join(&file.path);
            let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
            let content = fs::read_to_string(&path).unwrap();
            shown.push_str(&format!("{} {} {mode:o} {content:?}\n", file.path.display(), file.size));
        }
        for (path, reason) in copied.left_behind {
            shown.push_str(&format!("{}: {reason}\n", path.display()));
        }
        expected.assert_eq(&shown);
        assert_eq!(fs::read_to_string(outside).unwrap(), "untouched");
    }

    fn append(builder: &mut Builder<Vec<u8>>, kind: &str, path: &str, link: &str) {
        let mut header = Header::new_gnu();
        let content = if kind == "f" || kind == "x" { path.as_bytes() } else { b"" };
        header.set_size(content.len() as u64);
        header.set_mode(if kind == "x" { 0o6755 } else { 0o644 });
        header.set_entry_type(match kind {
            "d" => EntryType::Directory,
            "l" => EntryType::Symlink,
            "h" => EntryType::Link,
            "p" => EntryType::Fifo,
            "c" => EntryType::Char,
            _ => EntryType::Regular,
        });
        // Written as it is: the builder would refuse the paths that a hostile archive has.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.as_gnu_mut().unwrap().linkname[..link.len()].copy_from_slice(link.as_bytes());
        header.set_cksum();
        builder.append(&header, content).unwrap();
    }

    #[test]
    fn files_and_directories_come_out_without_set_id_bits() {
        check(
            100,
            &["d .", "f ./a", "d ./b", "x ./b/c"],
            expect![[r#"
            a 3 100644 "./a"
            b/c 5 100755 "./b/c"
        "#]],
        );
    }

    #[test]
    fn links_devices_and_pipes_stay_behind() {
        check(
            100,
            &["l l -> /etc/passwd", "p p", "c c", "h h -> ../outside", "h i -> absent"],
            expect![[r#"
            c: not a regular file but a device
            h: another name of a file that was left behind
            i: another name of a file that was left behind
            l: not a regular file but a symbolic link
            p: not a regular file but a pipe
        "#]],
        );
    }

    #[test]
    fn another_name_of_a_kept_file_is_a_file_of_its_own() {
        check(
            100,
            &["f ./a", "h ./b -> ./a"],
            expect![[r#"
            a 3 100644 "./a"
            b 3 100644 "./a"
        "#]],
        );
        check(
            100,
            &["f a", "h b -> a"],
            expect![[r#"
            a 1 100644 "a"
            b 1 100644 "a"
        "#]],
        );
    }

    #[test]
    fn a_path_that_leads_out_is_not_written() {
        check(
            100,
            &["f ../outside", "f /outside", "f a/../../outside", "f ok"],
            expect![[r#"
            ok 2 100644 "ok"
            .: its path leads elsewhere
            .: its path leads elsewhere
            .: its path leads elsewhere
        "#]],
        );
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        check(
            100,
            &["l d -> ..", "f d/outside", "f d"],
            expect![[r#"
                d 1 100644 "d"
                d: not a regular file but a symbolic link
            "#]],
        );
    }

    #[test]
    fn no_more_is_written_than_fits_into_the_place() {
        check(
            4,
            &["f abc", "f long", "f d"],
            expect![[r#"
                abc 3 100644 "abc"
                d 1 100644 "d"
                long: larger than what is left of the directory's size
            "#]],
        );
    }

    #[test]
    fn an_archive_that_ends_early_keeps_what_came_before() {
        let to = tempfile::tempdir().unwrap();
        let mut builder = Builder::new(Vec::new());
        append(&mut builder, "f", "a", "");
        append(&mut builder, "f", "b", "");
        let mut bytes = builder.into_inner().unwrap();
        bytes.truncate(512 + 512 + 100);
        let (sender, reader) = pipe::reader();
        sender.try_send(Ok(bytes.into())).unwrap();
        drop(sender);
        let copied = unpack(reader, 100, &to.path().join("kept")).unwrap();
        expect![[r#"Copied { kept: [KeptFile { path: "a", size: 1 }], left_behind: [(".", "the archive is larger than the place, or damaged")] }"#]].assert_eq(&format!("{copied:?}"));
    }
}
