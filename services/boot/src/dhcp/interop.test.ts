/**
 * Foreign clients against the service, each side in its own network namespace, joined by a veth pair. busybox's udhcpc requests
 * an address. curl and busybox load what the reply names.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { MAC } from '../testing/rack.ts';
import { startService } from '../testing/service-process.ts';

const SERVER = `boot-s-${process.pid}`;
const CLIENT = `boot-c-${process.pid}`;
const ip = (...words: string[]) => execFileSync('ip', words, { stdio: 'pipe' });
const inClient = (program: string, ...words: string[]) =>
  execFileSync('ip', ['netns', 'exec', CLIENT, program, ...words], { encoding: 'utf8', timeout: 20_000 });

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  const missing = ['/usr/bin/busybox', '/usr/bin/curl'].find((program) => !existsSync(program));
  if (missing !== undefined) return `${missing} is not installed`;
  try {
    ip('netns', 'add', SERVER);
    return false;
  } catch {
    return 'network namespaces cannot be created here';
  }
}

const skip = whyNot();
const binary = Buffer.alloc(100_000, 'x');
let directory: string;

function joinNamespaces(): void {
  ip('netns', 'add', CLIENT);
  ip('link', 'add', 's0', 'netns', SERVER, 'type', 'veth', 'peer', 'name', 'c0', 'netns', CLIENT);
  ip('-n', SERVER, 'address', 'add', '192.168.77.1/24', 'dev', 's0');
  ip('-n', CLIENT, 'link', 'set', 'c0', 'address', MAC);
  for (const [namespace, name] of [
    [SERVER, 's0'],
    [SERVER, 'lo'],
    [CLIENT, 'c0'],
  ] as const) {
    ip('-n', namespace, 'link', 'set', name, 'up');
  }
}

const serve = (options: { networkInterfaces: string[]; singlePort: boolean }) =>
  startService(SERVER, { ipxeDirectory: directory, ...options });

/** The values that udhcpc passes to its script, as a record. */
function lease(vendorClass: string): Record<string, string> {
  const script = join(directory, 'lease.sh');
  writeFileSync(script, '#!/bin/sh\n[ "$1" = bound ] && env > "$0.env"\nexit 0\n', { mode: 0o755 });
  inClient(
    '/usr/bin/busybox',
    'udhcpc',
    '-f',
    '-q',
    '-n',
    '-t',
    '3',
    '-T',
    '1',
    '-i',
    'c0',
    '-s',
    script,
    '-V',
    vendorClass,
  );
  const text = readFileSync(`${script}.env`, 'utf8');
  return Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

describe('foreign clients', { skip }, () => {
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'boot-interop-'));
    writeFileSync(join(directory, 'ipxe.efi'), binary);
    joinNamespaces();
  });
  after(() => {
    for (const namespace of [SERVER, CLIENT]) ip('netns', 'delete', namespace);
    rmSync(directory, { recursive: true });
  });

  for (const networkInterfaces of [['s0'], []]) {
    const where = networkInterfaces.length === 0 ? 'all network interfaces' : 'one network interface';
    test(`udhcpc gets its reservation from a service on ${where}`, async () => {
      const service = await serve({ networkInterfaces, singlePort: false });
      try {
        const got = lease('udhcp');
        const { ip, mask, router, dns, hostname, lease: seconds, serverid, siaddr } = got;
        assert.deepEqual(
          { ip, mask, router, dns, hostname, seconds, serverid, siaddr },
          {
            ip: '192.168.77.10',
            mask: '24',
            router: '192.168.77.1',
            dns: '192.168.77.1',
            hostname: 'machine1',
            seconds: '3600',
            serverid: '192.168.77.1',
            siaddr: '192.168.77.1',
          },
        );
      } finally {
        await service.stop();
      }
      assert.deepEqual(
        service.lines.map((line) => JSON.parse(line).event),
        ['offer-sent', 'acknowledge-sent'],
      );
    });
  }

  for (const singlePort of [true, false]) {
    test(`curl and busybox load the binary by TFTP and HTTP, single port ${singlePort}`, async () => {
      const service = await serve({ networkInterfaces: ['s0'], singlePort });
      try {
        inClient('ip', 'address', 'replace', '192.168.77.10/24', 'dev', 'c0');
        const to = join(directory, 'received');
        inClient('/usr/bin/curl', '-sS', '-o', to, `tftp://192.168.77.1/${MAC}/ipxe.efi`);
        assert.deepEqual(readFileSync(to), binary);
        inClient('/usr/bin/busybox', 'tftp', '-g', '-b', '1428', '-l', to, '-r', 'ipxe.efi', '192.168.77.1');
        assert.deepEqual(readFileSync(to), binary);
        inClient('/usr/bin/curl', '-sS', '-o', to, `http://192.168.77.1:7080/ipxe/binary/${MAC}/ipxe.efi`);
        assert.deepEqual(readFileSync(to), binary);
        assert.match(
          inClient('/usr/bin/curl', '-sS', 'http://192.168.77.1:7080/ipxe/script/auto.ipxe'),
          /^#!ipxe/,
        );
      } finally {
        await service.stop();
      }
      const entries = service.lines.map((line) => JSON.parse(line));
      assert.deepEqual(
        entries.map(({ source, event, machine }) => [source, event, machine]),
        [
          ['tftp', 'file-sent', MAC],
          ['tftp', 'file-sent', MAC],
          ['http', 'binary-sent', MAC],
          ['http', 'script-served', MAC],
        ],
      );
    });
  }
});
