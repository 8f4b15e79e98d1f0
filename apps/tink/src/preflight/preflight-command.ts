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
      'look who gives addresses and boots machines in a network, and advise a mode; needs root, no server',
    )
    .option('--interface <name>', 'network interface of the machines; that of the default route')
    .option('--seconds <number>', 'how long to listen', String(SECONDS_DEFAULT))
    .option('--mac <mac>', 'ask as this machine, for servers that answer those they know; else a random one')
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

/** Sends DISCOVERs and, to UDP 4011, requests for a boot file; never a REQUEST for an address: no lease is taken. */
async function preflight(options: PreflightOptions, terminal: Terminal): Promise<void> {
  const { clock, random, signal } = terminal;
  const seconds = Number(options.seconds);
  if (!(seconds >= 1 && seconds <= SECONDS_MAX))
    throw usageFailure(`--seconds takes 1 to ${SECONDS_MAX}, not ${JSON.stringify(options.seconds)}`);
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
  throw new TinkFailure(
    count === 1 ? '1 problem breaks booting here' : `${count} problems break booting here`,
    {
      exitCode: exitCode.failed,
    },
  );
}

function macOf(text: string): Mac {
  const parsed = parseMac(text);
  if (parsed === undefined)
    throw usageFailure(`--mac takes a MAC such as 08:00:27:9e:f5:3a, not ${JSON.stringify(text)}`);
  return parsed;
}

/** Locally administered, and no group's. */
function randomMac(random: Terminal['random']): Mac {
  const bytes = random.bytes(6);
  bytes[0] = ((bytes[0] ?? 0) & 0xfc) | 0x02;
  return mac(bytesToHex(bytes).replace(/..(?!$)/g, '$&:'));
}
