//! One run of the machine under QEMU: its console on our output, a limit on its time, and what it reported.
//!
//! It knows nothing of what runs inside beyond the lines that mark the start and the end.

use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::guest::Tally;
use super::text;
use crate::process;

/// The line by which the machine shows that its kernel runs begins like this.
const UP: &str = "guild-vm: Linux ";
/// How long a kernel may take to show that it runs, where hardware helps. What does not run by then never will.
const BOOT_LIMIT: Duration = Duration::from_secs(30);
/// Quiet but for the worst, no cgroups of the first kind, and an end instead of a wait when it panics.
const COMMAND_LINE: &str = "console=ttyS0 loglevel=2 panic=-1 cgroup_no_v1=all systemd.show_status=false";

/// What is booted.
pub struct Machine {
    pub kernel: PathBuf,
    pub initramfs: PathBuf,
    pub disk: Option<PathBuf>,
    pub limit: Duration,
    /// How many passes it makes, and says how each has ended.
    pub passes: usize,
}

/// What a machine said before it ended.
pub struct Report {
    accelerator: &'static str,
    up: Option<Duration>,
    total: Duration,
    /// How many passes have not ended yet.
    awaited: usize,
    tally: Tally,
    in_time: bool,
}

impl Machine {
    /// Boots, shows the console until the machine stops, and reports; with `emulate` it does not try hardware.
    pub fn run(&self, emulate: bool) -> Result<Report, String> {
        if !emulate && hardware_helps() {
            let report = self.boot("kvm", BOOT_LIMIT)?;
            if report.up.is_some() {
                return Ok(report);
            }
            println!("==> no sign of life with /dev/kvm; emulation instead");
        }
        self.boot("tcg", self.limit)
    }

    fn boot(&self, accelerator: &'static str, boot_limit: Duration) -> Result<Report, String> {
        let start = Instant::now();
        let arguments = self.arguments(accelerator)?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut qemu = process::command(Path::new("/"), "qemu-system-x86_64", &arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start QEMU: {error}"))?;
        let mut report = Report::new(accelerator, self.passes);
        if let Some(console) = qemu.stdout.take() {
            report.follow(&lines_of(console), start, [boot_limit, self.limit]);
        }
        stop(&mut qemu)?;
        report.total = start.elapsed();
        Ok(report)
    }

    fn arguments(&self, accelerator: &str) -> Result<Vec<String>, String> {
        let mut arguments: Vec<String> = [
            "-nodefaults",
            "-no-user-config",
            "-no-reboot",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-m",
            "2048",
            "-smp",
            "2",
            "-cpu",
            "max",
            "-append",
            COMMAND_LINE,
            "-virtfs",
            "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.extend(["-machine".to_owned(), format!("q35,accel={accelerator}")]);
        arguments.extend(["-kernel".to_owned(), text(&self.kernel)?.to_owned()]);
        arguments.extend(["-initrd".to_owned(), text(&self.initramfs)?.to_owned()]);
        if let Some(disk) = &self.disk {
            let file = text(disk)?.replace(',', ",,");
            arguments.extend(["-drive".to_owned(), format!("if=virtio,format=raw,readonly=on,file={file}")]);
        }
        Ok(arguments)
    }
}

impl Report {
    fn new(accelerator: &'static str, passes: usize) -> Self {
        let (up, total) = (None, Duration::ZERO);
        Self { accelerator, up, total, awaited: passes, tally: Tally::default(), in_time: false }
    }

    /// Whether the machine came to its end, and every test passed.
    pub fn verdict(&self) -> Result<(), String> {
        match self.awaited {
            _ if !self.in_time => Err("the machine took too long and was stopped".to_owned()),
            0 => self.tally.verdict(),
            _ => Err("the machine stopped without a result".to_owned()),
        }
    }

    fn follow(&mut self, console: &Receiver<String>, start: Instant, [boot_limit, limit]: [Duration; 2]) {
        loop {
            let limit = if self.up.is_some() { limit } else { boot_limit };
            match console.recv_timeout(limit.saturating_sub(start.elapsed())) {
                Ok(line) => {
                    println!("{line}");
                    if line.starts_with(UP) {
                        self.up = Some(start.elapsed());
                    }
                    if let Some(tally) = Tally::read(&line) {
                        self.tally.add(&tally);
                        self.awaited = self.awaited.saturating_sub(1);
                    }
                }
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => {
                    self.in_time = true;
                    return;
                }
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.total.as_secs_f64();
        write!(f, "the machine ran {seconds:.1} s ({})", self.accelerator)?;
        if let Some(up) = self.up {
            write!(f, ", its kernel was up after {:.1} s", up.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Whether `/dev/kvm` may be used and the processor can do what it needs: some hosts have the one without the other.
fn hardware_helps() -> bool {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let able = processor.split_whitespace().any(|flag| matches!(flag, "vmx" | "svm"));
    able && fs::File::options().read(true).write(true).open("/dev/kvm").is_ok()
}

/// The lines of a console as they come, made harmless: tests print what they like.
fn lines_of(console: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(console).split(b'\n').map_while(Result::ok) {
            if sender.send(harmless(&line)).is_err() {
                return;
            }
        }
    });
    receiver
}

fn harmless(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let escaped = |char: char| match char {
        '\t' => "\t".to_owned(),
        _ if char.is_control() => char.escape_default().to_string(),
        _ => char.to_string(),
    };
    text.trim_end_matches('\r').chars().map(escaped).collect()
}

fn stop(qemu: &mut Child) -> Result<(), String> {
    // It has ended by itself already, unless it took too long.
    let failed = |error| format!("cannot stop QEMU: {error}");
    if qemu.try_wait().map_err(failed)?.is_none() {
        qemu.kill().map_err(failed)?;
    }
    qemu.wait().map(drop).map_err(failed)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(console: &'static str, expect: &Expect) {
        let mut report = Report::new("tcg", 2);
        report.follow(&lines_of(console.as_bytes()), Instant::now(), [Duration::from_secs(60); 2]);
        expect.assert_eq(&format!("{:?}, up: {}", report.verdict(), report.up.is_some()));
    }

    #[test]
    fn a_machine_that_reports_only_passed_tests_is_a_success() {
        check(
            "guild-vm: Linux 6.1 is up\r\nguild-vm: ended with 3 passed, 0 failed\r\n\
             guild-vm: ended with 0 passed, 0 failed\r\n",
            &expect!["Ok(()), up: true"],
        );
    }

    #[test]
    fn a_failed_test_is_a_failure_and_so_is_no_test_at_all() {
        check(
            "guild-vm: ended with 3 passed, 1 failed\nguild-vm: ended with 3 passed, 0 failed\n",
            &expect![[r#"Err("failed tests: 1"), up: false"#]],
        );
        check(
            "guild-vm: ended with 0 passed, 0 failed\nguild-vm: ended with 0 passed, 0 failed\n",
            &expect![[r#"Err("no test ran"), up: false"#]],
        );
    }

    #[test]
    fn a_machine_without_a_result_is_a_failure() {
        check(
            "guild-vm: Linux 6.1 is up\nKernel panic\n",
            &expect![[r#"Err("the machine stopped without a result"), up: true"#]],
        );
    }

    #[test]
    fn a_machine_that_stops_before_the_last_pass_is_a_failure() {
        check(
            "guild-vm: Linux 6.1 is up\nguild-vm: ended with 3 passed, 0 failed\n",
            &expect![[r#"Err("the machine stopped without a result"), up: true"#]],
        );
    }

    #[test]
    fn a_silent_machine_is_stopped_when_its_time_is_over() {
        let (_kept, silent) = channel();
        let mut report = Report::new("tcg", 2);
        report.follow(&silent, Instant::now(), [Duration::ZERO; 2]);
        expect!["the machine took too long and was stopped"].assert_eq(&report.verdict().unwrap_err());
    }

    #[test]
    fn escapes_on_the_console_do_not_reach_the_terminal() {
        expect![[r#"\u{1b}[2Jred	blue �"#]].assert_eq(&harmless(b"\x1b[2Jred\tblue \xff\r"));
    }
}
