//! What a commit holds, listed and then read all at once.

use super::BOUNDS;
use super::call::{Git, succeeded};
use super::error::GitError;
use crate::landing::{Landing, LandingError, Unsafe, WholeFile, refused};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

/// One file or link of a commit. Submodules are none: what they hold is in another repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub path: String,
    pub id: String,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Executable,
    Link,
}

impl Kind {
    /// What git's mode stands for; nothing where it is no file and no link.
    pub fn of(mode: &str) -> Option<Self> {
        match mode {
            "100755" => Some(Self::Executable),
            "120000" => Some(Self::Link),
            mode => mode.starts_with("100").then_some(Self::Plain),
        }
    }
}

impl Object {
    /// Lets it land with its content.
    pub fn land(&self, content: &mut dyn Read, landing: &mut Landing) -> Result<(), LandingError> {
        if self.kind != Kind::Link {
            return landing.file(&self.path, self.kind == Kind::Executable, content).map(drop);
        }
        let mut target = String::new();
        if content.read_to_string(&mut target).is_ok() {
            landing.link(&self.path, &target)?;
        }
        Ok(())
    }
}

impl Git<'_> {
    /// Lists a commit, or a directory in it.
    pub async fn list(
        &self,
        repository: &Path,
        commit: &str,
        path: Option<&str>,
    ) -> Result<Vec<Object>, GitError> {
        let tree = format!("{commit}:{}", path.unwrap_or_default());
        let arguments = ["ls-tree", "-r", "-z", "--long", "--full-tree", "--end-of-options", &tree];
        let answer = self.run(repository, &arguments).await?;
        if answer.code != 0 && path.is_some() {
            let path = path.unwrap_or_default().to_owned();
            return Err(GitError::NoPath { url: self.url.to_owned(), path });
        }
        Ok(parse(&succeeded(answer, self)?.stdout)?)
    }
}

/// Reads what `ls-tree -z --long` prints: `MODE TYPE ID SIZE<TAB>PATH`.
fn parse(listing: &[u8]) -> Result<Vec<Object>, LandingError> {
    let mut objects = Vec::new();
    let mut bytes = 0_u64;
    for record in listing.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
        // Whatever is no text cannot be installed, and may well lie beside what is.
        let Ok(record) = std::str::from_utf8(record) else { continue };
        let Some((head, path)) = record.split_once('\t') else { continue };
        let mut words = head.split_whitespace();
        let (Some(mode), Some(_), Some(id)) = (words.next(), words.next(), words.next()) else { continue };
        let Some(kind) = Kind::of(mode) else { continue };
        let size = words.next().and_then(|size| size.parse().ok()).unwrap_or(0);
        bytes = bytes.saturating_add(size);
        if bytes > BOUNDS.bytes || objects.len() as u64 >= BOUNDS.names {
            return Err(refused(path, Unsafe::Bomb));
        }
        objects.push(Object { path: path.to_owned(), id: id.to_owned(), kind });
    }
    Ok(objects)
}

/// Lets objects land whose contents are here.
pub fn land_all(objects: &[(Object, Vec<u8>)], landing: &mut Landing) -> Result<(), LandingError> {
    let mut files = Vec::new();
    let mut links = Vec::new();
    for (object, bytes) in objects {
        match object.kind {
            Kind::Link => links.push((object, bytes)),
            kind => files.push(WholeFile { path: &object.path, executable: kind == Kind::Executable, bytes }),
        }
    }
    landing.files(&files)?;
    links.into_iter().try_for_each(|(object, target)| object.land(&mut target.as_slice(), landing))
}

/// Reads objects and lets them land.
pub async fn land(
    git: &Git<'_>,
    repository: &Path,
    objects: &[Object],
    landing: &mut Landing,
) -> Result<(), GitError> {
    let place = repository.join("contents");
    let write = |source| GitError::Write { path: place.clone(), source };
    let file = File::create(&place).map_err(write)?;
    let asked: String = objects.iter().map(|object| format!("{}\n", object.id)).collect();
    let answer =
        git.call(repository, &["cat-file", "--batch", "--buffer"], asked.into_bytes(), Some(file)).await?;
    succeeded(answer, git)?;
    let mut contents = BufReader::new(File::open(&place).map_err(write)?);
    for object in objects {
        read(&mut contents, object, landing)?;
    }
    Ok(())
}

/// Reads one object as `cat-file --batch` writes it: `ID TYPE SIZE`, the content, and a line's end.
fn read(contents: &mut BufReader<File>, object: &Object, landing: &mut Landing) -> Result<(), LandingError> {
    let broken = || LandingError::Broken(format!("git does not give `{}`", object.id));
    let mut head = String::new();
    contents.read_line(&mut head).map_err(|_| broken())?;
    let size: u64 =
        head.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok()).ok_or_else(broken)?;
    if !head.starts_with(&object.id) {
        return Err(broken());
    }
    let mut content = contents.by_ref().take(size);
    object.land(&mut content, landing)?;
    std::io::copy(&mut content, &mut std::io::sink()).map_err(|_| broken())?;
    contents.read_exact(&mut [0]).map_err(|_| broken())
}
