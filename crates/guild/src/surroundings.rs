//! The surroundings as this process sees them: the one place where the environment is read.
//!
//! It judges nothing of what it reads.

#![expect(
    clippy::disallowed_methods,
    reason = "this is where the environment is read and made into arguments"
)]

use guild_engine::catalog::Machine;
use guild_engine::containers::Surroundings;
use guild_engine::manifest::config::{Layer, MAX_BYTES};
use guild_engine::{ConfigFile, Places};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, fs};

/// Whether colour is unwanted: `NO_COLOR` is set, or the terminal cannot show any.
pub fn refuses_colour() -> bool {
    env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) || is_dumb()
}

/// Whether the terminal can neither show colour nor write over a line.
pub fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|terminal| terminal == "dumb")
}

/// The machine, seen from `directory` or from where the process was started.
pub fn machine(directory: Option<&Path>) -> io::Result<Machine> {
    let directory = match directory {
        // Where the process was started may be gone by now, and a whole path does not ask.
        Some(path) if path.is_absolute() => path.canonicalize()?,
        Some(path) => env::current_dir()?.join(path).canonicalize()?,
        None => env::current_dir()?,
    };
    if !directory.is_dir() {
        return Err(io::Error::other("it is no directory"));
    }
    let variables: BTreeMap<String, String> =
        env::vars_os().filter_map(|(key, value)| variable(key, value)).collect();
    let path = |name: &str| variables.get(name).filter(|value| value.starts_with('/')).map(PathBuf::from);
    let home = path("HOME");
    let cache = path("XDG_CACHE_HOME").or_else(|| home.as_ref().map(|home| home.join(".cache")));
    Ok(Machine {
        directory,
        config_home: path("XDG_CONFIG_HOME"),
        cache: cache.map(|cache| cache.join("guild")),
        now: Some(now()),
        etc: path("GUILD_ETC"),
        os: env::consts::OS.to_owned(),
        home,
        env: variables,
        ..Machine::default()
    })
}

/// A variable as text. Of the directories that `PATH` lists, one that is none does not take the others along.
fn variable(key: OsString, value: OsString) -> Option<(String, String)> {
    let key = key.into_string().ok()?;
    let value = match value.into_string() {
        Ok(value) => value,
        Err(value) if key == "PATH" => {
            let readable = env::split_paths(&value).filter(|directory| directory.to_str().is_some());
            env::join_paths(readable).ok()?.into_string().ok()?
        }
        Err(_) => return None,
    };
    Some((key, value))
}

/// The same machine at another look.
pub fn again(machine: &Machine) -> Machine {
    Machine { now: Some(now()), ..machine.clone() }
}

/// Where Guildhall keeps its own things.
pub fn places(machine: &Machine) -> Places {
    Places::of(machine)
}

/// This program, for whoever is to start it again.
pub fn program() -> PathBuf {
    env::current_exe().unwrap_or_else(|_| PathBuf::from("guild"))
}

/// The moment.
pub fn now() -> SystemTime {
    SystemTime::now()
}

/// What container runtimes look at.
pub fn of_containers(machine: &Machine) -> Surroundings {
    let text = |name: &str| machine.env.get(name).cloned();
    let path = |name: &str| text(name).filter(|value| value.starts_with('/')).map(PathBuf::from);
    Surroundings {
        home: machine.home.clone(),
        runtime_dir: path("XDG_RUNTIME_DIR"),
        docker_host: text("DOCKER_HOST"),
        docker_context: text("DOCKER_CONTEXT"),
        docker_config: path("DOCKER_CONFIG"),
        docker_tls_verify: text("DOCKER_TLS_VERIFY"),
        container_host: text("CONTAINER_HOST"),
        files: machine.cache.as_ref().map(|cache| cache.join("engines")),
    }
}

/// The configuration files that are there, from the machine's to the project's.
pub fn config_files(machine: &Machine) -> Vec<ConfigFile> {
    let places = machine.config_places().into_iter();
    places.filter_map(|(layer, files)| read_any(layer, &files)).collect()
}

/// The first of these files; one that is there but cannot be read is told, because what it forbids would be lost.
fn read_any(layer: Layer, files: &[PathBuf]) -> Option<ConfigFile> {
    files.iter().find_map(|path| match read(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        content => {
            let content = content.map_err(|error| error.to_string());
            Some(ConfigFile { layer, path: path.to_string_lossy().into_owned(), content })
        }
    })
}

/// The bytes of a regular file, one more than the reader takes at the most: a project's file may be anything, a pipe
/// that never ends included.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
