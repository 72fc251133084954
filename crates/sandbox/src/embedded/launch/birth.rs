//! The birth of a process into its namespaces, or into those of a running container, and what is heard of it afterwards.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, socketpair};
use rustix::process::{Pid, Signal};

use super::failed;
use crate::backend::LaunchError;
use crate::embedded::admission;
use crate::embedded::cgroup::{self, Cgroup};
use crate::embedded::identity::Identity;
use crate::embedded::network::EmptyNetwork;
use crate::embedded::plan::{Exec, Plan};
use crate::embedded::report::{Report, Step};
use crate::embedded::stage::{self, Inheritance, Opened};
use crate::embedded::sys::{self, Arguments, CloneFlags, Forked, Stack};
use crate::outcome::ExitStatus;
use crate::policy::Network;

/// What a new process is to be.
pub(in crate::embedded) struct Birth<'a> {
    /// Its root file system and walls, or, in a running container, its own mounts.
    pub(in crate::embedded) plan: &'a Plan,
    /// The sources of its mounts, where they had to be opened before.
    pub(in crate::embedded) sources: &'a [Option<Opened>],
    /// What it runs; `None` waits to be killed.
    pub(in crate::embedded) exec: Option<&'a Exec>,
    /// The namespaces of a running container to enter.
    pub(in crate::embedded) container: Option<&'a [OwnedFd]>,
    /// Who its user is, outside.
    pub(in crate::embedded) identity: Identity,
    /// Where it is counted and limited.
    pub(in crate::embedded) cgroup: Option<&'a Cgroup>,
    /// Whether its command waits for [`Born::let_run`].
    pub(in crate::embedded) held: bool,
    /// Its standard streams.
    pub(in crate::embedded) streams: [RawFd; 3],
}

/// A container's first process, or one that has entered it, seen from outside.
pub(in crate::embedded) struct Born {
    pid: Pid,
    pidfd: OwnedFd,
    launcher: OwnedFd,
    entered: bool,
    /// The network that it was born into. Nobody drops this process without having reaped it, and so nothing is left in there.
    network: Option<EmptyNetwork>,
}

/// How a command ended.
pub(super) struct Ending {
    /// The command's status, or why it could not be executed.
    pub(super) status: io::Result<ExitStatus>,
    /// Bytes written.
    pub(super) written: Option<u64>,
}

impl Birth<'_> {
    /// All descriptors that the new process needs, in ascending order.
    fn descriptors(&self, launcher: &OwnedFd, doors: &[RawFd]) -> Vec<RawFd> {
        let mut needed = vec![launcher.as_raw_fd()];
        needed.extend(doors);
        needed.extend(self.streams);
        needed.extend(self.container.into_iter().flatten().map(AsRawFd::as_raw_fd));
        for Opened { source, layer } in self.sources.iter().flatten() {
            needed.push(source.as_raw_fd());
            needed.extend(layer.as_ref().map(AsRawFd::as_raw_fd));
        }
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// A network with nothing in it for a process to be born into. A container that is entered later is born with one of its own: who
    /// enters it has rights in there alone.
    fn empty_network(&self) -> Option<EmptyNetwork> {
        let is_entered = self.container.is_some() || self.exec.is_none();
        if self.plan.network != Network::None || is_entered {
            return None;
        }
        if self.identity.switched { EmptyNetwork::enter() } else { EmptyNetwork::apart(self.identity) }
    }

    /// Makes the process, in a network that waits for it if there is one.
    fn bear(
        &self,
        cgroup: Option<RawFd>,
        inheritance: &Inheritance<'_>,
    ) -> Result<(Forked, Option<EmptyNetwork>), Errno> {
        let live = || -> i32 {
            match (self.container, self.exec) {
                (Some(container), Some(exec)) => stage::join(container, self.plan, exec, inheritance),
                _ => stage::live(self.plan, self.exec, inheritance),
            }
        };
        let flags = |network: Option<&EmptyNetwork>| CloneFlags { flags: self.namespaces(network), cgroup };
        let mut network = self.empty_network();
        if let Some(doors) = network.as_ref().and_then(EmptyNetwork::doors) {
            // SAFETY: both lives make system calls only and never return; everything they use was made before.
            let born = unsafe { sys::fork_within(&Stack::new(), doors, flags(network.as_ref()), &live) };
            match born {
                Ok(born) => return Ok((born, network)),
                // Something forbids it here. A network of its own may be allowed.
                Err(_) => drop(network.take().map(EmptyNetwork::forbid)),
            }
        }
        // SAFETY: as above.
        match unsafe { sys::fork(flags(network.as_ref())) }? {
            Forked::Child => sys::exit(live()),
            born @ Forked::Parent { .. } => Ok((born, network)),
        }
    }

    /// The namespaces that are made with the process.
    fn namespaces(&self, network: Option<&EmptyNetwork>) -> u64 {
        if self.container.is_some() {
            return 0;
        }
        let mut flags = libc::CLONE_NEWUSER
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS;
        if self.plan.network == Network::None && network.is_none() {
            flags |= libc::CLONE_NEWNET;
        }
        flags as u64
    }
}

impl Born {
    /// Makes the process. That of a new container begins when it is admitted.
    pub(in crate::embedded) fn new(birth: &Birth<'_>) -> Result<Born, LaunchError> {
        let (launcher, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .map_err(|errno| failed("make a socket pair")(errno.into()))?;
        let identity = birth.identity;
        let birthplace =
            birth.cgroup.map_or(Ok(None), Cgroup::birthplace).map_err(failed("open the cgroup"))?;
        let joined = birth.cgroup.filter(|_| birth.container.is_some());
        let doors = cgroup::raw(joined.map(Cgroup::doors).unwrap_or_default());
        let mapping = identity.mapping(birth.plan.user).filter(|_| birth.container.is_none());
        let inheritance = Inheritance {
            launcher: theirs.as_fd(),
            mapping: mapping.as_ref(),
            arguments: Arguments::find(),
            stack: &Stack::new(),
            cgroups: &doors,
            sources: birth.sources,
            switch_user: identity.switched,
            held: birth.held,
            streams: birth.streams,
            descriptors: &birth.descriptors(&theirs, &doors),
        };
        let birthplace = birthplace.as_ref().map(AsRawFd::as_raw_fd);
        let (born, network) =
            birth.bear(birthplace, &inheritance).map_err(|errno| failed("make namespaces")(errno.into()))?;
        let Forked::Parent { pid, pidfd } = born else { sys::exit(stage::NOT_SET_UP) };
        Born { pid, pidfd, launcher, entered: birth.container.is_some(), network }.begin(birth)
    }

    fn begin(self, birth: &Birth<'_>) -> Result<Born, LaunchError> {
        if birth.container.is_none() {
            let identified = birth.identity.map(self.pid, birth.plan.user);
            identified.map_err(|source| {
                self.give_up();
                failed("map the container's user")(source)
            })?;
        }
        Ok(self)
    }

    /// Lets a container's first process begin, in its cgroup.
    pub(in crate::embedded) fn admit(&self, cgroup: Option<&Cgroup>) -> Result<(), LaunchError> {
        let doors = cgroup.map(Cgroup::doors).unwrap_or_default();
        admission::grant(self.launcher.as_fd(), doors).map_err(|errno| {
            self.give_up();
            failed("open the cgroup")(errno.into())
        })
    }

    /// Lets a container's first process that is held back run its command.
    pub(super) fn let_run(&self) -> Result<(), LaunchError> {
        rustix::io::write(&self.launcher, b"1").map(drop).map_err(|errno| {
            self.give_up();
            failed("let the command run")(errno.into())
        })
    }

    /// Waits for the walls to be up; what the process hands over.
    pub(in crate::embedded) fn wait_until_ready(&self, plan: &Plan) -> Result<Vec<OwnedFd>, LaunchError> {
        let problem = match Report::receive(self.launcher.as_fd(), RecvFlags::empty()) {
            Ok(Some((Report::Ready, kept))) => return Ok(kept),
            Ok(Some((Report::Failed { step, index, errno }, _))) => {
                let step = match plan.actions.get(index as usize) {
                    Some(action) if step == Step::Action => action.to_string(),
                    _ => step.purpose().to_owned(),
                };
                LaunchError::Step { step, source: io::Error::from_raw_os_error(errno) }
            }
            Ok(_) => failed("start its first process")(io::ErrorKind::UnexpectedEof.into()),
            Err(errno) => failed("hear from its first process")(errno.into()),
        };
        self.give_up();
        Err(problem)
    }

    /// Kills a container's first process and with it everything in the container; one that has entered is told to kill its command, to
    /// reap it, and to end.
    pub(super) fn kill(&self) {
        let signal = if self.entered { Signal::TERM } else { Signal::KILL };
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, signal);
    }

    /// Kills it and waits until it is gone.
    pub(in crate::embedded) fn give_up(&self) {
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        let _ = sys::reap(self.pid);
    }

    /// Reaps it, which ends or was killed; the processor time of all that was waited for.
    pub(super) fn reap(self) -> Option<Duration> {
        sys::reap(self.pid).ok()
    }

    /// Hands its network on, once nothing of the container runs any more but perhaps its first process, which is ending.
    pub(super) fn leave_network(&mut self) {
        self.network = None;
    }

    /// Whether everything else in the container is gone when it reports an end: it is the container's first process.
    pub(super) fn ends_the_container(&self) -> bool {
        !self.entered
    }

    /// A descriptor of the process, readable when it has ended.
    pub(in crate::embedded) fn process(&self) -> &OwnedFd {
        &self.pidfd
    }

    /// Where it reports.
    pub(super) fn reports(&self) -> BorrowedFd<'_> {
        self.launcher.as_fd()
    }
}

impl Ending {
    /// Makes sense of what was last heard.
    pub(super) fn of(report: Option<Report>) -> Ending {
        let (status, written) = match report {
            Some(Report::Ended { status, written }) => (Ok(exit_status(status)), written),
            Some(Report::NotExecuted { errno, .. } | Report::Failed { errno, .. }) => {
                (Err(io::Error::from_raw_os_error(errno)), None)
            }
            _ => (Ok(ExitStatus::Signal(libc::SIGKILL)), None),
        };
        Ending { status, written }
    }
}

fn exit_status(raw: i32) -> ExitStatus {
    if libc::WIFSIGNALED(raw) {
        ExitStatus::Signal(libc::WTERMSIG(raw))
    } else {
        ExitStatus::Code(libc::WEXITSTATUS(raw))
    }
}
