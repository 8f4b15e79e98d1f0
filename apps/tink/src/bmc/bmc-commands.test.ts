/** Commands of BMCs, against a real server and a simulated Redfish service over TLS. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { nodeClock } from '@tinkerbell/platform-node';
import { certify, ecdsaKey } from '@tinkerbell/platform-x509';
import { PlainRedfishMachine, RedfishSimulator } from '@tinkerbell/sandbox/bmc';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';

let server: RunningServer;
let bmc: RedfishSimulator;
const machine = new PlainRedfishMachine();
const { done, failed, tink } = createCommandRunner(() => server);

before(async () => {
  server = await runServer({ flags: ['--bmc-trust-first-use'] });
  bmc = await RedfishSimulator.open({
    machine,
    username: 'admin',
    password: 'secret',
    tls: newCertificate(),
  });
  const path = writeText(server, 'bmc.yaml', manifest(bmc.port));
  await done(`apply -f ${path}`);
});
after(async () => {
  await bmc[Symbol.asyncDispose]();
  await server.remove();
});

function newCertificate(): { readonly key: string; readonly cert: string } {
  const key = ecdsaKey('P-256');
  const names = { commonName: 'bmc', ips: ['127.0.0.1'], dnsNames: [] };
  const made = certify({ ...names, daysValid: 1, isAuthority: true, key }, nodeClock.nowMs());
  assert.ok(made.ok);
  return { key, cert: made.certificate };
}

const manifest = (port: number): string => `
apiVersion: v1
kind: Secret
metadata: {name: bmc-m1, namespace: default}
stringData: {username: admin, password: secret}
---
apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Machine
metadata: {name: bmc-m1, namespace: default}
spec:
  connection:
    host: 127.0.0.1
    insecureTLS: false
    authSecretRef: {name: bmc-m1, namespace: default}
    providerOptions: {preferredOrder: [gofish], redfish: {port: ${port}}}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: m1, namespace: default}
spec:
  bmcRef: {apiGroup: bmc.tinkerbell.org, kind: Machine, name: bmc-m1}
  interfaces: [{dhcp: {mac: "08:00:27:00:00:01"}}]
`;

test('the parts are read at once, and the certificate of the first contact is pinned', async () => {
  const parts = await done('bmc inventory m1');
  assert.match(parts, /^collectionMethod: redfish$/m);
  assert.match(parts, /^lastUpdated: /m);
  const json: unknown = JSON.parse(await done('bmc inventory m1 --json'));
  assert.ok(typeof json === 'object' && json !== null && 'product' in json);
  const report = await done('bmc check m1');
  assert.match(report, /^default\/bmc-m1 at 127\.0\.0\.1\n {2}contact +ok +the server can log in/);
  assert.match(report, /certificate +ok +pinned: SHA-256 [0-9a-f]{64}/);
  assert.match(report, /inventory +ok +read at .* by redfish/);
});

test('the doctor of the server reads the power and the boot device now', async () => {
  machine.isPowered = false;
  const checks = async (): Promise<readonly string[]> => {
    const { checks: found } = JSON.parse((await tink('doctor m1 --check --from server --json')).out) as {
      readonly checks: readonly {
        readonly check: string;
        readonly state: string;
        readonly message: string;
      }[];
    };
    return found.flatMap(({ check, state, message }) => (check === 'bmc' ? [`${state} ${message}`] : []));
  };
  assert.deepEqual(await checks(), [
    'warning the power is off',
    'note the next boot uses the boot order of the firmware',
  ]);
  machine.isPowered = true;
  assert.equal((await checks())[0], 'ok the power is on');
  machine.isPowered = false;
});

test('a machine boots from the network for repairs, and from its disk afterwards', async () => {
  const mac = '08:00:27:00:00:03';
  const own = `
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: m3, namespace: default}
spec:
  bmcRef: {apiGroup: bmc.tinkerbell.org, kind: Machine, name: bmc-m1}
  interfaces: [{dhcp: {mac: "${mac}", uefi: true}, netboot: {allowPXE: false}}]
`;
  await done('apply -f -', { input: own });
  assert.deepEqual(await tink('rescue m3'), {
    code: 0,
    out: 'm3: in rescue\n',
    err: 'next: open its console: tink console m3\n',
  });
  assert.equal(machine.boots.at(-1), 'pxe');
  assert.equal(await done('rescue m3 --end'), 'm3: repair ended\n');
  assert.equal(machine.boots.at(-1), 'none');
  assert.equal(await done('get jobs.bmc.tinkerbell.org -o name'), '');
  await done('power off m3');
});

test('a search shows the Machine of a BMC, and registers the others', async () => {
  const search = `bmc discover --range 127.0.0.1-127.0.0.2 --timeout 1s --redfish-port ${bmc.port}`;
  const table = await done(search);
  assert.match(
    table,
    /^ADDRESS +IPMI +REDFISH +PRODUCT +UUID +MACHINE\n127\.0\.0\.1 +no +1\.15\.0 .* bmc-m1\n$/,
  );
  const [line = '', ...others] = (await done(`${search} --json`)).trim().split('\n');
  assert.deepEqual([others.length, (JSON.parse(line) as { machine?: string }).machine], [0, 'bmc-m1']);
  assert.equal(await done(`${search} --manifests`), '');
  const manifests = await done(`${search} --manifests -n other`);
  assert.match(manifests, /name: bmc-127-0-0-1\n/);
  const path = writeText(server, 'found.yaml', manifests);
  assert.match(await failed(`apply -n other -f ${path}`), /REPLACE-WITH-THE-PASSWORD is a placeholder/);
  const filled = manifests
    .replace('REPLACE-WITH-THE-USERNAME', 'admin')
    .replace('REPLACE-WITH-THE-PASSWORD', 'secret');
  await done(`apply -n other -f ${writeText(server, 'filled.yaml', filled)} --dry-run=server`);
  const wide = await tink('bmc discover --range 10.0.0.0/8');
  assert.equal(wide.code, 2);
  assert.match(wide.err, /--range 10\.0\.0\.0\/8: has 16777214 addresses, more than 4096/);
});

test('the BMC gets a new password, which only its Secret has', async () => {
  assert.equal(await done('bmc rotate m1'), 'm1: has a new password\n');
  const answer = await server.request(`${server.url}/api/v1/namespaces/default/secrets/bmc-m1`);
  const { data } = (await answer.json()) as { data: Record<string, string> };
  assert.deepEqual(Object.keys(data).toSorted(), ['password', 'username']);
  assert.match(atob(data['password'] ?? ''), /^[A-Za-z0-9]{16}$/);
  assert.equal(await done('power status m1'), 'm1: power status: power is off\n');
});

test('an operation that the BMC accepts and does not carry out is in the report', async () => {
  bmc.lies.ignoresBootDevice = true;
  await failed('boot-device pxe m1');
  const { code, out } = await tink('bmc check m1');
  assert.equal(code, 1);
  assert.match(
    out,
    /operations +FAILED +accepted and not carried out: task\/.*: not-applied: .*boot from pxe/,
  );
  bmc.lies.ignoresBootDevice = false;
});

test('another certificate is refused, with the way out', async () => {
  const { port } = bmc;
  await bmc[Symbol.asyncDispose]();
  bmc = await RedfishSimulator.open({
    machine,
    username: 'admin',
    password: 'secret',
    tls: newCertificate(),
    port,
  });
  assert.match(await failed('bmc inventory m1 --timeout 60s'), /untrusted-certificate: .*not the pinned one/);
  const { code, out } = await tink('bmc check --all --json');
  assert.equal(code, 1);
  const [report] = out.trim().split('\n');
  const { findings } = JSON.parse(report ?? '') as { findings: { check: string; state: string }[] };
  assert.equal(findings.find(({ check }) => check === 'contact')?.state, 'failed');
});
