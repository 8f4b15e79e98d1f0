/**
 * A server, our relay and a host with the address of a machine, each in its own network namespace: what the relay finds out about a firewall on
 * the way, over the API of the server.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createNetworkHost, createObject, enterPrivateNetwork, startServer } from '@tinkerbell/sandbox';
import { until } from './console/console-site.ts';
import { createLab, HOST_INTERFACE, type Lab } from './firmware/lab.ts';
import { accountToken } from './account-token.ts';
import { relayTokenFile, startRelay } from './firmware/relay.ts';

const MAC = '52:54:00:66:77:01';
const RELAY = 'rack-7';
const DIAGNOSIS = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware/m1/diagnosis';

const skip = process.getuid?.() === 0 ? false : 'network namespaces need root';

interface Check {
  readonly check: string;
  readonly state: string;
  readonly message: string;
}

async function serverIn(lab: Lab, directory: string) {
  const folder = (name: string): string => {
    mkdirSync(join(directory, name));
    return join(directory, name);
  };
  return startServer({
    dataDirectory: folder('data'),
    imagesDirectory: folder('images'),
    hookDirectory: folder('hook'),
    ipxeDirectory: folder('ipxe'),
    networkInterface: HOST_INTERFACE,
    address: lab.serverAddress,
    host: lab.server,
  });
}

test(
  'a relay finds the port that its side drops, and the host that has the address of the machine',
  { skip },
  async () => {
    await using cleanup = new AsyncDisposableStack();
    const directory = mkdtempSync(join(tmpdir(), 'relay-checks-'));
    cleanup.defer(() => rmSync(directory, { recursive: true, force: true }));
    const network = await enterPrivateNetwork('10.251.0.1');
    const lab = await createLab(network, { index: 1, isRelayed: true }, cleanup);
    await startRelay(lab, [lab.serverAddress], { directory, cleanup, hasApi: true });
    const server = await serverIn(lab, directory);
    cleanup.defer(() => server.stop());
    const address = `${lab.machineNetwork}.50`;
    const ip = { address, netmask: '255.255.255.0', gateway: `${lab.machineNetwork}.1` };
    await createObject(server, {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Hardware',
      metadata: { name: 'm1', namespace: 'default' },
      spec: { interfaces: [{ dhcp: { mac: MAC, ip }, netboot: { allowPXE: true } }] },
    });
    const ask = async (path: string, method = 'GET') => {
      const response = await server.request(`${server.url}${path}`, { method });
      const body = (await response.json()) as { checks?: Check[]; relays?: string[]; message?: string };
      return { code: response.status, body };
    };
    const fromRelay = () => ask(`${DIAGNOSIS}?from=relay:${RELAY}`, 'POST');
    const { code, body } = await fromRelay();
    assert.equal(code, 409);
    assert.match(body.message ?? '', /no relay "rack-7" is connected/);
    writeFileSync(relayTokenFile(directory), await accountToken(server, { name: RELAY, role: 'relay' }));
    await until(async () => (await ask(`${DIAGNOSIS}?neighbours=true`)).body.relays?.[0] === RELAY);

    const statesOf = async () =>
      ((await fromRelay()).body.checks ?? []).map(
        ({ check, state, message }) => `${check} ${state}: ${message}`,
      );
    const host = lab.serverAddress;
    const answers = (what: string): string => `ports ok: ${what} of ${host} answers the relay ${RELAY}`;
    assert.deepEqual(await statesOf(), [
      answers('HTTP, tcp/7080'),
      answers('gRPC, tcp/42113'),
      answers('TFTP, udp/69'),
      `address note: ${address}: no host answers the relay ${RELAY}`,
    ]);

    const rule = ['-t', 'mangle', '-A', 'POSTROUTING', '-p', 'udp', '--dport', '69', '-j', 'DROP'];
    await lab.relay?.run('iptables', ...rule);
    const leg = { name: HOST_INTERFACE, bridge: lab.machineBridge, address: `${address}/24` };
    const rival = await createNetworkHost([leg]);
    cleanup.defer(() => rival.stop());
    const states = await statesOf();
    assert.equal(
      states[2],
      `ports failed: TFTP, udp/69 of ${host} does not answer the relay ${RELAY}: nothing within 3 s`,
    );
    assert.match(
      states[3] ?? '',
      /^address failed: 10\.1\.2\.50: another host, with the MAC [\da-f:]{17}, uses it$/,
    );
  },
);
