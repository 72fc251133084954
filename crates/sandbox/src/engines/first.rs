//! The first process of every container, a program of a thousand bytes that is put into the imported root file system.
//!
//! Engines start what an image contains, and an image may contain anything, so nothing in it is relied on: no shell, no `env`, no `tar`,
//! no `sleep`. What is asked of it decides what the program is:
//!
//! - **without an argument, the container's first process.** It waits until its standard input ends, which is the connection that this
//!   process holds: when that is closed, by us or because we were killed, the first process exits and the kernel kills the rest. The
//!   kernel reaps its orphans, and nobody can look into it.
//! - **with arguments, what begins a command.** It gives the command exactly the environment that was asked for (engines add variables
//!   of their own), puts it behind the second wall, looks for the program in the places that it is told, and says by the first bytes
//!   of the standard output which process it is and, where that is so, that and why the command could not be executed. When the
//!   command ends it kills what that has left: every process of a container that is the command's own, else all descendants,
//!   which have become its own children. It says by the last bytes how the command ended, which engines do not tell exactly, and
//!   reads the standard input to its end: Podman loses output when it finds nobody there to write to.
//! - **with one argument, a killer** of everybody, or of the processes in a list.
//!
//! It is written in assembler because it must run in any image, without a library, and be there on whatever machine this crate is built
//! for: a compiler for Linux is not.

use std::ffi::{OsStr, OsString};

use super::walls::Walls;

/// Where the program is in a container.
pub(super) const PATH: &str = ".guild-first";

/// Begins the names of the variables that are a command's.
pub(super) const MARK: &str = "_guild__";

/// Begins what the program says.
pub(super) const SIGN: [u8; 8] = *b"\0guild\0\0";

/// Bytes that the program says at a time: its sign and a number.
pub(super) const SAID: usize = 16;

/// Exit code of a command that could not be executed.
pub(super) const NOT_EXECUTED: i32 = 127;

/// What the program says beside the number of an error where it is that of the directory to start in.
pub(super) const ASTRAY: u64 = 0x1_0000;

/// Bytes of code, filled up.
const CODE: usize = 1536;
/// Where the program is loaded.
const ADDRESS: u64 = 0x40_0000;
/// Bytes before the code: the file's header and that of its one segment.
const HEADERS: u64 = 64 + 56;

#[cfg(target_arch = "x86_64")]
const MACHINE: u16 = 62;
#[cfg(target_arch = "aarch64")]
const MACHINE: u16 = 183;

/// The names that engines give to processors that the program runs on.
#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURES: &[&str] = &["x86_64", "amd64"];
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURES: &[&str] = &["aarch64", "arm64"];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) const ARCHITECTURES: &[&str] = &[];

/// Whether a command is alone in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Company {
    /// It is: everybody ends with it.
    Alone,
    /// It is not: only what it started ends with it.
    Others,
}

/// Who is to be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Victims {
    /// Everybody of the command's user.
    Everybody,
    /// A command, by the process that has begun it, which then kills the rest.
    BegunBy(u64),
}

/// The arguments that make the program begin a command: where its program may be, what it is called with, and where it starts.
pub(super) fn to_run(
    company: Company,
    walls: &Walls,
    cwd: &OsStr,
    candidates: Vec<OsString>,
    argv: &[OsString],
) -> Vec<OsString> {
    let left = match company {
        Company::Alone => EVERYBODY,
        Company::Others => "/proc/thread-self/children",
    };
    let mut arguments: Vec<OsString> = vec![absolute().into(), left.into()];
    arguments.extend(walls.withheld.map(|rights| rights.to_string().into()));
    arguments.push(walls.rules.len().to_string().into());
    for (rights, path) in &walls.rules {
        arguments.extend([rights.to_string().into(), path.into()]);
    }
    arguments.extend([cwd.to_owned(), candidates.len().to_string().into()]);
    arguments.extend(candidates);
    arguments.extend_from_slice(argv);
    arguments
}

/// The arguments that make the program a killer.
pub(super) fn to_kill(victims: Victims) -> Vec<String> {
    let victims = match victims {
        Victims::Everybody => EVERYBODY.to_owned(),
        Victims::BegunBy(process) => format!("/proc/{process}/task/{process}/children"),
    };
    vec![absolute(), victims]
}

/// Anything that does not begin like a path.
const EVERYBODY: &str = "1";

fn absolute() -> String {
    format!("/{PATH}")
}

/// The number that the program said, if these are its bytes.
pub(super) fn said(bytes: &[u8]) -> Option<u64> {
    let number = bytes.strip_prefix(&SIGN)?;
    Some(u64::from_le_bytes(number.try_into().ok()?))
}

/// The program as a file that Linux executes; `None` where there is none for this processor.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn program() -> Option<Vec<u8>> {
    // SAFETY: the function is `CODE` bytes of assembler, filled up by its last line, which stay where they are and can be read.
    let code = unsafe { std::slice::from_raw_parts(code as *const u8, CODE) };
    let size = HEADERS + CODE as u64;
    let mut file = Vec::with_capacity(HEADERS as usize + CODE);
    // The file's header: 64 bits, little endian, an executable at a fixed address, one segment after this header.
    file.extend_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    file.extend(2_u16.to_le_bytes());
    file.extend(MACHINE.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    for number in [ADDRESS + HEADERS, 64, 0] {
        file.extend(number.to_le_bytes());
    }
    file.extend(0_u32.to_le_bytes());
    for number in [64_u16, 56, 1, 64, 0, 0] {
        file.extend(number.to_le_bytes());
    }
    // The segment: the whole file, loaded to be read and executed.
    for number in [1_u32, 5] {
        file.extend(number.to_le_bytes());
    }
    for number in [0, ADDRESS, ADDRESS, size, size, 0x1_0000] {
        file.extend(number.to_le_bytes());
    }
    file.extend_from_slice(code);
    Some(file)
}

/// The program as a file that Linux executes; `None` where there is none for this processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn program() -> Option<Vec<u8>> {
    None
}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
extern "C" fn code() {
    std::arch::naked_asm!("98:", include_str!("first/x86_64.s"), "99: .fill {size} - (99b - 98b), 1, 0", size = const CODE)
}

#[cfg(target_arch = "aarch64")]
#[unsafe(naked)]
extern "C" fn code() {
    std::arch::naked_asm!("98:", include_str!("first/aarch64.s"), "99: .fill {size} - (99b - 98b), 1, 0", size = const CODE)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use expect_test::{Expect, expect};

    use super::*;

    /// The program as a file of this machine. Outside of a container it kills nobody but the group that it is told.
    struct Program(tempfile::TempPath);

    impl Program {
        fn new() -> Program {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&program().unwrap()).unwrap();
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
            // Closed, since what is open for writing cannot be executed.
            Program(file.into_temp_path())
        }

        fn start(&self, arguments: &[OsString], env: &[(&str, &str)]) -> Child {
            #[expect(clippy::disallowed_methods, reason = "the program is what is tested")]
            let mut command = Command::new(&self.0);
            command.args(arguments.iter().skip(1)).env_clear().envs(env.iter().copied());
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0).spawn().unwrap()
        }

        /// The same by a process that can gain no privileges, without which there is no Landlock.
        fn start_unprivileged(&self, arguments: &[OsString]) -> Child {
            #[expect(clippy::disallowed_methods, reason = "the program is what is tested")]
            let mut command = Command::new("setpriv");
            command.arg("--no-new-privs").arg(&*self.0).args(arguments.iter().skip(1));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
        }
    }

    /// Runs a shell's script through the program, alone and with others, and shows what it says, what the script says and how it ends.
    #[track_caller]
    fn check(candidates: &[&str], cwd: &str, script: &str, expected: Expect) {
        let argv: Vec<OsString> = ["sh", "-c", script].map(Into::into).to_vec();
        let env =
            [("_guild__PATH", "/bin"), ("_guild__A", "1 2"), ("HOME", "/root"), ("_guild", "_guild__X=")];
        let run = |company| {
            let candidates = candidates.iter().map(Into::into).collect();
            let arguments = to_run(company, &Walls::default(), OsStr::new(cwd), candidates, &argv);
            let mut child = Program::new().start(&arguments, &env);
            // One that could not be executed reads nothing.
            let _ = child.stdin.take().unwrap().write_all(b"input");
            let id = u64::from(child.id());
            let output = child.wait_with_output().unwrap();
            let (opening, rest) = output.stdout.split_at(SAID);
            let (middle, ending) = rest.split_at(rest.len() - SAID);
            assert_eq!(said(opening), Some(id), "it says which process it is");
            let code = output.status.code().unwrap();
            format!("{code} {:#x} {:?}", said(ending).unwrap(), String::from_utf8_lossy(middle))
        };
        let alone = run(Company::Alone);
        assert_eq!(run(Company::Others), alone);
        expected.assert_eq(&alone);
    }

    #[test]
    fn a_command_has_its_environment_and_no_other() {
        check(
            &["/bin/sh"],
            "/",
            "tr '\\0' '\\n' < /proc/$$/environ",
            expect![[r#"0 0x0 "A=1 2\nPATH=/bin\n""#]],
        );
        check(
            &["/nope/sh", "/dev/null/sh", "/bin/sh"],
            "/usr",
            "cat; pwd; echo $A; exit 3",
            expect![[r#"3 0x300 "input/usr\n1 2\n""#]],
        );
    }

    #[test]
    fn a_signal_is_told_as_shells_tell_it() {
        check(&["/bin/sh"], "/", "kill -9 $$", expect![[r#"137 0x9 """#]]);
    }

    #[test]
    fn why_it_could_not_be_executed_is_said_by_number() {
        check(&["/nope"], "/", "", expect![[r#"127 0x7f00 "\0guild\0\0\u{2}\0\0\0\0\0\0\0""#]]);
        check(&["/etc/passwd", "/nope"], "/", "", expect![[r#"127 0x7f00 "\0guild\0\0\r\0\0\0\0\0\0\0""#]]);
        check(&["/bin/sh"], "/nope", "", expect![[r#"127 0x7f00 "\0guild\0\0\u{2}\0\u{1}\0\0\0\0\0""#]]);
        check(&[], "/", "", expect![[r#"127 0x7f00 "\0guild\0\0\u{2}\0\0\0\0\0\0\0""#]]);
    }

    #[test]
    fn the_first_process_lives_as_long_as_its_input() {
        let mut child = Program::new().start(&[OsString::new()], &[]);
        let mut input = child.stdin.take().unwrap();
        input.write_all(&[0; 1000]).unwrap();
        assert_eq!(child.try_wait().unwrap(), None);
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }

    #[test]
    fn what_a_process_has_started_is_killed_as_a_whole() {
        #[expect(clippy::disallowed_methods, reason = "somebody to be killed")]
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 1000 & sleep 1000 & echo; wait"]).stdout(Stdio::piped());
        let mut parent = shell.spawn().unwrap();
        parent.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let victims = to_kill(Victims::BegunBy(u64::from(parent.id())));
        let victims: Vec<OsString> = victims.into_iter().map(Into::into).collect();
        assert_eq!(Program::new().start(&victims, &[]).wait().unwrap().code(), Some(0));
        assert_eq!(parent.wait().unwrap().code(), Some(0), "its children are gone, and so it ends");
    }

    #[test]
    fn what_a_command_leaves_behind_ends_with_it_wherever_it_hides() {
        let script =
            "for i in 1 2 3; do (setsid sh -c 'sleep 1000 & sleep 1000 & wait' &); done; sleep 0.1; exit 5";
        let argv: Vec<OsString> = ["sh", "-c", script].map(Into::into).to_vec();
        let arguments =
            to_run(Company::Others, &Walls::default(), OsStr::new("/"), vec!["/bin/sh".into()], &argv);
        // They hold its output, which would else not end.
        let output =
            Program::new().start(&arguments, &[("_guild__PATH", "/bin:/usr/bin")]).wait_with_output();
        assert_eq!(output.unwrap().status.code(), Some(5));
    }

    #[test]
    fn the_second_wall_stands_where_there_is_landlock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap().to_owned();
        let write = 1 << 1;
        let walls = Walls { withheld: [write, 0, 0], rules: vec![(write, "/dev".to_owned())] };
        let script = format!("echo x > {path}/x || echo refused");
        let argv: Vec<OsString> = ["sh", "-c", &script].map(Into::into).to_vec();
        let arguments = to_run(Company::Alone, &walls, OsStr::new("/"), vec!["/bin/sh".into()], &argv);
        let output = Program::new().start_unprivileged(&arguments).wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout[SAID..output.stdout.len() - SAID]), "refused\n");
    }
}
