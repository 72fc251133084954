//! Random bytes of the operating system, for names that nobody can guess or has had before.

use std::io;

/// `N` random bytes.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut left = bytes.as_mut_slice();
    while !left.is_empty() {
        let filled = rustix::rand::getrandom(&mut *left, rustix::rand::GetRandomFlags::empty())?;
        left = left.get_mut(filled..).unwrap_or_default();
    }
    Ok(bytes)
}
