//! `callsign serve`: the tools of all servers behind one MCP endpoint.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use callsign::ServerKey;
use callsign::registry::{Snapshot, ToolOptions};
use callsign::scheme::Scheme;
use callsign_config::ConfigFile;
use callsign_gateway::{
    Gateway, Limits, Outage, Policy, ServerSettings, Settings, StartReport, ToolSettings,
    known_hosts, scheme_for_host,
};
use callsign_wire::process::interrupted;
use callsign_wire::serve::http::{Access, HttpService, accept};
use callsign_wire::serve::{self, PrincipalId, serve_lines, standard_streams};
use clap::Args;
use tokio::net::TcpListener;

use super::Verbosity;
use crate::arguments::{ConfigurationArguments, SchemeArguments, seconds};
use crate::configuration::{Chosen, Configuration};
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::live::{self, Startable};
use crate::output::{self, DIM, NAME, count, escaped};
use crate::rule_policy::RulePolicy;
use crate::table::Table;
use crate::watch::Watch;
use crate::{consent, naming};

/// How long what was said last may take to be written when the program ends.
const LAST_WORDS: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    configuration: ConfigurationArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    /// The host that will use it: names get as much room as that host leaves.
    #[arg(long, value_name = "HOST", value_parser = known_hosts(), conflicts_with = "scheme")]
    host: Option<String>,
    /// The key under which the host knows this gateway.
    #[arg(long, value_name = "KEY", default_value = "callsign", requires = "host")]
    key: String,
    /// Serve over Streamable HTTP at this address instead of stdio; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "HTTP")]
    http: Option<SocketAddr>,
    /// Ask for a bearer token: a file with a name and a token in each line.
    #[arg(long, value_name = "FILE", requires = "http", help_heading = "HTTP")]
    token_file: Option<PathBuf>,
    /// Let anybody who can reach the address use it, although it is not one of this machine alone.
    #[arg(long, requires = "http", help_heading = "HTTP")]
    without_token: bool,
    /// Consent to running the commands and contacting the addresses of the configuration.
    #[arg(long, short = 'y', help_heading = "Live")]
    yes: bool,
    /// How long one server may take until its tools are known, and one call, in seconds [default: 30 and 120].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Live")]
    timeout: Option<Duration>,
    /// How long the first answers wait for servers that are still starting, in seconds [default: 5].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Live")]
    start_limit: Option<Duration>,
    /// Whether it serves what is available, or nothing unless all servers are.
    #[arg(long, value_enum, default_value_t, help_heading = "Live")]
    start: Start,
    /// Print what would be served, and end.
    #[arg(long)]
    check: bool,
    /// Write the log as JSON, one event a line.
    #[arg(long)]
    log_json: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
enum Start {
    /// What is missing is named, tried again, and announced when it comes.
    #[default]
    Available,
    /// What is missing fails the start.
    Complete,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    log_to_standard_error(arguments.log_json, verbosity);
    let configuration = Configuration::read(&arguments.configuration)?;
    let rules = Arc::new(RulePolicy::of(&configuration));
    let settings = settings(&configuration, arguments)?;
    let settings = Settings { policy: Arc::clone(&rules) as Arc<dyn Policy>, ..settings };
    let access = access(arguments)?;
    // One host over stdio is served fastest by one thread; many over HTTP by as many as there are.
    let mut runtime = match arguments.http {
        Some(_) => tokio::runtime::Builder::new_multi_thread(),
        None => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("can't start the runtime: {error}")))?;
    let ended = runtime.block_on(async {
        let gateway = Arc::new(Gateway::new(settings));
        let ended = tokio::select! {
            ended = serve(&gateway, arguments, access) => ended,
            failure = unfit(&gateway, arguments.start) => Err(failure),
            () = follow(&configuration, &gateway, &rules, arguments) => Ok(exit::SUCCESS),
        };
        // Whoever is impatient asks a second time, which kills the servers.
        tokio::select! {
            () = gateway.stop() => {}
            _ = interrupted() => {}
        }
        ended
    });
    runtime.shutdown_background();
    ended
}

/// Serves until nobody can ask any more, or the program is asked to stop.
async fn serve(
    gateway: &Arc<Gateway>,
    arguments: &Arguments,
    access: Access,
) -> Result<Status, Failure> {
    match arguments.http {
        _ if arguments.check => check(gateway, arguments.start).await,
        Some(address) => over_http(gateway, address, access).await,
        None => over_lines(gateway).await,
    }
}

async fn over_lines(gateway: &Gateway) -> Result<Status, Failure> {
    let (input, output) = standard_streams();
    let mut service = serve_lines(input, output, serve::Limits::default());
    let stopped = tokio::select! {
        () = gateway.serve(&mut service.arrivals) => Ok(()),
        stopped = interrupted() => stopped,
    };
    stopped.map_err(|error| unwatched(&error))?;
    gateway.drained().await;
    service.finish(LAST_WORDS).await;
    Ok(exit::SUCCESS)
}

async fn over_http(
    gateway: &Arc<Gateway>,
    address: SocketAddr,
    access: Access,
) -> Result<Status, Failure> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::with_remedy(format!("can't listen at {address}: {error}"), "choose another port")
    })?;
    let address = listener.local_addr().unwrap_or(address);
    let limits = serve::Limits::default();
    let (service, mut arrivals) = HttpService::new(access, limits.clone());
    // Hosts come one by one and differ in what they can, so the servers need not wait for the first.
    gateway.start(None);
    output::print_error(&format!("serving at http://{address}{}\n", serve::http::PATH));
    let serving = {
        let gateway = Arc::clone(gateway);
        tokio::spawn(async move { gateway.serve(&mut arrivals).await })
    };
    let stopped = async {
        if let Err(error) = interrupted().await {
            tracing::error!(%error, "signals can't be watched");
        }
        service.close();
        gateway.drained().await;
    };
    let beside = gateway.routes().merge(service.private(gateway.metrics()));
    let router = service.router(beside);
    accept(listener, router, &limits, stopped, LAST_WORDS).await;
    serving.abort();
    Ok(exit::SUCCESS)
}

fn unwatched(error: &std::io::Error) -> Failure {
    Failure::new(format!("can't watch for signals: {error}"))
}

/// Prints what would be served.
async fn check(gateway: &Gateway, start: Start) -> Result<Status, Failure> {
    gateway.start(None);
    let report = tokio::select! {
        report = gateway.started() => report,
        stopped = interrupted() => {
            stopped.map_err(|error| unwatched(&error))?;
            return Err(Failure::Interrupted);
        }
    };
    verdict(&report, start)?;
    output::print(&listed(&gateway.tools()))?;
    for outage in &report.missing {
        output::print_error(&format!("missing: {}\n", escaped(&outage.to_string())));
    }
    Ok(if report.missing.is_empty() { exit::SUCCESS } else { exit::FINDINGS })
}

fn listed(tools: &Snapshot) -> String {
    let mut table = Table::new(["NAME", "SERVER", "TOOL"]);
    for tool in tools.listed() {
        let server = tool.server().map(ToString::to_string).unwrap_or_default();
        let name = (tool.exposed().to_string(), NAME);
        table.row([name, (server, anstyle::Style::new()), (tool.wire().to_string(), DIM)]);
    }
    let (tools, servers) = (count(tools.len(), "tool"), count(tools.servers().count(), "server"));
    format!("{}\n{tools} of {servers}\n", table.render())
}

/// Comes about if the start came to something that may not be served.
async fn unfit(gateway: &Gateway, start: Start) -> Failure {
    match verdict(&*gateway.started().await, start) {
        Ok(()) => std::future::pending().await,
        Err(failure) => failure,
    }
}

/// Whether what the start came to may be served.
fn verdict(report: &StartReport, start: Start) -> Result<(), Failure> {
    let StartReport { missing, refused } = report;
    let (what, why) = match start {
        Start::Complete if !missing.is_empty() => ("not all servers can be served", missing),
        // Nobody has a name for being first, and a host that is not told would miss a tool.
        _ if !refused.is_empty() => ("not all tools can be named", refused),
        _ => return Ok(()),
    };
    let lines: Vec<String> =
        why.iter().map(|outage| format!("\n  {}", escaped(&outage.to_string()))).collect();
    let remedy = "mend them, leave them out with --only, or take another --scheme";
    Err(Failure::with_remedy(format!("{what}:{}", lines.concat()), remedy))
}

/// Follows the configuration: a change that can be used is, and one that can't is told and changes nothing. Never ends.
async fn follow(
    configuration: &Configuration,
    gateway: &Gateway,
    rules: &RulePolicy,
    arguments: &Arguments,
) {
    let paths: Vec<PathBuf> = configuration.files.iter().map(|file| file.path.clone()).collect();
    let digests = |it: &Configuration| it.files.iter().map(ConfigFile::digest).collect::<Vec<_>>();
    let mut used = digests(configuration);
    let mut watch = Watch::of(paths);
    loop {
        watch.changed().await;
        let changed = Configuration::read(&arguments.configuration)
            .and_then(|changed| Ok((settings(&changed, arguments)?, changed)));
        match changed {
            Ok((_, changed)) if digests(&changed) == used => {}
            Ok((settings, changed)) => {
                tracing::warn!("the configuration has changed and is applied");
                used = digests(&changed);
                rules.follow(&changed);
                gateway.reconfigure(settings.servers, settings.unavailable).await;
            }
            Err(failure) => {
                let reason = escaped(&failure.to_string());
                tracing::warn!(%reason, "the changed configuration can't be used; the old one stays");
            }
        }
    }
}

fn settings(configuration: &Configuration, arguments: &Arguments) -> Result<Settings, Failure> {
    let chosen = configuration.choose(&arguments.configuration.only)?;
    let (mut startable, mut unavailable) = (Vec::new(), Vec::new());
    for chosen in chosen {
        match live::startable(chosen) {
            Ok(server) => startable.push(server),
            Err(unchecked) => unavailable.push(Outage {
                server: chosen.entry.key.clone(),
                reason: unchecked.reason,
                remedy: unchecked.remedy.unwrap_or_default(),
                since: SystemTime::now(),
                retry: None,
            }),
        }
    }
    consent::obtain_by(&startable.iter().collect::<Vec<_>>(), arguments.yes, "--yes")?;
    let servers = startable.into_iter().map(server).collect();
    let scheme = scheme(configuration, arguments)?;
    let limits = limits(arguments);
    let memory = live::memory();
    Ok(Settings { unavailable, scheme, memory, limits, ..Settings::new(servers) })
}

fn server(startable: Startable<'_>) -> ServerSettings {
    let Chosen { entry, .. } = startable.chosen;
    let options = entry.options.iter().map(|options| {
        let set = ToolOptions {
            time_limit: options.time_limit,
            hidden: options.hidden,
            description: options.description.clone(),
        };
        (options.wire.value.to_string(), set)
    });
    let tools = ToolSettings { filter: entry.filter.clone(), options: options.collect() };
    ServerSettings { spec: startable.spec, tools }
}

fn scheme(
    configuration: &Configuration,
    arguments: &Arguments,
) -> Result<Arc<dyn Scheme>, Failure> {
    let Some(host) = &arguments.host else {
        let nothing: [(&ServerKey, &callsign::WireName); 0] = [];
        let settings = configuration.settings();
        return naming::scheme(&arguments.scheme, &settings, "prefixed-safe", nothing);
    };
    match scheme_for_host(host, &arguments.key) {
        Some(scheme) => Ok(Arc::new(scheme)),
        None => Err(Failure::with_remedy(
            format!("--key {}: {host} leaves too little room for names", escaped(&arguments.key)),
            "use a shorter key",
        )),
    }
}

fn limits(arguments: &Arguments) -> Limits {
    let mut limits = Limits::default();
    if let Some(limit) = arguments.timeout {
        (limits.server.start, limits.server.call) = (limit, limit);
    }
    limits.start = arguments.start_limit.unwrap_or(limits.start);
    limits
}

/// Who may ask over HTTP.
fn access(arguments: &Arguments) -> Result<Access, Failure> {
    let is_loopback = arguments.http.is_none_or(|address| address.ip().is_loopback());
    let Some(path) = &arguments.token_file else {
        if is_loopback {
            return Ok(Access::loopback());
        }
        if arguments.without_token {
            return Ok(Access::loopback().any_host());
        }
        return Err(Failure::with_remedy(
            "others than this machine could use every tool without a token",
            "give tokens with --token-file, listen at 127.0.0.1, or say --without-token",
        ));
    };
    let file = escaped(&path.to_string_lossy());
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format!("can't read {file}: {error}")))?;
    let access = if is_loopback { Access::loopback() } else { Access::loopback().any_host() };
    with_tokens(access, &text).map_err(|(line, reason)| {
        Failure::with_remedy(format!("{file}:{line}: {reason}"), "write `NAME TOKEN` in each line")
    })
}

/// Reads tokens, a name and a token a line; `#` begins a comment. An error tells the line, and never the token.
fn with_tokens(mut access: Access, text: &str) -> Result<Access, (usize, String)> {
    let mut any = false;
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, token)) = line.split_once(char::is_whitespace) else {
            return Err((number, "there is no token".to_owned()));
        };
        any = true;
        access = access
            .token(PrincipalId::new(name), token.trim())
            .map_err(|error| (number, error.to_string()))?;
    }
    if any { Ok(access) } else { Err((1, "there is no token in it".to_owned())) }
}

/// What happens is written to standard error: with `--verbose` all of it, else what somebody should look at.
fn log_to_standard_error(json: bool, verbosity: Verbosity) {
    let level = match verbosity {
        Verbosity { verbose: true, .. } => tracing::Level::INFO,
        Verbosity { quiet: true, .. } => tracing::Level::ERROR,
        _ => tracing::Level::WARN,
    };
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    let log = log.with_ansi(false).with_target(false);
    // Set once in the life of the program.
    let _ = if json { log.json().try_init() } else { log.try_init() };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_and_never_told() {
        let read = |text: &str| with_tokens(Access::loopback(), text).map(drop);
        assert_eq!(read("# who may\nalice s3cret-1\n\nbob\ts3cret-2\n"), Ok(()));
        let (line, reason) = read("alice s3cret\nbob s3cret").unwrap_err();
        assert!(line == 2 && !reason.contains("s3cret"), "{reason}");
        assert_eq!(read("alice").unwrap_err().0, 1);
        assert!(read("# nobody").is_err());
    }
}
