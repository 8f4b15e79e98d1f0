import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kindNamed, validateManifest, validateResource } from './index.ts';

const hardware = `apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata:
  name: m1
spec:
  interfaces:
    - dhcp:
        mac: "52:54:00:12:34:56"
        ip: {address: 192.168.1.5, netmask: 255.255.255.0}
`;

function problemsOf(text: string): string[] {
  const validated = validateManifest(text, 'hw.yaml');
  return validated.ok
    ? []
    : validated.problems.map((one) => `${one.file}:${one.line}:${one.column}: ${one.message}`);
}

test('accepts a good Hardware and fills in defaults', () => {
  const validated = validateManifest(hardware, 'hw.yaml');
  assert.ok(validated.ok);
  const spec = validated.objects[0]?.resource.spec as { interfaces: { disableDhcp: boolean }[] };
  assert.equal(spec.interfaces[0]?.disableDhcp, false);
});

test('reports where a MAC is wrong and suggests the right one', () => {
  assert.deepEqual(problemsOf(hardware.replace('52:54:00:12:34:56', '52-54-00-AB-34-56')), [
    'hw.yaml:8:9: spec.interfaces[0].dhcp.mac: "52-54-00-AB-34-56": must be a MAC address in lower case with colons; write "52:54:00:ab:34:56"',
  ]);
});

test('reports where a field is misspelt and which was meant', () => {
  assert.deepEqual(problemsOf(hardware.replace('interfaces:', 'intefraces:')), [
    'hw.yaml:6:3: spec.intefraces: unknown field "intefraces"; did you mean "interfaces"?',
  ]);
});

test('reports every problem of a document at once', () => {
  const text = hardware.replace('name: m1', 'name: M_1').replace('netmask: 255.255.255.0', 'netmask: 24');
  assert.equal(problemsOf(text).length, 2);
});

test('suggests quotes where a string was read as a number', () => {
  assert.match(
    problemsOf(hardware.replace('netmask: 255.255.255.0', 'netmask: 24'))[0] ?? '',
    /write "24" in quotes/,
  );
});

test('refuses an invalid address', () => {
  assert.match(
    problemsOf(hardware.replace('192.168.1.5', '192.168.1.500'))[0] ?? '',
    /ip\.address: "192\.168\.1\.500": must be an IP address/,
  );
  for (const [address, count] of [
    ['"fd00::5"', 0],
    ['"1:2"', 1],
    ['"::1::"', 1],
    ['192.168.01.5', 1],
  ] as const)
    assert.equal(problemsOf(hardware.replace('192.168.1.5', address)).length, count, address);
});

test('refuses a boot file without its server', () => {
  const text = hardware.replace('        ip:', '        boot_file_name: pxe\n        ip:');
  assert.match(problemsOf(text)[0] ?? '', /must both be specified or both be empty/);
});

test('suggests the kind and the group that were meant', () => {
  assert.match(
    problemsOf(hardware.replace('kind: Hardware', 'kind: Hardwear'))[0] ?? '',
    /did you mean Hardware\?/,
  );
  assert.match(
    problemsOf(hardware.replace('tinkerbell.org/', 'tinkerbell.com/'))[0] ?? '',
    /Hardware is in tinkerbell\.org\/v1alpha1/,
  );
});

test('splits a List into its items', () => {
  const item = hardware
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
    .replace('    apiVersion', '  - apiVersion');
  const validated = validateManifest(`apiVersion: v1\nkind: List\nitems:\n${item}`, 'list.yaml');
  assert.ok(validated.ok);
  assert.equal(validated.objects.length, 1);
});

test('accepts provider names in any case, as the pattern allows', () => {
  const machine = (order: string) => ({
    apiVersion: 'bmc.tinkerbell.org/v1alpha1',
    kind: 'Machine',
    metadata: { name: 'm' },
    spec: { connection: { host: 'h', insecureTLS: true, providerOptions: { preferredOrder: [order] } } },
  });
  assert.ok(validateResource(machine('IPMItool')).ok);
  assert.ok(!validateResource(machine('telnet')).ok);
});

test('finds a kind by any of its names', () => {
  for (const name of ['hardware', 'hw', 'Hardware', 'hardware.tinkerbell.org'])
    assert.equal(kindNamed(name)?.kind, 'Hardware');
  assert.equal(kindNamed('task.bmc.tinkerbell.org')?.kind, 'Task');
  assert.equal(kindNamed('pods'), undefined);
});

test('never throws on arbitrary JSON', () => {
  const header = { apiVersion: 'tinkerbell.org/v1alpha1', kind: 'Hardware', metadata: { name: 'a' } };
  fc.assert(fc.property(fc.jsonValue(), (value) => void validateResource(value)));
  fc.assert(fc.property(fc.jsonValue(), (spec) => void validateResource({ ...header, spec })));
});
