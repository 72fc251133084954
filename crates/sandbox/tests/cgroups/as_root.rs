//! Root is given scopes too, by the machine's systemd, and leaves alone what belongs to systemd although it could write there.

use guild_sandbox::{Backend as _, Limits};

use crate::own_cgroup;
use crate::world::{block_on, embedded, limits, run, said};

#[test]
fn root_gets_a_scope_from_the_machines_systemd() {
    let before = own_cgroup();
    assert!(before.ends_with("/system.slice/guild-vm.service"), "{before}");
    let version = block_on(embedded().probe()).version.unwrap();
    assert!(version.starts_with("cgroup v2, systemd scope, "), "{version}");
    assert_eq!(own_cgroup(), before);

    assert_eq!(said(&run("echo it ran", limits()).unwrap()), "it ran\n");
    let scope = format!("/sys/fs/cgroup/system.slice/guild-{}-", std::process::id());
    assert!(own_cgroup().starts_with(&scope), "{}", own_cgroup());
    let hold = "dd if=/dev/zero of=/dev/null bs=64M count=1";
    assert!(run(hold, Limits { memory: 32 << 20, ..limits() }).unwrap().oom);
}
