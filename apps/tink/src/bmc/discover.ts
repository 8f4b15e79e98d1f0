/** Searches a network for BMCs, and writes the manifests that register them. */
import type { Command } from 'commander';
import { discoverBmcs, parseAddressRange, type FoundBmc } from '@tinkerbell/engine-bmc';
import { nodeUdp, openNodeEndpointHttp } from '@tinkerbell/platform-node';
import { bmcMachineKind } from '@tinkerbell/resources';
import { stringifyYaml } from '@tinkerbell/yaml';
import { unknownMachinesIn } from '../client/answers.ts';
import type { Session } from '../client/session.ts';
import { sessionOf } from '../command-line/command-line.ts';
import { TinkFailure, usageFailure } from '../failure.ts';
import { withoutControls } from '../output/printable.ts';
import { progressLine } from '../output/progress-line.ts';
import { alignedText } from '../output/table-text.ts';
import type { Terminal } from '../output/terminal.ts';
import { secondsOf } from '../output/time-span.ts';
import { bmcManifests } from './bmc-manifests.ts';
import { portOf } from './port-option.ts';

interface DiscoverFlags {
  readonly range: readonly string[];
  readonly timeout: string;
  readonly ipmiPort: string;
  readonly redfishPort: string;
  readonly json?: boolean;
  readonly manifests?: boolean;
}

export async function discover(command: Command, terminal: Terminal): Promise<void> {
  const flags = command.opts<DiscoverFlags>();
  const ranges = flags.range.flatMap(addressesIn);
  const ports = {
    ipmi: portOf('--ipmi-port', flags.ipmiPort),
    redfish: portOf('--redfish-port', flags.redfishPort),
  };
  const timeoutMs = secondsOf('--timeout', flags.timeout) * 1000;
  const session = await sessionOf(command, terminal);
  const { registered, asking } = await knownToServer(session);
  const addresses = [...new Set([...ranges, ...asking])];
  const { clock, signal } = terminal;
  const progress = progressLine(terminal, 'asking for Redfish:', addresses.length);
  const onProgress = (done: number): void => progress(Math.min(done, addresses.length));
  const plan = { addresses, ports, timeoutMs, onProgress, signal };
  const found = await discoverBmcs({ udp: nodeUdp, openHttp: openNodeEndpointHttp, clock }, plan);
  if (flags.json === true) {
    for (const bmc of found)
      terminal.out(`${JSON.stringify({ ...bmc, machine: registered.get(bmc.address) })}\n`);
  } else if (flags.manifests === true) {
    const isNew = ({ address }: FoundBmc): boolean => !registered.has(address);
    const documents = bmcManifests(found.filter(isNew), { namespace: session.namespace, ports }).map((one) =>
      stringifyYaml(one),
    );
    terminal.out(withoutControls(documents.join('---\n')));
  } else {
    terminal.out(tableOf(found, registered));
  }
}

function addressesIn(text: string): readonly string[] {
  const range = parseAddressRange(text);
  if (range.ok) return range.addresses;
  throw usageFailure(`--range ${range.message}`, 'for example --range 192.168.56.0/24');
}

interface KnownToServer {
  /** The Machine of each host. */
  readonly registered: ReadonlyMap<string, string>;
  /** The addresses of BMCs whose requests for them the server has heard. */
  readonly asking: readonly string[];
}

/** The search works without a server, too. */
async function knownToServer(session: Session): Promise<KnownToServer> {
  const { client, namespace, terminal } = session;
  try {
    const { items } = await client.list(bmcMachineKind, { namespace });
    const registered = new Map(
      items.map(({ metadata, spec }) => [spec?.connection.host ?? '', metadata.name]),
    );
    return { registered, asking: await askingBmcs(session) };
  } catch (thrown) {
    if (!(thrown instanceof TinkFailure)) throw thrown;
    terminal.styledErr(`not compared with Machines: ${thrown.message}\n`);
    return { registered: new Map(), asking: [] };
  }
}

/** Nothing for a user without permission. */
async function askingBmcs({ client }: Session): Promise<readonly string[]> {
  try {
    const sighted = unknownMachinesIn(await client.document('/unknown-machines'));
    return sighted.flatMap(({ bmc, address }) => (bmc === undefined ? [] : (address ?? [])));
  } catch (thrown) {
    if (thrown instanceof TinkFailure) return [];
    throw thrown;
  }
}

function tableOf(found: readonly FoundBmc[], registered: ReadonlyMap<string, string>): string {
  if (found.length === 0) return 'no BMC has answered\n';
  const rows = found.map(({ address, hasIpmi, redfish }) => [
    address,
    hasIpmi ? 'yes' : 'no',
    redfish?.version ?? 'no',
    [redfish?.vendor, redfish?.product].filter((part) => part !== undefined).join(' '),
    redfish?.uuid ?? '',
    registered.get(address) ?? '<none>',
  ]);
  return alignedText([['ADDRESS', 'IPMI', 'REDFISH', 'PRODUCT', 'UUID', 'MACHINE'], ...rows]);
}
