/** Tests the DHCPv6 listener with ISC's dhclient, each side in its own network namespace. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ip, linkNamespaces, whyNoNamespaces, type LinkedNamespaces } from '../testing/linked-namespaces.ts';
import { MAC } from '../testing/rack.ts';

const DHCLIENT = '/usr/sbin/dhclient';
const skip = whyNoNamespaces([DHCLIENT]);

/**
 * The request of HTTP boot firmware in dhclient's configuration language: architecture 16, and a vendor class that dhclient has
 * no name for.
 */
const CONFIGURATION = `
option dhcp6.arch code 61 = unsigned integer 16;
option dhcp6.class code 16 = string;
send dhcp6.arch 16;
send dhcp6.class 00:00:01:57:00:0a:48:54:54:50:43:6c:69:65:6e:74;
also request dhcp6.bootfile-url, dhcp6.class;
`;

let directory: string;
let namespaces: LinkedNamespaces;

interface Running {
  /** Resolves with the first match in its output, now or later. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  stop(): Promise<void>;
}

function run(namespace: string, command: readonly string[]): Running {
  const child = spawn('ip', ['netns', 'exec', namespace, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const waiting = new Set<() => void>();
  const onOutput = (chunk: Buffer) => {
    output += chunk.toString();
    for (const look of waiting) look();
  };
  child.stdout.on('data', onOutput);
  child.stderr.on('data', onOutput);
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  return {
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output);
          if (match !== null) resolve(match);
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`${command.join(' ')} ended: ${output}`)));
      }),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

const serve = (...address: string[]) =>
  run(namespaces.server, [
    process.execPath,
    new URL('../testing/serve-v6.ts', import.meta.url).pathname,
    ...address,
  ]);

const dhclient = (...words: string[]) => {
  const files = ['-lf', join(directory, `leases-${words.join('')}`), '--no-pid'];
  const settings = ['-cf', join(directory, 'dhclient.conf'), '-sf', join(directory, 'print.sh')];
  return run(namespaces.client, [
    DHCLIENT,
    '-6',
    '-d',
    '-1',
    '-D',
    'LL',
    ...words,
    ...files,
    ...settings,
    'c0',
  ]);
};

/** Sends a request and returns what dhclient passes to its script. */
async function asked(server: Running, client: () => Running): Promise<Record<string, string>> {
  try {
    await server.printed(/^ready$/m);
    const running = client();
    try {
      const [, text = ''] = await running.printed(/BEGIN\n([^]*?)END\n/);
      return Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
    } finally {
      await running.stop();
    }
  } finally {
    await server.stop();
  }
}

describe('dhclient and DHCPv6', { skip }, () => {
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'boot-dhcpv6-'));
    writeFileSync(join(directory, 'dhclient.conf'), CONFIGURATION);
    const script = '#!/bin/sh\n[ -n "$new_dhcp6_server_id" ] && { echo BEGIN; env; echo END; }\nexit 0\n';
    writeFileSync(join(directory, 'print.sh'), script, { mode: 0o755 });
    namespaces = linkNamespaces('v6', MAC);
    // Link-local addresses without the one-second duplicate address detection.
    for (const [namespace, name] of [
      [namespaces.server, 's0'],
      [namespaces.client, 'c0'],
    ] as const) {
      ip('-n', namespace, '-6', 'address', 'flush', 'dev', name);
      ip(
        '-n',
        namespace,
        '-6',
        'address',
        'add',
        name === 's0' ? 'fe80::1/64' : 'fe80::2/64',
        'dev',
        name,
        'nodad',
      );
    }
  });
  after(() => {
    namespaces.remove();
    rmSync(directory, { recursive: true });
  });

  test('an Information-request returns the boot file URL and the IPv6 name server', async () => {
    const got = await asked(serve(), () => dhclient('-S'));
    assert.equal(got['new_dhcp6_bootfile_url'], `http://[2001:db8::1]:7080/ipxe/binary/${MAC}/ipxe.efi`);
    assert.equal(got['new_dhcp6_name_servers'], '2001:db8::53');
    assert.equal(got['new_dhcp6_class'], '0:0:1:57:0:a:48:54:54:50:43:6c:69:65:6e:74');
  });

  test('a Solicit returns the address of the Hardware', async () => {
    const got = await asked(serve('2001:db8::10'), () => dhclient('-N'));
    assert.equal(got['new_ip6_address'], '2001:db8::10');
    assert.equal(got['new_life_starts'] === undefined, false);
    assert.equal(got['new_max_life'], '3600');
    assert.equal(got['new_dhcp6_bootfile_url'], `http://[2001:db8::1]:7080/ipxe/binary/${MAC}/ipxe.efi`);
  });

  test('the answer to a Solicit for a Hardware without IPv6 address states that there is none', async () => {
    const server = serve();
    await server.printed(/^ready$/m);
    const client = dhclient('-N', '-v');
    try {
      await client.printed(/Status code of no addrs/);
      await server.printed(/"event":"advertise-sent"/);
    } finally {
      await client.stop();
      await server.stop();
    }
  });
});
