//! When and how the process ends, and what it leaves behind.

mod support;

use support::{CALL, INITIALIZE, LIST, NEVER, PING, Server};

#[test]
fn it_exits_at_a_request_without_an_answer() {
    for (place, last) in
        [("initialize", INITIALIZE), ("list", LIST), ("call", CALL), ("ping", PING)]
    {
        let mut server = Server::start(&["--exit-at", place, "--exit-status", "7"]);
        if last != INITIALIZE {
            server.ask(INITIALIZE);
        }
        server.send(last);
        assert_eq!(server.ends().code(), Some(7), "{place}");
        assert!(server.is_at_its_end(), "{place}");
    }
}

#[test]
fn it_exits_at_the_start_with_a_banner() {
    let mut server = Server::start(&["--exit-at", "start", "--junk", "1", "--exit-status", "0"]);
    assert!(server.ends().success());
    assert_eq!(server.line(), "Working directory: .");
}

#[test]
fn it_exits_after_so_many_answers() {
    let mut server = Server::start(&["--exit-after", "2"]);
    server.ask(INITIALIZE);
    server.ask(PING);
    assert_eq!(server.ends().code(), Some(1));
}

#[test]
fn it_exits_once_and_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    for flags in [["--exit-at", "list"], ["--exit-after", "2"], ["--exit-at", "start"]] {
        let file = folder.path().join(flags.concat());
        let once = ["--exit-once", file.to_str().expect("utf-8")];
        let mut first = Server::start(&[flags, once].concat());
        for request in [INITIALIZE, LIST] {
            first.send(request);
        }
        assert_eq!(first.ends().code(), Some(1), "{flags:?}");
        let mut second = Server::initialized(&[flags, once].concat());
        for request in [LIST, CALL, LIST] {
            assert!(second.ask(request).contains("result"), "{flags:?}");
        }
    }
}

#[test]
fn each_process_can_have_its_own_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record-{pid}");
    let flags = ["--record", file.to_str().expect("utf-8")];
    for _ in 0..2 {
        let mut server = Server::initialized(&flags);
        server.ask(PING);
        let own = folder.path().join(format!("record-{}", server.child.id()));
        assert!(std::fs::read_to_string(own).expect("its own record").contains("ping"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 2);
}

#[test]
fn it_lingers_when_stdin_closes() {
    for flags in [["--lingers"], ["--ignore-sigterm"]] {
        let mut server = Server::initialized(&flags);
        server.close();
        assert!(server.ends_within(NEVER).is_none(), "{flags:?}");
    }
}

#[test]
fn it_never_lives_longer_than_allowed() {
    let mut server = Server::start(&["--lingers"]);
    server.close();
    assert!(server.ends_within(NEVER).is_none());
    let mut short = Server::start(&["--lingers", "--longest-life", "1"]);
    short.close();
    short.ends();
}

#[cfg(unix)]
#[allow(clippy::expect_used, reason = "clippy allows it in test functions, not in what they share")]
mod unix {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    use super::support::{INITIALIZED, NEVER, PING, Server, eventually};

    fn signal(name: &str, target: &str) -> bool {
        let mut command = Command::new("kill");
        command.args([name, "--", target]).stderr(std::process::Stdio::null());
        command.status().expect("kill runs").success()
    }

    #[test]
    fn it_ignores_sigterm_only_if_told_to() {
        for (flags, survives) in [(&["--ignore-sigterm"][..], true), (&[][..], false)] {
            let mut server = Server::initialized(flags);
            assert!(signal("-TERM", &server.child.id().to_string()));
            assert_eq!(server.ends_within(NEVER).is_none(), survives, "{flags:?}");
            if survives {
                server.send(INITIALIZED);
                assert!(server.ask(PING).contains("result"));
            }
        }
    }

    #[test]
    fn its_child_outlives_it_unless_the_group_is_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        for whole_group in [false, true] {
            let file = folder.path().join(format!("pid-{whole_group}"));
            let flags = ["--spawn-child", file.to_str().expect("utf-8")];
            let mut server = Server::start_with(&flags, |command| {
                command.process_group(0);
            });
            eventually("the child's id is written", || file.exists());
            let child = std::fs::read_to_string(&file).expect("the id");
            let server_id = server.child.id();
            if whole_group {
                assert!(signal("-KILL", &format!("-{server_id}")));
            } else {
                assert!(signal("-KILL", &server_id.to_string()));
            }
            server.ends();
            if whole_group {
                eventually("the child ends with its group", || is_gone(&child));
            } else {
                std::thread::sleep(NEVER);
                assert!(!is_gone(&child));
                assert!(signal("-KILL", &child));
            }
        }
    }

    #[test]
    fn its_child_can_keep_stdout_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("pid");
        let flags = ["--spawn-child", file.to_str().expect("utf-8"), "--child-holds-stdout"];
        let mut server = Server::start(&flags);
        eventually("the child's id is written", || file.exists());
        server.child.kill().expect("killed");
        server.ends();
        assert!(server.is_silent(), "stdout must not be at its end");
        assert!(signal("-KILL", &std::fs::read_to_string(&file).expect("the id")));
    }

    /// Gone, or a zombie that nobody has waited for (its parent is gone, and not every init is quick).
    fn is_gone(id: &str) -> bool {
        let state = Command::new("ps").args(["-o", "stat=", "-p", id]).output().expect("ps runs");
        let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
        state.is_empty() || state.starts_with('Z')
    }
}
