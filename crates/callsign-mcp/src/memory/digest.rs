use sha2::{Digest, Sha256};

use crate::spec::Launch;

/// SHA-256, in hexadecimal, over how a server is started or reached, its secrets included: another token may show other
/// tools. Entries of the environment and headers count in sorted order. Nothing can be read back out of it.
#[must_use]
pub fn digest(launch: &Launch) -> String {
    let mut hash = Sha256::new();
    // Every part goes in with its length, so that no two configurations run into one text.
    let mut part = |text: &[u8]| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    match launch {
        Launch::Stdio { command, args, env, cwd } => {
            part(b"stdio 1");
            part(command.as_bytes());
            part(args.len().to_string().as_bytes());
            args.iter().for_each(|arg| part(arg.as_bytes()));
            pairs(env, &mut part);
            part(cwd.as_ref().map(|path| path.as_os_str().as_encoded_bytes()).unwrap_or_default());
        }
        Launch::Http { url, headers } => {
            part(b"http 1");
            part(url.as_bytes());
            pairs(headers, &mut part);
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn pairs(pairs: &[(String, crate::spec::Secret)], part: &mut impl FnMut(&[u8])) {
    let mut sorted: Vec<_> = pairs.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, value) in sorted {
        part(name.as_bytes());
        part(value.expose().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Secret;

    fn stdio(args: &[&str], env: &[(&str, &str)]) -> String {
        digest(&Launch::Stdio {
            command: "c".to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: env.iter().map(|(n, v)| ((*n).to_owned(), Secret::new(*v))).collect(),
            cwd: None,
        })
    }

    #[test]
    fn every_part_counts_and_its_bounds_too() {
        let all = [
            stdio(&["ab"], &[]),
            stdio(&["a", "b"], &[]),
            stdio(&[], &[("ab", "")]),
            stdio(&[], &[("a", "b")]),
            stdio(&[], &[("a", "c")]),
        ];
        let different: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert_eq!(all[0].len(), 64);
    }

    #[test]
    fn the_order_of_the_environment_does_not_count() {
        assert_eq!(stdio(&[], &[("a", "1"), ("b", "2")]), stdio(&[], &[("b", "2"), ("a", "1")]));
    }
}
