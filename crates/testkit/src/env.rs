//! A hermetic environment for the `guild` command: its own home, project, `/etc` and `PATH`, and nothing inherited.
//!
//! Below the root lie `home/`, `project/` (where commands run), `etc/` (stands for `/etc`), `bin/` (the whole
//! `PATH`) and `tmp/`. It does not fake the clock or the network: the command has no use for either.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::terminal::{FullScreen, Terminal};
use crate::{Fixture, Output, Running};

/// The directories that every environment starts with.
const LAYOUT: &str = "//- /home/\n//- /project/\n//- /etc/\n//- /bin/\n//- /tmp/\n";

/// A temporary world with one program in it.
#[derive(Debug)]
pub struct Env {
    fixture: Fixture,
    program: PathBuf,
    variables: BTreeMap<OsString, OsString>,
}

/// One run of the program that has not happened yet.
#[derive(Debug)]
#[must_use = "nothing runs before `.output()` or `.spawn()`"]
pub struct Invocation {
    root: PathBuf,
    program: PathBuf,
    arguments: Vec<OsString>,
    variables: BTreeMap<OsString, OsString>,
    directory: PathBuf,
    stdin: Vec<u8>,
}

impl Env {
    /// Makes an empty world for `program`; a test of the command passes `env!("CARGO_BIN_EXE_guild")`.
    #[track_caller]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let fixture = Fixture::write(LAYOUT);
        let below = |name: &str| fixture.join(name).into_os_string();
        let variables = [
            ("HOME", below("home")),
            ("PATH", below("bin")),
            ("TMPDIR", below("tmp")),
            ("GUILD_ETC", below("etc")),
            ("LANG", "C.UTF-8".into()),
            // No engine of this machine's, whether it has one or not.
            ("DOCKER_HOST", "unix:///nowhere/docker.sock".into()),
            ("CONTAINER_HOST", "unix:///nowhere/podman.sock".into()),
        ];
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Self { fixture, program: program.into(), variables }
    }

    /// Sets a variable for every later run.
    #[must_use]
    pub fn with_var(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Writes the files of a fixture text; its paths begin with `/home`, `/project`, `/etc` or `/bin`.
    #[track_caller]
    pub fn write(&self, text: &str) {
        self.fixture.add(text);
    }

    /// Runs the program with `arguments` in the project directory.
    pub fn guild<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        self.invocation(arguments).output()
    }

    /// Prepares a run whose variables, directory or input differ from the usual.
    pub fn invocation<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Invocation {
        Invocation {
            root: self.root().to_owned(),
            program: self.program.clone(),
            arguments: arguments.iter().map(|argument| argument.as_ref().to_owned()).collect(),
            variables: self.variables.clone(),
            directory: self.project(),
            stdin: Vec::new(),
        }
    }

    /// The root of this world, shown as `[ROOT]` in outputs.
    pub fn root(&self) -> &Path {
        self.fixture.path()
    }

    /// The home directory.
    pub fn home(&self) -> PathBuf {
        self.join("home")
    }

    /// The project directory, where commands run.
    pub fn project(&self) -> PathBuf {
        self.join("project")
    }

    /// The place of `path` in this world; a leading slash means its root.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.fixture.join(path)
    }
}

impl Invocation {
    /// Sets a variable for this run.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Removes a variable for this run.
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.remove(name.as_ref());
        self
    }

    /// Runs in `directory`, which is taken from the project if it is relative.
    pub fn cwd(mut self, directory: impl AsRef<Path>) -> Self {
        self.directory.push(directory);
        self
    }

    /// Feeds `bytes` to standard input, which is empty otherwise.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs the program to its end.
    #[track_caller]
    pub fn output(self) -> Output {
        self.spawn().finish()
    }

    /// Starts the program and returns while it runs.
    #[track_caller]
    pub fn spawn(self) -> Running {
        let mut child = self.start();
        if let Some(mut pipe) = child.stdin.take() {
            let bytes = self.stdin;
            // A thread of its own, lest both sides wait on full pipes. The program may end without reading its
            // input, which is no error here.
            thread::spawn(move || drop(pipe.write_all(&bytes)));
        }
        Running::new(child, self.root)
    }

    /// Starts the program, with whom one talks by [`Running::say`]; what was set as its input is not given to it.
    #[track_caller]
    pub fn converse(self) -> Running {
        Running::new(self.start(), self.root)
    }

    /// Starts the program with an input and an output of the caller's own.
    #[track_caller]
    pub fn between(self, stdin: impl Into<Stdio>, stdout: impl Into<Stdio>) -> Running {
        let child = self.command().stdin(stdin).stdout(stdout).stderr(Stdio::piped()).spawn();
        Running::new(child.expect("start the program between two streams"), self.root)
    }

    /// Runs the program at a terminal, on which `text` is typed and then nothing more. Its standard error is what the terminal
    /// shows, without an echo of what is typed; standard output is none.
    #[track_caller]
    pub fn typed(self, text: &str) -> Output {
        let mut terminal = Terminal::new();
        let mut command = self.command();
        command.stdin(terminal.end()).stderr(terminal.end()).stdout(Stdio::piped());
        let child = command.spawn().expect("start the program at a terminal");
        // The command holds the program's ends of the terminal, which has to know when the program has let go of them.
        drop(command);
        terminal.run(child, text, &self.root)
    }

    /// Starts the program with a whole terminal to itself.
    #[track_caller]
    pub fn full_screen(self) -> FullScreen {
        FullScreen::new(|[stdin, stdout, stderr]| {
            let mut command = self.command();
            command.stdin(stdin).stdout(stdout).stderr(stderr);
            command.spawn().expect("start the program at a terminal")
        })
    }

    #[track_caller]
    fn start(&self) -> Child {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap_or_else(|error| panic!("start {}: {error}", self.program.display()))
    }

    fn command(&self) -> Command {
        #[expect(clippy::disallowed_methods, reason = "a test of the command has to start the command")]
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(&self.variables).current_dir(&self.directory);
        command
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(output: &Output, expect: &Expect) {
        expect.assert_eq(&output.to_string());
    }

    #[test]
    fn nothing_of_the_callers_environment_is_inherited() {
        check(
            &Env::new("/usr/bin/env").guild::<&str>(&[]),
            &expect![[r#"
                exit: 0
                --- stdout
                CONTAINER_HOST=unix:///nowhere/podman.sock
                DOCKER_HOST=unix:///nowhere/docker.sock
                GUILD_ETC=[ROOT]/etc
                HOME=[ROOT]/home
                LANG=C.UTF-8
                PATH=[ROOT]/bin
                TMPDIR=[ROOT]/tmp
                --- stderr
            "#]],
        );
    }

    #[test]
    fn a_program_at_a_terminal_reads_what_is_typed_and_then_its_end() {
        let script =
            "test -t 0 && test -t 2 && ! test -t 1 && echo seen >&2; read a; read b || echo end; echo $a >&2";
        check(
            &Env::new("/bin/sh").invocation(&["-c", script]).typed("one\n"),
            &expect![[r#"
                exit: 0
                --- stdout
                end
                --- stderr
                seen
                one
            "#]],
        );
    }

    #[test]
    fn both_streams_and_the_exit_code_are_one_text() {
        check(
            &Env::new("/bin/sh").guild(&["-c", "pwd; echo trouble >&2; printf 'a\\\\'; exit 3"]),
            &expect![[r#"
                exit: 3
                --- stdout
                [ROOT]/project
                a\
                [no final newline]
                --- stderr
                trouble
            "#]],
        );
    }

    #[test]
    fn what_the_program_wrote_is_not_tidied_up() {
        let output = Env::new("/bin/sh").guild(&["-c", "printf 'a\\r\\n\\033[1mb\\n\\n'"]);
        assert_eq!(output.to_string(), "exit: 0\n--- stdout\na\r\n\x1b[1mb\n\n--- stderr\n");
    }

    #[test]
    fn a_run_may_have_its_own_variables_directory_and_input() {
        let env = Env::new("/bin/sh").with_var("ALWAYS", "yes");
        env.write("//- /project/sub/\n");
        let script = "read line; echo \"$line $ALWAYS $ONCE ${LANG-none} $PWD\"";
        let run =
            env.invocation(&["-c", script]).env("ONCE", "here").env_remove("LANG").cwd("sub").stdin("fed\n");
        assert_eq!(run.output().stdout(), "fed yes here none [ROOT]/project/sub\n");
    }

    #[test]
    fn written_programs_are_found_on_the_path() {
        let env = Env::new("/bin/sh");
        env.write("//- /bin/tool mode:755\n#!/bin/sh\necho tool ran\n");
        assert_eq!(env.guild(&["-c", "tool"]).stdout(), "tool ran\n");
    }

    #[test]
    fn input_and_output_larger_than_a_pipe_do_not_block() {
        let bytes = vec![b'x'; 1 << 20];
        let env = Env::new("/bin/cat");
        let output = env.invocation::<&str>(&[]).stdin(bytes.clone()).output();
        assert!(output.raw_stdout() == bytes);
    }

    #[test]
    fn input_that_nobody_reads_is_no_error() {
        let env = Env::new("/bin/true");
        let output = env.invocation::<&str>(&[]).stdin(vec![b'x'; 1 << 20]).output();
        assert_eq!(output.code(), Some(0));
    }

    #[test]
    fn death_by_signal_is_named() {
        let output = Env::new("/bin/sh").guild(&["-c", "kill -9 $$"]);
        assert_eq!(output.code(), None);
        check(
            &output,
            &expect![[r#"
            exit: signal 9
            --- stdout
            --- stderr
        "#]],
        );
    }

    #[test]
    fn two_worlds_share_nothing() {
        let (one, two) = (Env::new("/bin/true"), Env::new("/bin/true"));
        one.write("//- /home/a\n");
        assert!(one.home().join("a").exists() && !two.home().join("a").exists());
    }
}
