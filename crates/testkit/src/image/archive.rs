//! Archives written as text: one line an entry, in the order of the archive.
//!
//! ```text
//! etc/                      a directory
//! etc/hostname = box        a file with a line
//! bin/su x setid = su       an executable file, set-user-ID
//! lib -> usr/lib            a symbolic link
//! bin/sh => bin/busybox     a second name of a file
//! dev/null char             a device; also `block` and `fifo`
//! zeros 4096                a file of so many zeros
//! ```

use tar::{Builder, EntryType, Header};

use super::IN_MEMORY;

/// A tar archive.
pub fn tar(text: &str) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (header, content) = entry(line);
        builder.append(&header, &content[..]).expect(IN_MEMORY);
    }
    builder.into_inner().expect(IN_MEMORY)
}

fn entry(line: &str) -> (Header, Vec<u8>) {
    let mut header = Header::new_gnu();
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut content = Vec::new();
    let mut mode = 0o600;
    let mut kind = if name.ends_with('/') { EntryType::Directory } else { EntryType::Regular };
    let (words, text) = rest.split_once("= ").unwrap_or((rest, ""));
    if let Some(target) = rest.strip_prefix("-> ") {
        kind = EntryType::Symlink;
        raw(&mut header.as_gnu_mut().expect(IN_MEMORY).linkname, target);
    } else if let Some(target) = rest.strip_prefix("=> ") {
        kind = EntryType::Link;
        raw(&mut header.as_gnu_mut().expect(IN_MEMORY).linkname, target);
    } else {
        for word in words.split_whitespace() {
            match word {
                "x" => mode |= 0o100,
                "setid" => mode |= 0o6000,
                "char" => kind = EntryType::Char,
                "block" => kind = EntryType::Block,
                "fifo" => kind = EntryType::Fifo,
                number => content = vec![0; number.parse().expect("a number of zeros, or a known word")],
            }
        }
        if !text.is_empty() {
            content = format!("{text}\n").into_bytes();
        }
    }
    // Written as it is: the builder itself refuses what a hostile archive would hold.
    raw(&mut header.as_gnu_mut().expect(IN_MEMORY).name, name);
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_mtime(1_000_000_000);
    header.set_size(content.len() as u64);
    header.set_cksum();
    (header, content)
}

fn raw(field: &mut [u8], text: &str) {
    field.get_mut(..text.len()).expect("a name that fits").copy_from_slice(text.as_bytes());
}
