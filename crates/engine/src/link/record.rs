//! What was made in agents' directories, so that nothing else is ever replaced or removed. It lies with the person's own state.

use crate::cause::with_cause;
use crate::{Code, Places, Refusal};
use guild_manifest::Digest;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u32 = 1;

/// Something that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// Where it is.
    pub place: PathBuf,
    /// The skill that it shows.
    pub target: PathBuf,
    /// The name of that.
    pub name: String,
    /// The digest of the files that were copied; nothing for a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

impl Made {
    /// The word for how it was made.
    pub fn mode(&self) -> &'static str {
        if self.digest.is_some() { "copy" } else { "link" }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    made: Vec<Made>,
}

/// Everything that was made.
#[derive(Debug)]
pub struct Record {
    path: PathBuf,
    made: Vec<Made>,
}

impl Record {
    /// Reads it; where there is none nothing was made.
    pub fn open(places: &Places) -> Result<Self, Refusal> {
        let path = places.state()?.join("links.json");
        let failed =
            |why: String| Refusal::new(Code::ReadFailed, format!("cannot read {}: {why}", path.display()));
        let made = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed(error.to_string())),
            Ok(bytes) => {
                let written: Written =
                    serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
                if written.version != VERSION {
                    return Err(failed(format!("it is of version {}, which is not known", written.version)));
                }
                written.made
            }
        };
        Ok(Self { path, made })
    }

    /// What was made at a place.
    pub fn at(&self, place: &Path) -> Option<&Made> {
        self.made.iter().find(|made| made.place == place)
    }

    /// What was made in a directory.
    pub fn made_in<'a>(&'a self, directory: &'a Path) -> impl Iterator<Item = &'a Made> {
        self.made.iter().filter(move |made| made.place.parent() == Some(directory))
    }

    /// What was made of these.
    pub fn made_of(&self, targets: &[PathBuf]) -> Vec<Made> {
        self.made.iter().filter(|made| targets.contains(&made.target)).cloned().collect()
    }

    /// Notes something, before it is made.
    pub fn note(&mut self, made: Made) -> Result<(), Refusal> {
        self.made.retain(|known| known.place != made.place);
        self.made.push(made);
        self.made.sort_by(|one, other| one.place.cmp(&other.place));
        self.save()
    }

    /// Forgets something, once it is gone.
    pub fn forget(&mut self, place: &Path) -> Result<(), Refusal> {
        self.made.retain(|known| known.place != place);
        self.save()
    }

    fn save(&self) -> Result<(), Refusal> {
        let write = || -> io::Result<()> {
            let directory = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
            fs::create_dir_all(directory)?;
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            let written = Written { version: VERSION, made: self.made.clone() };
            file.write_all(&serde_json::to_vec(&written)?)?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        let failed = |error: io::Error| {
            Refusal::new(
                Code::WriteFailed,
                format!("cannot write {}: {}", self.path.display(), with_cause(&error)),
            )
        };
        write().map_err(failed)
    }
}
