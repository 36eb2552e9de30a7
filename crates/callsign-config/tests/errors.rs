//! What a user is told when a file can't be used: file, line, column, cause, remedy.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use callsign_config::{parse, read};

/// The message and the remedy.
fn said(path: &str, text: impl AsRef<[u8]>) -> String {
    let error = parse(Path::new(path), text.as_ref()).expect_err("a file to be refused");
    format!("{error}\n  help: {}", error.remedy())
}

fn json(text: &str) -> String {
    said("mcp.json", text)
}

fn toml(text: &str) -> String {
    said("callsign.toml", text)
}

#[test]
fn syntax() {
    insta::assert_snapshot!(json(""), @r##"
mcp.json: the file is empty
  help: add a `mcpServers` object, or delete the file
"##);
    insta::assert_snapshot!(json("{\n  \"mcpServers\": {\n    \"é\": {\"command\": \"x\" \"args\": []}\n  }\n}"), @r##"
mcp.json:3:25: JSON syntax: expected a comma
  help: correct it; comments and a comma after the last item are allowed
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {"), @r##"
mcp.json:1:22: JSON syntax: this `{` is never closed
  help: correct it; comments and a comma after the last item are allowed
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {'command': 1}}}"), @r##"
mcp.json:1:23: JSON syntax: text needs double quotes, not single ones
  help: correct it; comments and a comma after the last item are allowed
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {}}\n}"), @r##"
mcp.json:2:1: JSON syntax: there is more after the end of the JSON value
  help: correct it; comments and a comma after the last item are allowed
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"command\": \"x\n\"}}}"), @r##"
mcp.json:1:36: JSON syntax: a control character inside a string must be written as an escape (or a closing quote is missing)
  help: correct it; comments and a comma after the last item are allowed
"##);
    insta::assert_snapshot!(json("\u{feff}{\"mcpServers\": nothing}"), @r##"
mcp.json:1:16: JSON syntax: expected a value (text needs double quotes)
  help: correct it; comments and a comma after the last item are allowed
"##);
    insta::assert_snapshot!(json(&"[".repeat(100_000)), @r##"
mcp.json:1:129: nested deeper than 128 levels
  help: flatten the file: no client's configuration is this deep
"##);
    insta::assert_snapshot!(json(&"{\"a\":".repeat(100_000)), @r##"
mcp.json:1:641: nested deeper than 128 levels
  help: flatten the file: no client's configuration is this deep
"##);
    insta::assert_snapshot!(toml("[servers.a\ncommand = 'x'"), @r##"
callsign.toml:1:11: TOML syntax: unclosed table, expected `]`
  help: correct it
"##);
    insta::assert_snapshot!(toml("[servers.a]\ncommand = 'x'\n[servers.a]"), @r##"
callsign.toml:3:10: TOML syntax: duplicate key
  help: rename or delete one of the two
"##);
    insta::assert_snapshot!(said("c.yaml", "mcpServers: {}"), @r##"
c.yaml: YAML configuration is not read
  help: give a JSON or TOML configuration
"##);
}

#[test]
fn rules() {
    insta::assert_snapshot!(toml("[rules]\nalow = []"), @r##"
callsign.toml:2:1: unknown setting `rules.alow`; did you mean `allow`?
  help: write `allow`
"##);
    insta::assert_snapshot!(toml("[[rules.deny]]\nserver = 'a'\ntools = 'x'"), @r##"
callsign.toml:3:1: unknown setting `rules.deny[0].tools`; did you mean `tool`?
  help: write `tool`
"##);
    insta::assert_snapshot!(toml("[rules]\ndeny = 'mcp__a'"), @r##"
callsign.toml:2:8: wrong type at `rules.deny`: expected an array, found a string
  help: put an array there
"##);
    insta::assert_snapshot!(toml("[rules]\ndefault = 'never'"), @r##"
callsign.toml:2:11: wrong value at `rules.default`: it is `allow`, `ask` or `deny`
  help: correct the value
"##);
    insta::assert_snapshot!(toml("[rules]\ndisabled = ['mcp__a__*']"), @r##"
callsign.toml:2:13: wrong value at `rules.disabled[0]`: a name in this list is a whole one, `mcp__server__tool`; write `{ server = …, tool = … }` for anything else
  help: correct the value
"##);
    insta::assert_snapshot!(toml("[rules]\ndisabled = [{ server = 'a', tool = '*x' }]"), @r##"
callsign.toml:2:13: wrong value at `rules.disabled[0]`: only the last character of the tool can be a wildcard, and a `*` stands before it
  help: correct the value
"##);
    insta::assert_snapshot!(toml("[rules]\ndeny = [1, 'mcp__a(]"), @r##"
callsign.toml:2:21: TOML syntax: unclosed array, expected `]`
  help: correct it
"##);
}

#[test]
fn encodings() {
    insta::assert_snapshot!(said("a.json", b"\xef\xbb\xbf{\"\xc3\xa9\": \"\xe9\"}"), @r##"
a.json:1:8: the file is not UTF-8 text (it looks like Latin-1 or another 8-bit encoding)
  help: save the file as UTF-8
"##);
    insta::assert_snapshot!(said("a.json", b"\xff\xfe{\0}\0"), @r##"
a.json:1:1: the file is not UTF-8 text (it looks like UTF-16)
  help: save the file as UTF-8
"##);
    insta::assert_snapshot!(said("a\u{1b}[31m.json", b"x"), @r##"
a\u{1b}[31m.json:1:1: JSON syntax: expected a value (text needs double quotes)
  help: correct it; comments and a comma after the last item are allowed
"##);
}

#[test]
fn wrong_types() {
    insta::assert_snapshot!(json("[1]"), @r##"
mcp.json:1:1: wrong type at the top of the file: expected an object, found an array
  help: put an object there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": null}"), @r##"
mcp.json:1:16: wrong type at `mcpServers`: expected an object, found null
  help: put an object there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": \"npx x\"}}"), @r##"
mcp.json:1:22: wrong type at `mcpServers.a`: expected an object, found a string
  help: put an object there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"command\": [\"x\"]}}}"), @r##"
mcp.json:1:34: wrong type at `mcpServers.a.command`: expected a string, found an array
  help: put a string there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a.b\": {\"args\": [\"x\", {\"y\": [1]}]}}}"), @r##"
mcp.json:1:39: wrong type at `mcpServers."a.b".args[1]`: expected a string, found an object
  help: put a string there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"env\": {\"A\": [\"s3cret\"]}}}}"), @r##"
mcp.json:1:36: wrong type at `mcpServers.a.env.A`: expected a string, found an array
  help: put a string there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"tools\": [\"x\", 7]}}}"), @r##"
mcp.json:1:38: wrong type at `mcpServers.a.tools[1]`: expected a tool's name or definition, found a number
  help: put a tool's name or definition there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"tools\": {}}}}"), @r##"
mcp.json:1:32: wrong type at `mcpServers.a.tools`: expected an array, found an object
  help: put an array there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"tools\": [\"\"]}}}"), @r##"
mcp.json:1:33: empty tool name at `mcpServers.a.tools[0]`
  help: give it a tool name
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"disabled\": \"yes\"}}}"), @r##"
mcp.json:1:35: wrong type at `mcpServers.a.disabled`: expected a boolean, found a string
  help: put a boolean there
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"prompts\": [{\"title\": 1}]}}}"), @r##"
mcp.json:1:35: wrong value at `mcpServers.a.prompts[0]`: it has no `name`
  help: correct the value
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"\": {}}}"), @r##"
mcp.json:1:17: empty server key at `mcpServers.""`
  help: give it a server key
"##);
}

#[test]
fn duplicate_keys() {
    insta::assert_snapshot!(json("{\"mcpServers\": {\n  \"a\": {\"command\": \"x\"},\n  \"\\u0061\": {\"command\": \"y\"}\n}}"), @r##"
mcp.json:3:3: duplicate key `mcpServers.a` (first at 2:3)
  help: rename or delete one of the two; a JSON parser that keeps the last one hides this
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {},\n \"mcpServers\": {}}"), @r##"
mcp.json:2:2: duplicate key `mcpServers` (first at 1:2)
  help: rename or delete one of the two; a JSON parser that keeps the last one hides this
"##);
    insta::assert_snapshot!(json("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"env\": {\"K\": \"s3cret\", \"K\": \"2\"}}}}"), @r##"
mcp.json:1:62: duplicate key `mcpServers.a.env.K` (first at 1:47)
  help: rename or delete one of the two; a JSON parser that keeps the last one hides this
"##);
    insta::assert_snapshot!(said("s.json", "{\"servers\": {\"a\\u202eb\": 1, \"a\\u202eb\": 2}}"), @r##"
s.json:1:29: duplicate key `servers.a\u{202e}b` (first at 1:14)
  help: rename or delete one of the two; a JSON parser that keeps the last one hides this
"##);
}

#[test]
fn no_servers() {
    insta::assert_snapshot!(json("{}"), @r##"
mcp.json:1:1: no servers: none of `mcpServers`, `servers`, `mcp.servers` is in the file
  help: give a client's configuration file, or callsign.toml
"##);
    insta::assert_snapshot!(json("\n {\"mcp_servers\": {}}"), @r##"
mcp.json:2:2: no servers: none of `mcpServers`, `servers`, `mcp.servers` is in the file; `mcp_servers` is near `mcpServers`
  help: write `mcpServers` instead of `mcp_servers`
"##);
    insta::assert_snapshot!(said("x.toml", "a = 1"), @r##"
x.toml:1:1: no servers: there is no `servers` in the file
  help: give a client's configuration file, or callsign.toml
"##);
}

#[test]
fn callsign_toml() {
    insta::assert_snapshot!(toml("shceme = 'qualified'"), @r##"
callsign.toml:1:1: unknown setting `shceme`; did you mean `scheme`?
  help: write `scheme`
"##);
    insta::assert_snapshot!(toml("[servers.a]\ncommand = 'x'\nenvironment = {}"), @r##"
callsign.toml:3:1: unknown setting `servers.a.environment`; did you mean `env`?
  help: write `env`
"##);
    insta::assert_snapshot!(toml("[servers.a]\ndisable = true"), @r##"
callsign.toml:2:1: unknown setting `servers.a.disable`; did you mean `disabled`?
  help: write `disabled`
"##);
    insta::assert_snapshot!(toml("[servers.a]\nargs = ['x', 1]"), @r##"
callsign.toml:2:14: wrong type at `servers.a.args[1]`: expected a string, found a number
  help: put it in quotes
"##);
    insta::assert_snapshot!(toml("[severity]\nCS005 = 'warn'"), @r##"
callsign.toml:2:9: wrong value at `severity.CS005`: a severity is `off`, `info`, `warning` or `error`
  help: correct the value
"##);
    insta::assert_snapshot!(toml("[severity]\nCS5 = 'off'"), @r##"
callsign.toml:2:1: wrong value at `severity.CS5`: a finding's code is `CS` and three digits
  help: correct the value
"##);
    insta::assert_snapshot!(toml("[servers.a.options.\"get.x\"]\ntimeout = 3"), @r##"
callsign.toml:2:1: unknown setting `servers.a.options."get.x".timeout`
  help: allowed here: `hidden`, `time_limit_seconds`, `description`
"##);
    insta::assert_snapshot!(toml("[servers.a.options.x]\ntime_limit_seconds = 0"), @r##"
callsign.toml:2:22: wrong value at `servers.a.options.x.time_limit_seconds`: a time limit is more than 0 seconds
  help: correct the value
"##);
    insta::assert_snapshot!(toml("[[servers.a.tools]]\nname = 'x'\n[[servers.a.prompts]]\ntitle = 'y'"), @r##"
callsign.toml:3:1: wrong value at `servers.a.prompts`: it has no `name`
  help: correct the value
"##);
    insta::assert_snapshot!(toml("servers = 1979-05-27"), @r##"
callsign.toml:1:11: wrong type at `servers`: expected a table, found a date
  help: put a table there
"##);
    insta::assert_snapshot!(toml("unambiguous = 'yes'"), @r##"
callsign.toml:1:15: wrong type at `unambiguous`: expected a boolean, found a string
  help: put a boolean there
"##);
}

#[test]
fn a_file_that_is_not_there_is_an_error_of_its_own() {
    let error = read(Path::new("no/such/mcp.json")).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("no/such/mcp.json: the file can't be read: "), "{said}");
    assert!(error.place().is_none() && std::error::Error::source(&error).is_some());
    assert!(read(Path::new(env!("CARGO_MANIFEST_DIR"))).is_err(), "a folder is no file");
}
