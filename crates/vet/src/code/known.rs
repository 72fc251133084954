//! Functions that are known: which ones run commands or code, decode, fetch, send, read and write.
//!
//! The lists are data; names are as programs write them after imports are resolved.

/// Run a command line or a list of words.
pub const COMMANDS: &[&str] = &[
    "os.system",
    "os.popen",
    "os.execv",
    "os.execvp",
    "os.execl",
    "os.execlp",
    "os.spawnl",
    "os.spawnv",
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "commands.getoutput",
    "pty.spawn",
    "asyncio.create_subprocess_shell",
    "asyncio.create_subprocess_exec",
    "child_process.exec",
    "child_process.execSync",
    "child_process.spawn",
    "child_process.spawnSync",
    "child_process.execFile",
    "child_process.execFileSync",
    "child_process.fork",
    "child_process/promises.exec",
    "execa",
    "execa.command",
    "shelljs.exec",
    "Bun.spawn",
    "Deno.run",
];

/// Run text as code.
pub const EVALUATORS: &[&str] = &[
    "exec",
    "eval",
    "builtins.exec",
    "builtins.eval",
    "__builtins__.exec",
    "__builtins__.eval",
    "Function",
    "window.eval",
    "globalThis.eval",
    "global.eval",
    "globalThis.Function",
    "vm.runInThisContext",
    "vm.runInNewContext",
    "vm.runInContext",
    "vm.Script",
    "code.interact",
    "types.FunctionType",
    "runpy.run_path",
];

/// Make code of text that `exec` then runs.
pub const COMPILERS: &[&str] = &["compile", "builtins.compile", "marshal.loads"];

/// Turn encoded text into plain text.
pub const DECODERS: &[&str] = &[
    "base64.b64decode",
    "base64.urlsafe_b64decode",
    "base64.standard_b64decode",
    "base64.b32decode",
    "base64.b16decode",
    "base64.b85decode",
    "base64.a85decode",
    "binascii.unhexlify",
    "binascii.a2b_base64",
    "bytes.fromhex",
    "bytearray.fromhex",
    "codecs.decode",
    "zlib.decompress",
    "gzip.decompress",
    "bz2.decompress",
    "lzma.decompress",
    "marshal.loads",
    "atob",
    "window.atob",
    "globalThis.atob",
    "zlib.inflateSync",
    "zlib.gunzipSync",
    "zlib.unzipSync",
];

/// Modules whose calls reach the network.
pub const NETWORK: &[&str] = &[
    "requests",
    "httpx",
    "aiohttp",
    "urllib",
    "urllib2",
    "urllib3",
    "http",
    "socket",
    "smtplib",
    "ftplib",
    "paramiko",
    "websocket",
    "websockets",
    "telnetlib",
    "https",
    "http2",
    "net",
    "dgram",
    "tls",
    "axios",
    "got",
    "node-fetch",
    "undici",
    "superagent",
    "fetch",
    "XMLHttpRequest",
    "WebSocket",
    "navigator",
    "boto3",
    "pycurl",
    "ws",
];

/// Modules that are named like a network's and are none.
pub const LOCAL: &[&str] = &[
    "urllib.parse",
    "http.HTTPStatus",
    "http.cookies",
    "http.STATUS_CODES",
    "socket.gethostname",
    "http.server",
    "http.createServer",
    "https.createServer",
    "net.createServer",
    "urllib.error",
    "socket.timeout",
    "socket.error",
];

/// Read data in a format that can run code.
pub const UNSAFE_LOADS: &[&str] = &[
    "pickle.load",
    "pickle.loads",
    "cPickle.loads",
    "cPickle.load",
    "dill.load",
    "dill.loads",
    "jsonpickle.decode",
    "shelve.open",
    "yaml.unsafe_load",
    "yaml.full_load",
    "node-serialize.unserialize",
];

/// Write a file whose path is the first argument.
pub const WRITERS: &[&str] = &[
    "fs.writeFile",
    "fs.writeFileSync",
    "fs.appendFile",
    "fs.appendFileSync",
    "fs.promises.writeFile",
    "fs/promises.writeFile",
    "shutil.copy",
    "shutil.copyfile",
    "shutil.move",
    "shutil.rmtree",
    "os.remove",
    "os.unlink",
    "os.rename",
    "fs.rm",
    "fs.rmSync",
    "fs.unlinkSync",
    "fs.renameSync",
];

/// Functions that only pass on what they are given.
pub const TRANSPARENT: &[&str] = &[
    "str",
    "bytes",
    "bytearray",
    "String",
    "unescape",
    "decodeURIComponent",
    "os.path.expanduser",
    "os.path.expandvars",
    "pathlib.Path",
    "Path",
    "open",
    "io.open",
    "untildify",
    "path.resolve",
    "os.path.abspath",
];

/// Methods that only pass on what they are called on.
pub const TRANSPARENT_METHODS: &[&str] = &[
    "decode",
    "encode",
    "toString",
    "strip",
    "trim",
    "expanduser",
    "resolve",
    "absolute",
    "read",
    "read_text",
    "read_bytes",
    "readlines",
    "as_posix",
];

/// Functions that join parts of a path.
pub const PATH_JOINS: &[&str] = &["os.path.join", "path.join", "path.posix.join", "path.resolve"];

/// Functions that give the home directory.
pub const HOMES: &[&str] = &["os.homedir", "pathlib.Path.home", "Path.home", "homedir"];

/// Functions that read the file whose path is the first argument.
pub const READERS: &[&str] = &[
    "open",
    "io.open",
    "fs.readFileSync",
    "fs.readFile",
    "fs.promises.readFile",
    "fs/promises.readFile",
    "fs.createReadStream",
    "Deno.readTextFile",
    "Bun.file",
    "sqlite3.connect",
];

/// Whether a dotted name is in a list.
pub fn is(path: &str, list: &[&str]) -> bool {
    list.contains(&path)
}

/// Whether a dotted name belongs to the network.
pub fn is_network(path: &str) -> bool {
    let root = path.split(['.', '(', '/']).next().unwrap_or_default();
    NETWORK.contains(&root) && !LOCAL.iter().any(|local| path.starts_with(local))
}

/// Programs whose arguments are programs, or name one.
const RUNNERS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "ash",
    "fish",
    "python",
    "pypy",
    "node",
    "nodejs",
    "bun",
    "deno",
    "perl",
    "ruby",
    "php",
    "lua",
    "tclsh",
    "wish",
    "expect",
    "awk",
    "gawk",
    "mawk",
    "rscript",
    "r",
    "osascript",
    "powershell",
    "pwsh",
    "cmd",
    "cscript",
    "wscript",
    "mshta",
    "rundll32",
    "regsvr32",
    "env",
    "sudo",
    "doas",
    "su",
    "xargs",
    "nohup",
    "timeout",
    "nice",
    "setsid",
    "stdbuf",
    "time",
    "watch",
    "script",
    "ssh",
    "docker",
    "podman",
    "kubectl",
    "nsenter",
    "chroot",
    "find",
    "make",
    "vim",
    "vi",
    "ex",
    "gdb",
    "java",
    "npx",
    "uvx",
    "pipx",
    "busybox",
    "eval",
    "exec",
    "parallel",
    "flock",
    "unshare",
    "systemd-run",
    "at",
    "crontab",
    "launchctl",
    "schtasks",
    "runas",
];

/// Whether a program, by its name or path, runs what it is given.
pub fn runs_arguments(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let stem =
        name.strip_suffix(".exe").unwrap_or(&name).trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    RUNNERS.contains(&stem)
}
