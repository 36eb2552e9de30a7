# Recipes for `just` (https://just.systems). Each is one command that also works without it.

# List the recipes.
default:
    @just --list

# Everything that has to pass before a change is proposed; CI runs the same.
ready:
    scripts/test

# The quick part: formatting, lints, unit and integration tests.
quick:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo test --workspace --locked

# Format all code.
format:
    cargo fmt --all

# The demonstration, built for speed.
demo:
    cargo run --release --locked -- demo

# Install the real servers and ask each for its tools with a client that isn't callsign.
real-servers:
    scripts/real-servers --probe

# Run callsign against the real servers.
end-to-end: real-servers
    cargo build --locked
    python3 tests/real-servers/end_to_end.py "${CARGO_TARGET_DIR:-target}/debug/callsign" .real-servers/mcp.json

# Accept changed snapshots after having read them.
snapshots:
    INSTA_UPDATE=always cargo test --workspace --locked
    git diff --stat

# API documentation of all crates.
docs:
    cargo doc --workspace --no-deps --locked --open
