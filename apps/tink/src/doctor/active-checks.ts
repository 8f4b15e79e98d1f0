/** `tink doctor MACHINE --check`: what can be tried from this host, besides what the server has observed. */
import { holderCheck, portCheck, probedAddresses, type Check } from '@tinkerbell/diagnosis';
import { messageOf } from '@tinkerbell/platform-contract';
import { createNodeAddressProbe, tryPorts } from '@tinkerbell/platform-node';
import { hardwareKind, macsOf, type Hardware } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';
import { reportsOf } from '../bmc/bmc-reports.ts';
import type { ObjectName } from '../client/client.ts';
import type { Session } from '../client/session.ts';
import { observe } from '../preflight/observe.ts';
import { reportOf } from '../preflight/report.ts';

const PROBE_MS = 1_000;
const PREFLIGHT_SECONDS = 8;
const GRPC_PORT = 42113;
const TFTP_PORT = 69;
const LINES_SHOWN = 5;

export interface CheckOptions {
  /** The network interface of this host by which the machine should come in. Absent: its network is not checked. */
  readonly networkInterface?: string;
}

export async function activeChecks(
  session: Session,
  target: ObjectName,
  { networkInterface }: CheckOptions,
): Promise<readonly Check[]> {
  const { client } = session;
  const hardware = await client.get({ ...target, kind: hardwareKind });
  const records = await client.timeline(target, 0);
  const checks: readonly Promise<readonly Check[]>[] = [
    portsOf(records),
    addressOf(hardware),
    bmcOf(session, hardware),
    consoleOf(session, target),
    networkInterface === undefined ? Promise.resolve([]) : networkOf(session, hardware, networkInterface),
  ];
  return (await Promise.all(checks)).flat();
}

/** The server puts its address, as machines reach it, into the URLs that it sends. */
async function portsOf(records: readonly JournalRecord[]): Promise<readonly Check[]> {
  const url = records
    .map(({ details }) => String(details?.['file'] ?? ''))
    .findLast((file) => file.startsWith('http://'));
  if (url === undefined) {
    const message = 'the machine has not got a URL of the server yet, so its address there is unknown';
    return [{ check: 'ports', state: 'note', message }];
  }
  const { hostname, port } = new URL(url);
  const tried = await tryPorts(hostname, [
    { name: 'HTTP', asks: 'tcp', port: Number(port || '80') },
    { name: 'gRPC', asks: 'tcp', port: GRPC_PORT },
    { name: 'TFTP', asks: 'tftp', port: TFTP_PORT },
  ]);
  return tried.map((one) => portCheck(one, { host: hostname, who: 'this host' }));
}

async function addressOf(hardware: Hardware): Promise<readonly Check[]> {
  const probe = createNodeAddressProbe();
  try {
    return await Promise.all(
      probedAddresses(hardware).map(async (address) =>
        holderCheck(address, { holder: await probe.holderOf(address, PROBE_MS), hardware }),
      ),
    );
  } finally {
    probe.close();
  }
}

async function bmcOf(session: Session, hardware: Hardware): Promise<readonly Check[]> {
  const bmc = hardware.spec?.bmcRef?.name ?? '';
  if (bmc === '') return [{ check: 'bmc', state: 'note', message: 'the Hardware names no BMC' }];
  try {
    const reports = await reportsOf(session, [{ hardware, bmc }]);
    return reports.flatMap(({ findings }) =>
      findings.map(({ check, state, message }) => ({ check: 'bmc', state, message: `${check}: ${message}` })),
    );
  } catch (thrown) {
    return [{ check: 'bmc', state: 'failed', message: messageOf(thrown) }];
  }
}

async function consoleOf({ client }: Session, target: ObjectName): Promise<readonly Check[]> {
  const lines: string[] = [];
  for await (const { message } of await client.log(target, { after: 0 })) {
    lines.push(message);
    if (lines.length > LINES_SHOWN) lines.shift();
  }
  if (lines.length === 0) return [{ check: 'console', state: 'note', message: 'nothing is recorded' }];
  return lines.map((message) => ({ check: 'console', state: 'note', message }));
}

/** Other servers, ports in use and small MTUs, as `tink preflight` finds them. It asks with the MAC of the machine. */
async function networkOf(
  { terminal }: Session,
  hardware: Hardware,
  networkInterface: string,
): Promise<readonly Check[]> {
  const { clock, random, signal } = terminal;
  const mac: Mac | undefined = parseMac(macsOf(hardware)[0] ?? '');
  if (mac === undefined) return [{ check: 'network', state: 'note', message: 'the Hardware has no MAC' }];
  try {
    const options = { networkInterface, seconds: PREFLIGHT_SECONDS, mac, clock, random, signal };
    const { findings } = reportOf(await observe(options));
    return findings.map(({ level, text, advice }) => ({
      check: 'network',
      state: level === 'problem' ? 'failed' : level,
      message: advice === undefined ? text : `${text}: ${advice}`,
    }));
  } catch (thrown) {
    return [{ check: 'network', state: 'note', message: `not checked: ${messageOf(thrown)}` }];
  }
}
