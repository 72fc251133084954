//! What scripts of attackers begin with: raw system calls by name, and the kernel's answers as text.

/// Functions for attackers.
const PRELUDE: &str = r#"
import ctypes, errno, os, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)

def told(number):
    return errno.errorcode.get(number, str(number))

def call(which, *arguments):
    "A raw system call: `ok`, or the name of the error."
    number = SYS[which] if isinstance(which, str) else which
    arguments = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    return 'ok' if result != -1 else told(ctypes.get_errno())

def attempt(action, *arguments):
    "`ok`, or the name of the error."
    try:
        action(*arguments)
        return 'ok'
    except OSError as error:
        return told(error.errno)

def read(path):
    with open(path, 'rb') as file:
        file.read(1)

def write(path):
    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))

def refused(action, *arguments):
    "Whether the file system or Landlock, whichever is asked first, has refused; else the answer."
    answer = attempt(action, *arguments)
    return 'refused' if answer in ['EROFS', 'EACCES'] else answer

def status(key):
    with open('/proc/self/status') as file:
        return next(line.split(':')[1].strip() for line in file if line.startswith(key + ':'))
"#;

macro_rules! numbers {
    ($($call:ident)*) => {
        &[$((stringify!($call), libc::$call)),*]
    };
}

/// System calls that attackers name, with their numbers on this processor.
const NUMBERS: &[(&str, i64)] = numbers![
    SYS_acct SYS_add_key SYS_adjtimex SYS_bpf SYS_chroot SYS_clock_adjtime SYS_clock_settime SYS_clone SYS_clone3 SYS_connect
    SYS_delete_module SYS_fanotify_init SYS_fchmod SYS_fchmodat SYS_fchmodat2 SYS_finit_module SYS_fsconfig SYS_fsmount SYS_fsopen
    SYS_fspick SYS_getpid SYS_init_module SYS_io_setup SYS_io_uring_enter SYS_io_uring_register SYS_io_uring_setup SYS_kcmp
    SYS_kexec_file_load SYS_kexec_load SYS_keyctl SYS_memfd_secret SYS_mknodat SYS_mount SYS_mount_setattr SYS_move_mount
    SYS_mq_open
    SYS_name_to_handle_at SYS_open_by_handle_at SYS_open_tree SYS_openat SYS_openat2 SYS_perf_event_open SYS_personality
    SYS_pidfd_getfd SYS_pivot_root SYS_process_vm_readv SYS_process_vm_writev SYS_ptrace SYS_quotactl SYS_reboot SYS_request_key
    SYS_setdomainname SYS_sethostname SYS_setns SYS_settimeofday SYS_shmget SYS_swapoff SYS_swapon SYS_syslog SYS_umount2 SYS_unshare
    SYS_userfaultfd SYS_vhangup
];

/// A script with what it begins with.
pub(super) fn script(body: &str) -> String {
    let numbers: Vec<String> = NUMBERS
        .iter()
        .map(|(name, number)| format!("'{}': {number}", name.strip_prefix("SYS_").unwrap_or(name)))
        .collect();
    format!("SYS = {{{}}}\n{PRELUDE}\n{}", numbers.join(", "), unindented(body))
}

/// Scripts stand indented in the tests.
fn unindented(body: &str) -> String {
    let margin = body
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    body.lines().map(|line| line.get(margin..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}
