use super::pool::Pool;
use super::target::Target;

/// The key that a lossy exact spelling belongs to when it is read as it stands, if that is another registered server's.
///
/// A tool of `foo:bar` was once called `mcp__foo_bar__…`. As long as no other server is there, a grant that is written so
/// can only be meant for it. Once a server of the very key `foo_bar` is registered, the same text names *that* server,
/// whatever tools it has today; so the grant no longer reaches `foo:bar`.
///
/// This is the one place where fewer grants are given than the implementation gives that the vectors were executed with:
/// its own design says what stands here, its code looks only for another tool of the whole text. What the tool's name is
/// plays no part; a key that is spelled as it is written loses nothing, and its grants stand.
pub(super) fn owner_of_lossy<'a>(
    text: &str,
    target: &Target<'_>,
    pool: &'a Pool,
) -> Option<&'a str> {
    let spelled = target.legacy_key();
    let is_lossy = spelled != target.call.server && text == target.legacy();
    if is_lossy { pool.server_of_key(spelled) } else { None }
}
