/** Measures how long a network has no DHCP, as a machine of it. */
import { runCommand } from '@tinkerbell/hook';
import { startChild } from '@tinkerbell/sandbox';

const PORT = 'asks0';
/** A request each second. The stage that waits for it has a limit of its own. */
const REQUESTS_MAX = 100_000;

/** Resolves with the seconds from now until a client with this MAC has an address. No machine with it may be on. */
export async function dhcpSilence(bridge: string, mac: string): Promise<number> {
  const startedMs = performance.now();
  await runCommand('ip', [
    'link',
    'add',
    PORT,
    'address',
    mac,
    'type',
    'veth',
    'peer',
    'name',
    `${PORT}-end`,
  ]);
  await runCommand('ip', ['link', 'set', `${PORT}-end`, 'master', bridge, 'up']);
  await runCommand('ip', ['link', 'set', PORT, 'up']);
  const asks = ['-i', PORT, '-f', '-n', '-q', '-T', '1', '-t', String(REQUESTS_MAX), '-s', '/bin/true'];
  const client = await startChild('busybox', ['udhcpc', ...asks]);
  client.process.stdout?.resume();
  client.process.stderr?.resume();
  const end = await client.ended;
  const seconds = (performance.now() - startedMs) / 1000;
  await runCommand('ip', ['link', 'delete', PORT]);
  if (end !== 0) throw new Error(`busybox udhcpc ended with ${end} instead of an address for ${mac}`);
  return seconds;
}
