"""A plain MCP client that shares no code with callsign: what do the servers of a configuration advertise?

As a program: `probe.py mcp.json` prints one line a server and exits 1 when one doesn't answer.
As a module: `listing(entry)` gives a server's tools, the other opinion that end_to_end.py compares callsign with.
Only the handshake era over stdio, only the standard library.
"""

import json
import os
import subprocess
import sys
import threading

SECONDS = 60


class Unanswered(Exception):
    """The server ended, or stayed silent for SECONDS, before it answered; the text says which."""


class Connection:
    """A started server that is asked one request at a time."""

    def __init__(self, entry):
        self.process = subprocess.Popen(
            [entry["command"], *entry.get("args", [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **entry.get("env", {})},
            text=True,
            encoding="utf-8",
        )
        self.asked = 0
        # Killing the process ends the blocking read below, so a silent server costs SECONDS and no more.
        self.limit = threading.Timer(SECONDS, self.process.kill)
        self.limit.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.limit.cancel()
        self.process.kill()
        self.process.wait()

    def send(self, method, params, **more):
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.send(method, params, id=self.asked)
        for line in self.process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("id") == self.asked and "method" not in message:
                return message["result"]
        raise Unanswered(f"no answer to {method} within {SECONDS} s, or the server ended")


def listing(entry):
    """The tools of one `mcpServers` entry, as the server sent them, to the last page."""
    with Connection(entry) as server:
        server.ask(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "probe", "version": "1"},
            },
        )
        server.send("notifications/initialized", {})
        tools, cursor = [], {}
        while True:
            page = server.ask("tools/list", cursor)
            tools += page["tools"]
            if not page.get("nextCursor"):
                return tools
            cursor = {"cursor": page["nextCursor"]}


def main(path):
    with open(path, encoding="utf-8") as file:
        servers = json.load(file)["mcpServers"]
    silent = 0
    for key, entry in servers.items():
        try:
            print(f"{key}: {len(listing(entry))} tools")
        except (Unanswered, OSError, KeyError) as error:
            silent += 1
            print(f"{key}: {error}")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
