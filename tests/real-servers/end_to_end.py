"""Runs callsign against the servers that scripts/real-servers installed, and compares it with probe.py.

Usage: end_to_end.py CALLSIGN mcp.json

Each check prints one line; the last line is `N passed, N failed`; exit status 1 when one failed. Only the standard library.
"""

import json
import pathlib
import subprocess
import sys
import time

import probe

SECONDS = 120
checks = {"passed": 0, "failed": 0}


def check(what, holds, otherwise=""):
    checks["passed" if holds else "failed"] += 1
    print(f"{'ok' if holds else 'FAILED'}: {what}" + ("" if holds else f": {otherwise}"))


def run(*arguments):
    """Exit status, standard output and standard error of one run without a terminal."""
    done = subprocess.run(
        arguments, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=SECONDS
    )
    return done.returncode, done.stdout, done.stderr


def checked_live(callsign, config, advertised):
    """`check --live` finds every tool that the plain client found, in the same order, and nothing wrong."""
    status, out, err = run(
        callsign, "check", "--live", "--yes", "--config", config, "--format", "json"
    )
    check("check --live exits 0", status == 0, f"exit {status}, {err.strip()}")
    try:
        report = json.loads(out)
    except ValueError as error:
        check("check --live prints JSON", False, f"{error}: {out[:200]!r}")
        return {}
    states = {server["key"]: server["status"] for server in report["servers"]}
    names = {}
    for key, tools in advertised.items():
        check(f"{key} was asked", states.get(key) == "live", f"its status is {states.get(key)}")
        rows = [tool for tool in report["tools"] if tool["server"] == key]
        wires = [tool["wire"] for tool in rows]
        expected = [tool["name"] for tool in tools]
        check(f"{key}: all {len(expected)} tools, in order", wires == expected, f"got {wires}")
        names.update({(key, tool["wire"]): tool["name"] for tool in rows})
    check("no two tools share a name", len(set(names.values())) == len(names), f"{names}")
    wrong = {f"mcp__{key}__{wire}": name for (key, wire), name in names.items()
             if name != f"mcp__{key}__{wire}"}
    check("each name is the qualified one", not wrong, f"{wrong}")
    return names


def listed(callsign, config, names):
    """`list --live` shows every name."""
    status, out, err = run(callsign, "list", "--live", "--yes", "--config", config)
    check("list --live exits 0", status == 0, f"exit {status}, {err.strip()}")
    absent = sorted(name for name in names.values() if name not in out)
    check(f"list --live shows all {len(names)} names", names and not absent, f"not shown: {absent}")


def calls(folder):
    """Exposed name, arguments, and a text that only the right server answers with."""
    entity = f"entity {time.time_ns()}"  # the memory server keeps what earlier runs gave it
    return [
        ("mcp__everything__echo", {"message": "who answers?"}, "Echo: who answers?"),
        (
            "mcp__filesystem__read_text_file",
            {"path": str(folder / "files" / "sample.txt")},
            "A file that the filesystem server may read.",
        ),
        (
            "mcp__memory__create_entities",
            {"entities": [{"name": entity, "entityType": "word", "observations": []}]},
            entity,
        ),
        ("mcp__memory__read_graph", {}, entity),
        (
            "mcp__sequential-thinking__sequentialthinking",
            {"thought": "one", "thoughtNumber": 1, "totalThoughts": 7, "nextThoughtNeeded": False},
            "totalThoughts",
        ),
        ("mcp__time__get_current_time", {"timezone": "UTC"}, "UTC"),
        (
            "mcp__git__git_log",
            {"repo_path": str(folder / "repo")},
            "First commit of the sample repository",
        ),
    ]


def called(callsign, config):
    """`call` reaches each server under the exposed name and prints its answer."""
    for name, arguments, answer in calls(pathlib.Path(config).resolve().parent):
        status, out, err = run(
            callsign, "call", name, "--args", json.dumps(arguments), "--yes", "--config", config
        )
        check(
            f"call {name}", status == 0 and answer in out, f"exit {status}, {out[:200]!r}, {err.strip()}"
        )


def main(callsign, config):
    with open(config, encoding="utf-8") as file:
        advertised = {key: probe.listing(entry) for key, entry in json.load(file)["mcpServers"].items()}
    names = checked_live(callsign, config, advertised)
    listed(callsign, config, names)
    called(callsign, config)
    print(f"{checks['passed']} passed, {checks['failed']} failed")
    return 1 if checks["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
