/**
 * Runs DHCP clients of operating systems through the whole life of a lease. They get it, renew it, are
 * refused after the machine was moved to another address, accept the new one, and release it. All run at the
 * same time, each on its own veth pair.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { dhcpClients, type DhcpClient } from '../testing/dhcp-clients.ts';
import { linkNamespaces, whyNoNamespaces, type LinkedNamespaces } from '../testing/linked-namespaces.ts';
import { MAC } from '../testing/rack.ts';
import { startService, type ServeOptions } from '../testing/service-process.ts';

/**
 * Clients renew at half the lease time. All four accept 20 as it is. The rest is what a busy machine may need to restart the
 * service before the lease ends and nothing is left to refuse.
 */
const LEASE_SECONDS = 30;
const MOVED_TO = '192.168.77.11';
const PATIENCE_MS = 60_000;

const skip = whyNoNamespaces([]);

describe('clients of operating systems', { skip, concurrency: true }, () => {
  for (const client of dhcpClients) {
    const missing = existsSync(client.program) ? false : `${client.program} is not installed`;
    test(`${client.name} gets, renews, loses, changes and releases its address`, { skip: missing }, () =>
      liveOneLease(client),
    );
    test(`${client.name} gets an address of a pool, and releases it`, { skip: missing }, () =>
      leaseFromPool(client),
    );
  }
});

async function liveOneLease(client: DhcpClient): Promise<void> {
  await using stage = await setStage(client, 'life');
  const first = await stage.serve({ leaseSeconds: LEASE_SECONDS });
  const running = stage.start();
  await first.until(
    (events) => events.filter((event) => event === 'acknowledge-sent 192.168.77.10').length >= 2,
  );
  await stage.untilAddress('192.168.77.10/24');
  assert.ok(!first.events().includes('refusal-sent 0.0.0.0'));
  await first.stop();

  const second = await stage.serve({ leaseSeconds: LEASE_SECONDS, address: MOVED_TO });
  await second.until((events) => events.includes(`acknowledge-sent ${MOVED_TO}`));
  assert.equal(second.events()[0], 'refusal-sent 0.0.0.0', 'the renewal of the former address');
  await stage.untilAddress(`${MOVED_TO}/24`);
  await running.end();
  await second.until((events) => events.includes('address-released'));
  await second.stop();
}

async function leaseFromPool(client: DhcpClient): Promise<void> {
  await using stage = await setStage(client, 'pool');
  const pool = '192.168.77.150-192.168.77.160/24,gateway=192.168.77.1,dns=192.168.77.53,lease=10m';
  const service = await stage.serve({ isEmpty: true, pool });
  const running = stage.start();
  await service.until((events) => events.includes('acknowledge-sent 192.168.77.150'));
  await stage.untilAddress('192.168.77.150/24');
  await running.end();
  await service.until((events) => events.includes('address-released'));
  await service.stop();
}

/** A veth pair with the client's machine at its end, and the means to watch both. */
async function setStage(client: DhcpClient, act: string) {
  const directory = mkdtempSync(join(tmpdir(), `dhcp-${client.name}-`));
  const link = linkNamespaces(`${client.name.slice(0, 8)}-${act}`, MAC);
  const undo = new AsyncDisposableStack();
  undo.defer(() => rmSync(directory, { recursive: true, force: true }));
  undo.defer(() => link.remove());
  return {
    async serve(options: Partial<ServeOptions>) {
      const all = { ipxeDirectory: directory, networkInterfaces: ['s0'], singlePort: false, ...options };
      const service = await startService(link.server, all);
      undo.defer(() => service.stop());
      const events = () => service.lines.map((line) => eventOf(line));
      return { ...service, events, until: (holds: Check) => untilTrue(() => holds(events()), events) };
    },
    start: () => startClient(client, { link, directory, undo }),
    untilAddress: (address: string) =>
      untilTrue(
        () => addressesIn(link).includes(address),
        () => addressesIn(link),
      ),
    [Symbol.asyncDispose]: () => undo.disposeAsync(),
  };
}

type Check = (events: readonly string[]) => boolean;

function eventOf(line: string): string {
  const { event, details } = JSON.parse(line) as { event: string; details?: { address?: string } };
  return details?.address === undefined ? event : `${event} ${details.address}`;
}

function startClient(
  client: DhcpClient,
  { link, directory, undo }: { link: LinkedNamespaces; directory: string; undo: AsyncDisposableStack },
) {
  const words = ['netns', 'exec', link.client, ...client.command(directory)];
  const child = spawn('ip', words, { stdio: 'ignore' });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  undo.defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    async end() {
      const release = client.release?.(directory);
      if (release === undefined) child.kill();
      else link.inClient(...(release as [string, ...string[]]));
      await ended;
    },
  };
}

function addressesIn(link: LinkedNamespaces): readonly string[] {
  const shown = link.inClient('ip', '-4', '-oneline', 'address', 'show', 'dev', 'c0');
  return [...shown.matchAll(/inet (\S+)/g)].map(([, address]) => address ?? '');
}

/** Retries until it succeeds. Fails with the last observation after a time that suits the slowest machine. */
async function untilTrue(holds: () => boolean, seen: () => readonly string[]): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > deadline) assert.fail(`timed out; seen: ${seen().join(', ')}`);
    await sleep(100);
  }
}
