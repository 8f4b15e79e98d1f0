/**
 * A network with third-party DHCP servers, for tests: a bridge with an optional dnsmasq, a host `s0` for another server, and
 * the host `c0` that runs the preflight.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const LAN_ADDRESS = '192.168.77.2';
export const SERVER_ADDRESS = '192.168.77.1';
export const PROBER_ADDRESS = '192.168.77.3';

const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });

export function whyNoLan(): string | false {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  try {
    ip('netns', 'add', `probe-${process.pid}`);
    ip('netns', 'delete', `probe-${process.pid}`);
    return false;
  } catch {
    return 'network namespaces cannot be made here';
  }
}

export const notInstalled = (program: string): string | false =>
  existsSync(program) ? false : `${program} is not installed`;

type Place = 'lan' | 'server';

export class DhcpLan implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'preflight-'));
  readonly #undo = new AsyncDisposableStack();
  readonly #names = {
    lan: `pre-l-${process.pid}`,
    server: `pre-s-${process.pid}`,
    prober: `pre-c-${process.pid}`,
  };

  constructor() {
    this.#undo.defer(() => rmSync(this.folder, { recursive: true }));
    const { lan, server, prober } = this.#names;
    for (const name of [lan, server, prober]) {
      ip('netns', 'add', name);
      this.#undo.defer(() => void ip('netns', 'delete', name));
      ip('-n', name, 'link', 'set', 'lo', 'up');
    }
    ip('-n', lan, 'link', 'add', 'br0', 'type', 'bridge', 'forward_delay', '0', 'stp_state', '0');
    ip('-n', lan, 'address', 'add', `${LAN_ADDRESS}/24`, 'dev', 'br0');
    ip('-n', lan, 'link', 'set', 'br0', 'up');
    for (const [name, device, address] of [
      [server, 's0', SERVER_ADDRESS],
      [prober, 'c0', PROBER_ADDRESS],
    ] as const) {
      ip('link', 'add', `${device}-lan`, 'netns', lan, 'type', 'veth', 'peer', 'name', device, 'netns', name);
      ip('-n', lan, 'link', 'set', `${device}-lan`, 'master', 'br0', 'up');
      ip('-n', name, 'address', 'add', `${address}/24`, 'dev', device);
      ip('-n', name, 'link', 'set', device, 'up');
    }
  }

  /** Runs in the namespace of the host that runs the preflight. */
  ip(...words: string[]): void {
    ip('-n', this.#names.prober, ...words);
  }

  /** Runs `tink preflight` there. Returns its exit code and output. */
  async preflight(...words: string[]): Promise<{ code: number; out: string; err: string }> {
    const main = join(import.meta.dirname, '../main.mjs');
    const command = ['netns', 'exec', this.#names.prober, process.execPath, main, 'preflight', ...words];
    const child = spawn('ip', command, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = [child.stdout, child.stderr].map((stream) => Array.fromAsync(stream));
    const [code] = (await once(child, 'close')) as [number];
    return { code, out: String(await out), err: String(await err) };
  }

  async dnsmasq(...options: string[]): Promise<void> {
    const all = [
      '--keep-in-foreground',
      '--log-facility=-',
      '--conf-file=/dev/null',
      '--user=root',
      '--port=0',
      '--no-ping',
      '--interface=br0',
      `--dhcp-leasefile=${join(this.folder, 'leases')}`,
      `--pid-file=${join(this.folder, 'dnsmasq.pid')}`,
      ...options,
    ];
    await this.#start('lan', ['/usr/sbin/dnsmasq', ...all], /DHCP, (IP range|proxy)/);
  }

  async kea(range: string): Promise<void> {
    const file = join(this.folder, 'kea.json');
    const subnet = { id: 1, subnet: '192.168.77.0/24', pools: [{ pool: range }] };
    const options = [{ name: 'routers', data: SERVER_ADDRESS }];
    const settings = {
      'interfaces-config': { interfaces: ['s0'] },
      'lease-database': { type: 'memfile', persist: false },
      subnet4: [{ ...subnet, 'option-data': options }],
      loggers: [{ name: 'kea-dhcp4', output_options: [{ output: 'stdout' }], severity: 'INFO' }],
    };
    writeFileSync(file, JSON.stringify({ Dhcp4: settings }));
    const command = ['/usr/bin/env', `KEA_PIDFILE_DIR=${this.folder}`, `KEA_LOCKFILE_DIR=none`];
    await this.#start('server', [...command, '/usr/sbin/kea-dhcp4', '-c', file], /DHCP4_STARTED/);
  }

  async dhcpd(subnet: string): Promise<void> {
    const [file, leases] = [join(this.folder, 'dhcpd.conf'), join(this.folder, 'dhcpd.leases')];
    writeFileSync(file, `authoritative; ping-check false; default-lease-time 600;\n${subnet}\n`);
    writeFileSync(leases, '');
    const command = [
      '/usr/sbin/dhcpd',
      '-4',
      '-f',
      '-d',
      '-cf',
      file,
      '-lf',
      leases,
      '-pf',
      `${file}.pid`,
      's0',
    ];
    await this.#start('server', command, /Server starting service/);
  }

  /** Our boot service, in the same setup as its own tests. */
  async tinkerbell(options: object): Promise<void> {
    // It offers no file that it does not have.
    for (const name of ['ipxe.efi', 'undionly.kpxe']) writeFileSync(join(this.folder, name), 'binary');
    const program = join(import.meta.dirname, '../../../../services/boot/src/testing/serve.ts');
    const all = { ipxeDirectory: this.folder, networkInterfaces: ['s0'], singlePort: false, ...options };
    await this.#start('server', [process.execPath, program, JSON.stringify(all)], /^ready$/);
  }

  async #start(place: Place, command: readonly string[], ready: RegExp): Promise<void> {
    const child = spawn('ip', ['netns', 'exec', this.#names[place], ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    this.#undo.defer(async () => {
      child.kill();
      await ended;
    });
    const lines: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        if (ready.test(line)) resolve();
      });
    }
    const early = ended.then(() => assert.fail(`${command[0]} ended:\n${lines.join('\n')}`));
    early.catch(() => undefined);
    await Promise.race([promise, early]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#undo.disposeAsync();
  }
}
