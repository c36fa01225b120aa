//! `nslookup` and `getent`. There are three sorts of `nslookup`: that of BusyBox before 1.29, which asks the C library; that
//! of BusyBox since, which asks the DNS itself, with the search domains for names without a dot; and that of BIND.

use std::net::IpAddr;

use super::resolve::resolv_conf;
use crate::network::dns::{RecordType, Records, reverse_name};
use crate::network::resolver::ResolvConf;
use crate::shell::machine::{Ran, Shell};
use crate::shell::{Tools, tools::net::flags, tools::net::value};

const NO_SERVER: &str = ";; connection timed out; no servers could be reached\n";

pub(in crate::shell::tools) fn nslookup(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    // Options begin with one dash and have long names.
    let args: Vec<String> = args
        .iter()
        .map(|a| if a.len() > 2 && a.starts_with('-') { format!("-{a}") } else { a.clone() })
        .collect();
    let (flags, operands) = flags(&args, &[]);
    let Some(name) = operands.first().map(|n| (*n).to_owned()) else { return Ok(1) };
    let asked = value(&flags, &["type", "querytype", "q", "query"]).map(str::to_owned);
    let type_ = match asked.as_deref().map(|t| (t, RecordType::parse(t))) {
        Some((text, None)) => {
            shell.error(&match shell.program.tools {
                Tools::Busybox => format!("nslookup: invalid query type \"{text}\""),
                Tools::Gnu => format!("unknown query type: {text}"),
            });
            return Ok(1);
        }
        Some((_, type_)) => type_,
        None => None,
    };
    let mut conf = resolv_conf(shell);
    if let Some(server) = operands.get(1) {
        match shell.address(server)? {
            Ok(address) => conf.servers = vec![address],
            Err(_) => {
                shell.error(&match shell.program.tools {
                    Tools::Busybox => format!("nslookup: bad address '{server}'"),
                    Tools::Gnu => format!("nslookup: couldn't get address for '{server}': not found"),
                });
                return Ok(1);
            }
        }
    }
    match shell.program.tools {
        Tools::Busybox if shell.program.libc_nslookup => by_libc(shell, &conf, &name),
        Tools::Busybox => busybox(shell, &conf, &name, type_),
        Tools::Gnu => bind(shell, &conf, &name, type_),
    }
}

/// Addresses with their names, as BusyBox printed them before it had a DNS client of its own (`print_host`).
fn by_libc(shell: &mut Shell<'_>, conf: &ResolvConf, name: &str) -> Ran {
    if let Some(server) = conf.servers.first().copied() {
        let named = name_of(shell, conf, server)?;
        shell.print(&format!("Server:    {server}\nAddress 1: {server}{named}\n\n"));
    }
    match shell.addresses(name)? {
        Ok((addresses, _)) => {
            shell.print(&format!("Name:      {name}\n"));
            for (n, address) in (1..).zip(addresses) {
                let named = name_of(shell, conf, address)?;
                shell.print(&format!("Address {n}: {address}{named}\n"));
            }
            Ok(0)
        }
        Err(_) => {
            shell.error(&format!("nslookup: can't resolve '{name}'"));
            Ok(1)
        }
    }
}

pub(super) fn name_of(
    shell: &mut Shell<'_>,
    conf: &ResolvConf,
    address: IpAddr,
) -> Result<String, crate::shell::machine::Stop> {
    let records = shell.query(&conf.servers, &reverse_name(address), RecordType::Ptr)?;
    let name = records.and_then(|r| r.names.first().map(|n| format!(" {n}")));
    Ok(name.unwrap_or_default())
}

/// The lines about the records of a name, in the form that BusyBox and BIND share but for the end of names to which records lead:
/// BIND prints the root's dot (`dns_rdata_totext`).
fn lines(name: &str, records: &Records, type_: RecordType, end: &str) -> String {
    let mut out = String::new();
    let owners = std::iter::once(name).chain(records.aliases.iter().map(|a| &**a));
    for (of, alias) in owners.zip(&records.aliases) {
        out.push_str(&format!("{of}\tcanonical name = {alias}{end}\n"));
    }
    let owner = records.owner(name);
    for address in &records.addresses {
        out.push_str(&format!("Name:\t{owner}\nAddress: {address}\n"));
    }
    for s in &records.services {
        out.push_str(&format!("{name}\tservice = 0 {} {} {}{end}\n", s.weight, s.port, s.target));
    }
    for n in &records.names {
        out.push_str(&format!("{name}\tname = {n}{end}\n"));
    }
    if type_ == RecordType::Txt {
        for t in &records.texts {
            out.push_str(&format!("{name}\ttext = \"{t}\"\n"));
        }
    }
    out
}

/// BusyBox since 1.29 (`networking/nslookup.c`). It asks for A and for AAAA, of each search domain if the name has no dot,
/// and prints all answers. Its status is 1 if one of them is an error.
fn busybox(shell: &mut Shell<'_>, conf: &ResolvConf, name: &str, type_: Option<RecordType>) -> Ran {
    let address = name.parse::<IpAddr>().ok().filter(|_| type_.is_none());
    let (names, types) = match (address, type_) {
        (Some(address), _) => (vec![reverse_name(address)], vec![RecordType::Ptr]),
        (None, type_) => {
            let searched = conf.search.iter().map(|domain| format!("{name}.{domain}"));
            let plain = name.contains('.') || conf.search.is_empty();
            let names = if plain { vec![name.to_owned()] } else { searched.collect() };
            (names, type_.map_or_else(|| vec![RecordType::A, RecordType::Aaaa], |t| vec![t]))
        }
    };
    let (mut code, mut greeted) = (0, false);
    for type_ in types {
        for name in &names {
            let Some(records) = shell.query(&conf.servers, name, type_)? else {
                shell.print(&format!("{NO_SERVER}\n"));
                return Ok(1);
            };
            if !greeted {
                let server = conf.servers.first().map(IpAddr::to_string).unwrap_or_default();
                shell.print(&format!("Server:\t\t{server}\nAddress:\t{server}:53\n\n"));
                greeted = true;
            }
            if records.exists {
                shell.print(&format!("{}\n", lines(name, &records, type_, "")));
            } else {
                shell.print(&format!("** server can't find {name}: {}\n\n", records.status()));
                code = 1;
            }
        }
    }
    Ok(code)
}

/// BIND's (`bin/dig/nslookup.c`). It uses the search domains and `ndots` as the C library does.
fn bind(shell: &mut Shell<'_>, conf: &ResolvConf, name: &str, type_: Option<RecordType>) -> Ran {
    let address = name.parse::<IpAddr>().ok().filter(|_| type_.is_none());
    let types = match (address, type_) {
        (Some(_), _) => vec![RecordType::Ptr],
        (None, Some(type_)) => vec![type_],
        (None, None) => vec![RecordType::A, RecordType::Aaaa],
    };
    let candidates = address.map_or_else(|| conf.candidates(name), |a| vec![reverse_name(a)]);
    let server = conf.servers.first().map(IpAddr::to_string).unwrap_or_default();
    let mut status = "NXDOMAIN";
    for candidate in &candidates {
        let (mut out, mut exists) = (String::new(), false);
        status = "NXDOMAIN";
        for type_ in &types {
            let Some(records) = shell.query(&conf.servers, candidate, *type_)? else {
                shell.print(&format!("{NO_SERVER}\n"));
                return Ok(1);
            };
            exists |= records.exists;
            status = records.failure.map_or(status, |f| f.as_str());
            out.push_str(&lines(candidate, &records, *type_, "."));
        }
        if exists {
            // A pointer is printed without the header, as it comes from the reverse tree.
            if address.is_none() {
                shell.print(&format!("Server:\t\t{server}\nAddress:\t{server}#53\n\n"));
            }
            if out.is_empty() {
                out = format!("*** Can't find {name}: No answer\n");
            }
            shell.print(&format!("{out}\n"));
            return Ok(0);
        }
    }
    shell.print(&format!("Server:\t\t{server}\nAddress:\t{server}#53\n\n"));
    let shown = candidates.last().map_or(name, String::as_str);
    shell.print(&format!("** server can't find {shown}: {status}\n\n"));
    Ok(1)
}

pub(in crate::shell::tools) fn getent(shell: &mut Shell<'_>, args: &[String]) -> Ran {
    let (Some(database), Some(name)) = (args.get(1).cloned(), args.get(2).cloned()) else { return Ok(2) };
    let Ok((mut addresses, canonical)) = shell.addresses(&name)? else { return Ok(2) };
    // `hosts` is content with IPv6 if there is any (`hosts_keys` of glibc's `nss/getent.c`).
    if database == "hosts" && addresses.iter().any(std::net::IpAddr::is_ipv6) {
        addresses.retain(std::net::IpAddr::is_ipv6);
    }
    for (n, address) in addresses.iter().enumerate() {
        if database.starts_with("ahosts") {
            let shown = if n == 0 { canonical.as_str() } else { "" };
            for sort in ["STREAM", "DGRAM", "RAW"] {
                let shown = if sort == "STREAM" { shown } else { "" };
                shell.print(format!("{address:<15} {sort:<6} {shown}").trim_end());
                shell.print("\n");
            }
        } else {
            shell.print(&format!("{address:<15} {canonical}\n"));
        }
    }
    Ok(0)
}
