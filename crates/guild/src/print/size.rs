//! Bytes in words: `12 B`, `2.1 MB`.

/// Up to four digits and a unit, in steps of a thousand.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        // What would be shown as 1000.0 is one of the next unit.
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit_that_fits() {
        let sizes = [0, 999, 1000, 999_949, 999_950, 2_100_000, 16 << 30, u64::MAX];
        let shown = ["0 B", "999 B", "1.0 kB", "999.9 kB", "1.0 MB", "2.1 MB", "17.2 GB", "18446.7 PB"];
        assert_eq!(sizes.map(size), shown);
    }
}
