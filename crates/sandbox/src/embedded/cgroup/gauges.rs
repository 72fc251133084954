//! The files in which a cgroup counts, kept open: they are opened while a command runs, and read when everybody waits for its end.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use super::Counted;

/// The files that count.
#[derive(Debug)]
pub(super) struct Gauges {
    pub(super) cpu: Gauge,
    /// What the kernel counts processor time in.
    pub(super) tick: Duration,
    pub(super) peak_memory: Gauge,
    pub(super) oom_kills: Gauge,
}

/// One number in a file, if there is such a file.
#[derive(Debug, Default)]
pub(super) struct Gauge {
    file: Option<File>,
    key: Option<&'static str>,
}

impl Gauges {
    /// What they show now.
    pub(super) fn read(&self) -> Counted {
        let ticks = |ticks: u64| Duration::from_nanos(ticks.saturating_mul(self.tick.as_nanos() as u64));
        Counted {
            cpu: self.cpu.read().map(ticks),
            peak_memory: self.peak_memory.read(),
            oom_kills: self.oom_kills.read().unwrap_or(0),
        }
    }
}

impl Gauge {
    /// The first number in a file, or the one behind a key.
    pub(super) fn open(file: &Path, key: Option<&'static str>) -> Gauge {
        Gauge { file: File::open(file).ok(), key }
    }

    fn read(&self) -> Option<u64> {
        // The kernel gives all of it at once, and none of these files is longer.
        let mut buffer = [0; 4096];
        let length = rustix::io::pread(self.file.as_ref()?, &mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..length)?).ok()?;
        match self.key {
            None => text.trim().parse().ok(),
            Some(key) => text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_shows_what_its_file_says_by_then() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events");
        std::fs::write(&path, "low 0\noom 3\noom_kill 2\n").unwrap();
        let gauge = Gauge::open(&path, Some("oom_kill "));
        assert_eq!(gauge.read(), Some(2));
        std::fs::write(&path, "low 0\noom 3\noom_kill 14\n").unwrap();
        assert_eq!(gauge.read(), Some(14));
        assert_eq!(Gauge::open(&path, None).read(), None);
        assert_eq!(Gauge::open(&directory.path().join("absent"), None).read(), None);
    }
}
