/** `tink console` with OpenSSH's client, a real server and a simulated BMC whose serial port echoes. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { nodeIpmiCrypto } from '@tinkerbell/engine-bmc';
import { cipherSuites } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp } from '@tinkerbell/platform-node';
import { IpmiResponder, PlainMachine } from '@tinkerbell/sandbox/bmc';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { freePort, runServer, type RunningServer } from '../testing/running-server.ts';

const MAIN = join(import.meta.dirname, '../main.mjs');
const skip = existsSync('/usr/bin/ssh') ? false : 'needs ssh (Debian package openssh-client)';
let server: RunningServer;
let bmc: IpmiResponder;
let port: number;
const { done, failed } = createCommandRunner(() => server);

before(async () => {
  port = await freePort();
  server = await runServer({ flags: ['--enable-secondstar', `--secondstar-port=${port}`] });
  const settings = {
    accounts: [{ username: 'admin', password: 'secret', privilege: 4 }],
    guid: new Uint8Array(16),
    suites: cipherSuites,
  };
  const deps = { udp: nodeUdp, clock: nodeClock, random: nodeRandom, crypto: nodeIpmiCrypto };
  bmc = await IpmiResponder.open(deps, { settings, machine: new PlainMachine() });
});
after(async () => {
  await bmc[Symbol.asyncDispose]();
  await server.remove();
});

const manifest = (key: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: bmc-m1, namespace: lab}
stringData: {username: admin, password: secret}
---
apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Machine
metadata: {name: bmc-m1, namespace: lab}
spec:
  connection:
    host: 127.0.0.1
    insecureTLS: true
    authSecretRef: {name: bmc-m1, namespace: lab}
    providerOptions: {preferredOrder: [ipmitool], ipmitool: {port: ${bmc.port}}}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: m1, namespace: lab, annotations: {tinkerbell.org/record-console: 'true'}}
spec:
  bmcRef: {apiGroup: bmc.tinkerbell.org, kind: Machine, name: bmc-m1}
  interfaces: [{dhcp: {mac: "08:00:27:00:00:01"}}]
  metadata: {instance: {ssh_keys: ["${key}"]}}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: m2, namespace: lab}
spec: {interfaces: [{dhcp: {mac: "08:00:27:00:00:02"}}]}
`;

test('what is typed reaches the serial port, and what it sends is shown', { skip }, async () => {
  const key = join(server.folder, 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const path = writeText(server, 'site.yaml', manifest(readFileSync(`${key}.pub`, 'utf8').trim()));
  await done(`apply -f ${path} --create-namespace`);
  assert.match(await failed('console m2 -n lab'), /hardware\/m2 has no BMC/);

  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];
  const words = ['console', '08:00:27:00:00:01', '-n', 'lab', '-i', key, '--port', String(port)];
  const child = spawn(process.execPath, [MAIN, ...words, '--ssh-option', ...options], {
    stdio: 'pipe',
    env: { ...process.env, TINK_SERVER: server.url, TINKERBELL_DATA_DIR: join(server.folder, 'data') },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => (text += part.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const shows = async (expected: RegExp): Promise<void> => {
    while (!expected.test(text)) {
      const isOver = await Promise.race([
        ended.then(() => true),
        new Promise<false>((go) => setTimeout(go, 50, false)),
      ]);
      if (isOver) assert.fail(`it has ended: ${text}`);
    }
  };
  await shows(/~\./);
  child.stdin.write('hello, serial port\r');
  await shows(/hello, serial port/);
  child.stdin.write('\rboot_token=abc123\n~.');
  assert.equal(await ended, 0, text);

  const printed = async (): Promise<string> => done('console m1 -n lab --recorded');
  while (!(await printed()).includes('boot_token=')) await new Promise((go) => setTimeout(go, 100));
  assert.match(await printed(), /boot_token=\*\*\*\n/);
  assert.match(await done('console m1 -n lab --recorded --timestamps'), /^\d{4}-.* boot_token=\*\*\*$/m);
});
