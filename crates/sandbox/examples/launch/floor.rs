//! The least that a container can cost: a process in new namespaces, with the host's programs as its root.
//!
//! It has no limits, no filter of system calls, no Landlock, no `/proc`, no first process and nobody who watches it. Without walls it
//! is a bare fork and exec, by which the programs of others are started too.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, NulError};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};
use rustix::process::{Pid, WaitOptions};

/// What to execute, in the form that the kernel takes.
pub struct Program {
    _strings: Vec<CString>,
    argv: Vec<*const libc::c_char>,
    env: Vec<*const libc::c_char>,
    maps: [(&'static CStr, String); 3],
    links: Vec<(&'static CStr, CString)>,
}

/// What stands between a program and the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walls {
    /// Nothing.
    None,
    /// Namespaces, and a root that shows `/usr`.
    Namespaces,
}

/// Names in `/` that lead into `/usr`, where they do.
const LINKS: [&CStr; 5] = [c"bin", c"sbin", c"lib", c"lib32", c"lib64"];

const NAMESPACES: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS;

impl Program {
    /// A program with its arguments and whole environment.
    pub fn new(argv: &[String], env: &BTreeMap<String, String>) -> Result<Program, NulError> {
        let argv: Vec<CString> = argv.iter().map(|argument| c_string(argument)).collect::<Result<_, _>>()?;
        let env = env.iter().map(|(name, value)| c_string(&format!("{name}={value}")));
        let env: Vec<CString> = env.collect::<Result<_, _>>()?;
        let pointers = |strings: &[CString]| {
            strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let links = LINKS.into_iter().filter_map(|name| {
            let to = rustix::fs::readlink([b"/", name.to_bytes()].concat(), Vec::new()).ok()?;
            Some((name, to))
        });
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let maps = [
            (c"/proc/self/setgroups", "deny".to_owned()),
            (c"/proc/self/uid_map", format!("0 {uid} 1")),
            (c"/proc/self/gid_map", format!("0 {gid} 1")),
        ];
        let (argv_pointers, env_pointers) = (pointers(&argv), pointers(&env));
        let strings = argv.into_iter().chain(env).collect();
        Ok(Program {
            _strings: strings,
            argv: argv_pointers,
            env: env_pointers,
            maps,
            links: links.collect(),
        })
    }
}

/// Runs a program to its end with these standard streams; its exit code, or 128 and the number of the signal that ended it.
pub fn run(program: &Program, walls: Walls, streams: [BorrowedFd<'_>; 3]) -> io::Result<i32> {
    let flags = if walls == Walls::Namespaces { NAMESPACES } else { 0 };
    // SAFETY: without a stack of its own and without CLONE_VM the child goes on here, in a copy of this memory, and `become_program`
    // makes system calls only.
    let pid = match unsafe { libc::syscall(libc::SYS_clone, flags | libc::SIGCHLD, 0, 0, 0, 0) } {
        -1 => return Err(io::Error::last_os_error()),
        0 => become_program(program, walls, streams),
        pid => Pid::from_raw(pid as i32),
    };
    let ended = rustix::io::retry_on_intr(|| rustix::process::waitpid(pid, WaitOptions::empty()))?;
    let status = ended.map_or(0, |(_, status)| status.as_raw());
    Ok(if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) })
}

/// Exit codes that say at which step the floor gave way.
const NO_ROOT: i32 = 125;
const NO_STREAMS: i32 = 126;
const NO_PROGRAM: i32 = 127;

fn become_program(program: &Program, walls: Walls, streams: [BorrowedFd<'_>; 3]) -> ! {
    let exit = |code| -> ! {
        // SAFETY: `_exit` touches no memory.
        unsafe { libc::_exit(code) }
    };
    if walls == Walls::Namespaces && build_root(program).is_err() {
        exit(NO_ROOT);
    }
    for (to, from) in streams.into_iter().enumerate() {
        // SAFETY: `dup2` closes the child's copies of the standard streams, which nobody here uses.
        if unsafe { libc::dup2(from.as_raw_fd(), to as i32) } < 0 {
            exit(NO_STREAMS);
        }
    }
    let path = program.argv.first().copied().unwrap_or(std::ptr::null());
    // SAFETY: both arrays end with a null pointer and point to strings that `program` owns.
    unsafe { libc::execve(path, program.argv.as_ptr(), program.env.as_ptr()) };
    exit(NO_PROGRAM)
}

/// A root in memory with the host's `/usr`, read-only; the old one is left.
fn build_root(program: &Program) -> Result<(), Errno> {
    for (file, map) in &program.maps {
        let file = rustix::fs::open(*file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::io::write(&file, map.as_bytes())?;
    }
    let usr = open_usr()?;
    let context = rustix::mount::fsopen(c"tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_create(&context)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    let root = rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
    let from_empty = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    rustix::mount::move_mount(&root, c"", CWD, c"/", from_empty)?;
    rustix::process::fchdir(&root)?;
    rustix::fs::mkdirat(&root, c"usr", Mode::from_raw_mode(0o755))?;
    rustix::mount::move_mount(&usr, c"", &root, c"usr", from_empty)?;
    for (name, to) in &program.links {
        rustix::fs::symlinkat(to.as_c_str(), &root, *name)?;
    }
    rustix::process::pivot_root(c".", c".")?;
    rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
    rustix::process::chdir(c"/")
}

fn open_usr() -> Result<OwnedFd, Errno> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    let usr = rustix::mount::open_tree(CWD, c"/usr", flags)?;
    let read_only =
        libc::mount_attr { attr_set: libc::MOUNT_ATTR_RDONLY, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path is a C string and the structure valid for its size.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            usr.as_fd().as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const read_only,
            size_of::<libc::mount_attr>(),
        )
    };
    if done == 0 { Ok(usr) } else { Err(Errno::INVAL) }
}

fn c_string(text: &str) -> Result<CString, NulError> {
    CString::new(text)
}
