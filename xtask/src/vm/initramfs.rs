//! The archive that the kernel unpacks as its first root: cpio in the "newc" format, uncompressed.
//!
//! Directories and files of root, nothing else; device nodes come from the kernel.

const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
/// The name that ends an archive.
const TRAILER: &str = "TRAILER!!!";

/// An archive in the making.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    entries: usize,
}

impl Archive {
    /// Adds a directory, which must come before what lies in it.
    pub fn directory(&mut self, name: &str) {
        self.entry(name, DIRECTORY | 0o755, &[]);
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, permissions: u32, content: &[u8]) {
        self.entry(name, FILE | permissions, content);
    }

    /// The whole archive.
    pub fn finish(mut self) -> Vec<u8> {
        self.entry(TRAILER, 0, &[]);
        self.bytes
    }

    fn entry(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let (number, size, name_size) = (self.entries, content.len(), name.len() + 1);
        // Magic, inode, mode, owner, group, links, time, size, four device numbers, size of the name, checksum.
        let header = format!(
            "070701{number:08X}{mode:08X}{:016X}{:08X}{:08X}{size:08X}{:032X}{name_size:08X}{:08X}",
            0, 1, 0, 0, 0
        );
        self.padded(&[header.as_bytes(), name.as_bytes(), b"\0"].concat());
        self.padded(content);
    }

    /// Every part ends at a multiple of four bytes.
    fn padded(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn entries_are_aligned_and_end_in_the_trailer() {
        let mut archive = Archive::default();
        archive.directory("vm");
        archive.file("vm/plan", 0o644, b"hello");
        let bytes = archive.finish();
        assert_eq!(bytes.len() % 4, 0);
        let shown = String::from_utf8(bytes).unwrap().replace("0707", "\n0707").replace('\0', "·");
        expect![[r#"

            07070100000001000041ED0000000000000000000000010000000000000000000000000000000000000000000000000000000300000000vm····
            07070100000002000081A40000000000000000000000010000000000000005000000000000000000000000000000000000000800000000vm/plan···hello···
            07070100000003000000000000000000000000000000010000000000000000000000000000000000000000000000000000000B00000000TRAILER!!!····"#]].assert_eq(&shown);
    }
}
