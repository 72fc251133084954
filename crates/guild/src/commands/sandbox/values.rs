//! Values of options: sizes, times, mounts and variables, as people write them.

use guild_engine::manifest::config::MEMORY_MB;
use guild_engine::{MountMode, MountRequest};
use std::time::Duration;

/// A variable as it is written: `NAME` takes the caller's value, `NAME=VALUE` gives one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub value: Option<String>,
}

/// Bytes: `512M`, `2g`, `1048576`.
pub fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return Err("a size is a number with K, M or G, such as 512M".to_owned()),
    };
    let number: u64 =
        digits.parse().map_err(|_| "a size is a number with K, M or G, such as 512M".to_owned())?;
    number.checked_mul(factor).filter(|size| *size > 0).ok_or_else(|| "that size is out of range".to_owned())
}

/// Bytes of memory, within the bounds of the configuration: with less, a container does not come to its command.
pub fn memory(text: &str) -> Result<u64, String> {
    let (least, most) = (*MEMORY_MB.start(), *MEMORY_MB.end());
    let bytes = size(text)?;
    if (least << 20..=most << 20).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(format!("memory is at least {least}M and at most {most}M"))
    }
}

/// A time: `30s`, `10m`, `1h`, `45`.
pub fn time(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text.get(digits.len()..).unwrap_or_default() {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("a time is a number with ms, s, m or h, such as 90s".to_owned()),
    };
    let number: f64 =
        digits.parse().map_err(|_| "a time is a number with ms, s, m or h, such as 90s".to_owned())?;
    let seconds = number * factor;
    if seconds > 0.0 && seconds <= 31_536_000.0 {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("a time is more than nothing and at most a year".to_owned())
    }
}

/// Processors: `0.5`, `2`.
pub fn processors(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.01..=4096.0).contains(&number) => Ok(number),
        _ => Err("processors are a number such as 0.5 or 2".to_owned()),
    }
}

/// `SRC:DST[:ro|rw|cow]`
pub fn mount(text: &str) -> Result<MountRequest, String> {
    let (rest, mode) = match text.rsplit_once(':') {
        Some((rest, "ro")) => (rest, MountMode::ReadOnly),
        Some((rest, "rw")) => (rest, MountMode::ReadWrite),
        Some((rest, "cow")) => (rest, MountMode::CopyOnWrite),
        _ => (text, MountMode::ReadOnly),
    };
    match rest.rsplit_once(':') {
        Some((source, target)) if !source.is_empty() && target.starts_with('/') => {
            Ok(MountRequest { source: source.into(), target: target.into(), mode })
        }
        _ => Err("a mount is SRC:DST or SRC:DST:MODE, where DST begins with / and MODE is ro, rw or cow"
            .to_owned()),
    }
}

/// `NAME` or `NAME=VALUE`
pub fn variable(text: &str) -> Result<Variable, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let is_word = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if is_word(name) {
        Ok(Variable { name: name.to_owned(), value })
    } else {
        Err("a variable is NAME or NAME=VALUE".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [("512M", 512 << 20), ("2g", 2 << 30), ("1KiB", 1024), ("7", 7)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "M", "5 apples", "1T", "0", "99999999999G", "-1"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn memory_that_no_container_could_start_in_is_refused_with_the_least_there_is() {
        assert_eq!(memory("16M"), Ok(16 << 20));
        assert_eq!(memory("1024G"), Ok(1 << 40));
        for text in ["1", "1K", "100K", "16383K", "1025G"] {
            assert_eq!(memory(text), Err("memory is at least 16M and at most 1048576M".to_owned()), "{text}");
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, millis) in
            [("90s", 90_000), ("1.5m", 90_000), ("1h", 3_600_000), ("250ms", 250), ("3", 3000)]
        {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "0", "-1", "1d", "nan", "inf", "1e30h"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_mount_may_have_colons_in_its_source() {
        let value = |text| mount(text).map(|value| (value.source.display().to_string(), value.mode));
        assert_eq!(value("a:b:/c"), Ok(("a:b".to_owned(), MountMode::ReadOnly)));
        assert_eq!(value(".:/w:cow"), Ok((".".to_owned(), MountMode::CopyOnWrite)));
        assert_eq!(value("/x:/w:rw"), Ok(("/x".to_owned(), MountMode::ReadWrite)));
        for text in ["", "/x", "/x:w", ":/w", "/x:/w:wx"] {
            assert!(mount(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_variable_is_a_name_with_or_without_a_value() {
        assert_eq!(
            variable("A_1=b=c"),
            Ok(Variable { name: "A_1".to_owned(), value: Some("b=c".to_owned()) })
        );
        assert_eq!(variable("A"), Ok(Variable { name: "A".to_owned(), value: None }));
        for text in ["", "=x", "1A", "A-B=1", "A B"] {
            assert!(variable(text).is_err(), "{text}");
        }
    }
}
