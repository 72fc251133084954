//! The tables of system calls that the profile allows, with their numbers on this processor.

/// Names (with the prefix `SYS_`) and numbers.
pub(super) type Calls = &'static [(&'static str, i64)];

/// One call; numbers are for the embedded runtime, which is Linux's alone.
macro_rules! call {
    ($call:ident) => {{
        #[cfg(target_os = "linux")]
        let number = libc::$call;
        #[cfg(not(target_os = "linux"))]
        let number = 0;
        (stringify!($call), number)
    }};
}

pub(super) use call;

macro_rules! calls {
    ($($call:ident)*) => {
        &[$(call!($call)),*]
    };
}

/// Files, memory, processes, signals, time, events: what every program uses. Nothing here reaches beyond the container.
pub(super) const ALWAYS: Calls = calls![
    // Files and directories.
    SYS_read SYS_write SYS_readv SYS_writev SYS_pread64 SYS_pwrite64 SYS_preadv SYS_pwritev SYS_preadv2 SYS_pwritev2
    SYS_close SYS_close_range SYS_lseek SYS_statx SYS_fstat SYS_newfstatat SYS_statfs SYS_fstatfs
    SYS_faccessat SYS_faccessat2 SYS_getdents64 SYS_getcwd SYS_chdir SYS_fchdir SYS_mkdirat SYS_unlinkat SYS_renameat
    SYS_renameat2 SYS_linkat SYS_symlinkat SYS_readlinkat SYS_fchown
    SYS_fchownat SYS_utimensat SYS_truncate SYS_ftruncate SYS_fallocate SYS_fsync SYS_fdatasync SYS_sync SYS_syncfs
    SYS_sync_file_range SYS_fadvise64 SYS_readahead SYS_copy_file_range SYS_sendfile SYS_splice SYS_tee SYS_vmsplice
    SYS_flock SYS_ioctl SYS_dup SYS_dup3 SYS_pipe2 SYS_umask
    SYS_getxattr SYS_lgetxattr SYS_fgetxattr SYS_listxattr SYS_llistxattr SYS_flistxattr
    SYS_setxattr SYS_lsetxattr SYS_fsetxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr
    SYS_inotify_init1 SYS_inotify_rm_watch
    // Memory.
    SYS_munmap SYS_mprotect SYS_mremap SYS_madvise SYS_brk SYS_msync SYS_mincore SYS_mlock SYS_mlock2 SYS_munlock
    SYS_mlockall SYS_munlockall SYS_membarrier SYS_get_mempolicy SYS_pkey_alloc SYS_pkey_free SYS_pkey_mprotect
    SYS_process_madvise SYS_process_mrelease
    // Processes, threads and what they know of themselves.
    SYS_execve SYS_execveat SYS_exit SYS_exit_group SYS_wait4 SYS_waitid SYS_set_tid_address SYS_set_robust_list
    SYS_get_robust_list SYS_futex SYS_futex_waitv SYS_rseq SYS_sched_yield SYS_sched_getaffinity SYS_sched_setaffinity
    SYS_sched_getparam SYS_sched_setparam SYS_sched_getscheduler SYS_sched_setscheduler SYS_sched_getattr SYS_sched_setattr
    SYS_sched_get_priority_max SYS_sched_get_priority_min SYS_sched_rr_get_interval SYS_getpriority SYS_setpriority
    SYS_getpid SYS_getppid SYS_gettid SYS_getpgid SYS_setpgid SYS_getsid SYS_setsid SYS_getuid SYS_geteuid SYS_getgid
    SYS_getegid SYS_getresuid SYS_getresgid SYS_getgroups SYS_setuid SYS_setgid SYS_setreuid SYS_setregid SYS_setresuid
    SYS_setresgid SYS_setfsuid SYS_setfsgid SYS_setgroups SYS_capget SYS_capset SYS_prctl SYS_getrlimit
    SYS_getrusage SYS_times SYS_uname SYS_sysinfo SYS_getcpu SYS_getrandom SYS_ioprio_get SYS_ioprio_set
    SYS_pidfd_open SYS_pidfd_send_signal SYS_restart_syscall
    // A program may lock itself in further.
    SYS_seccomp SYS_landlock_create_ruleset SYS_landlock_add_rule SYS_landlock_restrict_self
    // Signals.
    SYS_kill SYS_tkill SYS_tgkill SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigpending SYS_rt_sigqueueinfo
    SYS_rt_tgsigqueueinfo SYS_rt_sigreturn SYS_rt_sigsuspend SYS_rt_sigtimedwait SYS_sigaltstack SYS_signalfd4
    // Time.
    SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_gettimeofday SYS_nanosleep SYS_getitimer SYS_setitimer
    SYS_timer_create SYS_timer_delete SYS_timer_getoverrun SYS_timer_gettime SYS_timer_settime SYS_timerfd_create
    SYS_timerfd_gettime SYS_timerfd_settime
    // Waiting for events.
    SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2 SYS_eventfd2 SYS_ppoll SYS_pselect6
    // Within the container's own namespace.
    SYS_shmat SYS_shmdt SYS_shmctl SYS_semget SYS_semop SYS_semtimedop SYS_semctl SYS_msgget SYS_msgsnd
    SYS_msgrcv SYS_msgctl SYS_mq_open SYS_mq_unlink SYS_mq_timedsend SYS_mq_timedreceive SYS_mq_notify SYS_mq_getsetattr
    // On socket pairs, and on the standard streams where those are sockets.
    SYS_sendto SYS_recvfrom SYS_sendmsg SYS_recvmsg SYS_sendmmsg SYS_recvmmsg SYS_shutdown SYS_getsockname SYS_getpeername
    SYS_getsockopt SYS_setsockopt
];

/// The older spellings that only this processor has.
#[cfg(target_arch = "x86_64")]
pub(super) const OLDER: Calls = calls![
    SYS_stat SYS_lstat SYS_access SYS_getdents SYS_mkdir SYS_rmdir SYS_unlink SYS_rename SYS_link SYS_symlink
    SYS_readlink SYS_chown SYS_lchown SYS_utime SYS_utimes SYS_futimesat SYS_dup2 SYS_pipe SYS_poll SYS_select
    SYS_epoll_create SYS_epoll_wait SYS_eventfd SYS_signalfd SYS_inotify_init SYS_fork SYS_vfork SYS_getpgrp SYS_pause SYS_alarm
    SYS_time SYS_arch_prctl
];

/// The older spellings that only this processor has.
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OLDER: Calls = &[];

/// What more there is with a network.
pub(super) const WITH_NETWORK: Calls = calls![SYS_connect SYS_bind SYS_listen SYS_accept SYS_accept4];
