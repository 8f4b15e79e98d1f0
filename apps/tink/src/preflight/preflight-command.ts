import type { Command } from 'commander';
import { bytesToHex, mac, parseMac, type Mac } from '@tinkerbell/wire';
import { exitCode, TinkFailure, usageFailure } from '../failure.ts';
import { observe } from './observe.ts';
import { isBroken, reportOf, reportText } from './report.ts';
import type { Terminal } from '../output/terminal.ts';
import { examples } from '../command-line/command-line.ts';

interface PreflightOptions {
  readonly interface?: string;
  readonly seconds: string;
  readonly mac?: string;
  readonly json?: boolean;
}

/** dnsmasq pings an address for three seconds before it offers it. */
const SECONDS_DEFAULT = 8;
const SECONDS_MAX = 300;

export function addPreflight(program: Command, terminal: Terminal): void {
  program
    .command('preflight')
    .description(
      'find the servers that assign addresses and boot machines in a network, and advise a DHCP mode; needs root, no server',
    )
    .option('--interface <name>', 'network interface of the machines (default: that of the default route)')
    .option('--seconds <number>', 'how long to listen', String(SECONDS_DEFAULT))
    .option(
      '--mac <mac>',
      'MAC to send probes with, for servers that answer only known machines (default: random)',
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        'sudo tink preflight --interface eth1',
        'sudo tink preflight --interface eth1 --mac 08:00:27:9e:f5:3a --json',
      ),
    )
    .action((options: PreflightOptions) => preflight(options, terminal));
}

/** Sends DISCOVERs and, to UDP 4011, requests for a boot file. Never sends a REQUEST for an address, so it takes no lease. */
async function preflight(options: PreflightOptions, terminal: Terminal): Promise<void> {
  const { clock, random, signal } = terminal;
  const seconds = Number(options.seconds);
  if (!(seconds >= 1 && seconds <= SECONDS_MAX))
    throw usageFailure(`--seconds must be 1 to ${SECONDS_MAX}, not ${JSON.stringify(options.seconds)}`);
  const asked = options.mac === undefined ? randomMac(random) : macOf(options.mac);
  const observation = await observe({
    networkInterface: options.interface,
    seconds,
    mac: asked,
    clock,
    random,
    signal,
  });
  const report = reportOf(observation);
  terminal.out(options.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  if (!isBroken(report)) return;
  const count = report.findings.filter(({ level }) => level === 'problem').length;
  throw new TinkFailure(count === 1 ? '1 problem prevents booting' : `${count} problems prevent booting`, {
    exitCode: exitCode.failed,
  });
}

function macOf(text: string): Mac {
  const parsed = parseMac(text);
  if (parsed === undefined)
    throw usageFailure(`--mac must be a MAC such as 08:00:27:9e:f5:3a, not ${JSON.stringify(text)}`);
  return parsed;
}

/** Returns a random MAC that is locally administered and unicast. */
function randomMac(random: Terminal['random']): Mac {
  const bytes = random.bytes(6);
  bytes[0] = ((bytes[0] ?? 0) & 0xfc) | 0x02;
  return mac(bytesToHex(bytes).replace(/..(?!$)/g, '$&:'));
}
