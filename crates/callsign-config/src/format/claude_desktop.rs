//! Claude Desktop. The file holds other settings of the application too and begins its life as `{}`.

use super::entry::COMMON;
use super::mcp_servers::McpServers;

pub(crate) static CLAUDE_DESKTOP: McpServers = McpServers {
    client: "claude-desktop",
    project_files: &[],
    user_files: &[
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        "AppData/Roaming/Claude/claude_desktop_config.json",
        // So that a copy in another folder is known by its name.
        "claude_desktop_config.json",
    ],
    keys: COMMON,
    optional: true,
    by_content: false,
};
