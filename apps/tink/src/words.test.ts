/** Parsing of words on the command line and in old files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isManifest, nameInTemplate, objectNameFor } from './template/bare-template.ts';
import { splitName } from './command-line/command-line.ts';
import { parseConfig } from './client/config-file.ts';
import { hardwareMapFor, macIn, mapInJson, pairsOf } from './workflow/hardware-map.ts';
import { hardwareFromLegacy } from './hardware/legacy-hardware.ts';
import { alignedText, columnWidths } from './output/table-text.ts';
import { stemOf, workflowNames } from './workflow/workflow-name.ts';

test('a MAC is recognised in every usual form, and a name is not a MAC', () => {
  for (const text of ['08:00:27:9E:F5:3A', '08-00-27-9e-f5-3a', '0800279ef53a', '0800.279e.f53a'])
    assert.equal(macIn(text), '08:00:27:9e:f5:3a', text);
  for (const text of ['m1', '08:00:27:9e:f5', '0800279ef53a0', '08:0:027:9e:f5:3a', 'g8:00:27:9e:f5:3a'])
    assert.equal(macIn(text), undefined, text);
});

test('device_1 is the agent of the hardware, else its first MAC, unless set', () => {
  const hardware = (spec: object) => ({
    apiVersion: '',
    kind: 'Hardware',
    metadata: { name: 'm', namespace: 'd' },
    spec,
  });
  const interfaces = [{}, { dhcp: { mac: 'x' } }];
  assert.deepEqual(hardwareMapFor(hardware({ interfaces }), {}), { device_1: 'x' });
  assert.deepEqual(hardwareMapFor(hardware({ interfaces, agentID: 'a' }), { disk: 'b' }), {
    device_1: 'a',
    disk: 'b',
  });
  assert.deepEqual(hardwareMapFor(hardware({ interfaces }), { device_1: 'z' }), { device_1: 'z' });
  assert.deepEqual(hardwareMapFor(undefined, {}), {});
});

test('pairs keep everything after the first equals sign', () => {
  assert.deepEqual(pairsOf(['a=b=c', 'd=']), { a: 'b=c', d: '' });
  assert.throws(() => pairsOf(['=x']), /--set must be NAME=VALUE/);
  assert.deepEqual(mapInJson('{"device_1":"x"}'), { device_1: 'x' });
  assert.equal(mapInJson('m1'), undefined);
  assert.throws(() => mapInJson('{"device_1":1}'), /--hardware must be/);
});

test('names may include their kind', () => {
  assert.deepEqual(splitName(['hw', 'm1', 'm2']), { kinds: 'hw', names: ['m1', 'm2'] });
  assert.deepEqual(splitName(['hw/m1', 'hw/m2', 'm3']), { kinds: 'hw', names: ['m1', 'm2', 'm3'] });
});

test('a bare template is distinguished from a manifest, and its name is found', () => {
  assert.equal(isManifest('# x\napiVersion: tinkerbell.org/v1alpha1\nkind: Template\n'), true);
  assert.equal(isManifest('{"apiVersion": "x"}'), true);
  assert.equal(isManifest('version: "0.1"\ntasks: []\n'), false);
  assert.equal(
    nameInTemplate('version: "0.1"\ntasks:\n  - name: inner\nname: "basic-provision" # x\n'),
    'basic-provision',
  );
  assert.equal(nameInTemplate("name: 'a b'\n"), 'a b');
  assert.equal(nameInTemplate('name: plain # c\n'), 'plain');
  assert.equal(nameInTemplate('tasks:\n  - name: inner\n'), undefined);
  assert.equal(objectNameFor('Debian 12 (bookworm)!'), 'debian-12-bookworm');
});

test('workflow names are numbered', () => {
  assert.deepEqual([...workflowNames('a').take(3)], ['a', 'a-2', 'a-3']);
  assert.deepEqual(['a-2', 'a-10', 'a', 'a-1', 'm-01'].map(stemOf), ['a', 'a', 'a', 'a-1', 'm-01']);
});

test('legacy hardware without a hostname is named by its MAC; metadata may be JSON text', () => {
  const converted = hardwareFromLegacy(
    {
      id: 'i',
      metadata: '{"state":"in_use","instance":{"hostname":"h"}}',
      network: {
        interfaces: [{ dhcp: { mac: '08:00:27:00:00:01' }, netboot: { osie: { base_url: 'http://x/' } } }],
        default: {},
      },
      extra: 1,
    },
    'default',
  );
  assert.ok(converted.ok);
  assert.equal(converted.resource.metadata.name, 'machine-08-00-27-00-00-01');
  assert.deepEqual(converted.resource.spec, {
    metadata: { state: 'in_use', instance: { id: 'i', hostname: 'h' } },
    interfaces: [
      { dhcp: { mac: '08:00:27:00:00:01' }, netboot: { osie: { baseURL: 'http://x/' } }, disableDhcp: false },
    ],
  });
  assert.deepEqual(converted.leftOut, ['extra']);
  assert.equal(hardwareFromLegacy({ network: { interfaces: [] } }, 'default').ok, false);
});

test('a configuration error is reported at its position', () => {
  assert.deepEqual(parseConfig('server: http://a:1\nnamespace: b\n', 'c'), {
    server: 'http://a:1',
    namespace: 'b',
  });
  assert.deepEqual(parseConfig('', 'c'), {});
  assert.throws(
    () => parseConfig('server: http://a\nnamespcae: b\n', 'c.yaml'),
    /c\.yaml:2:1: unknown field "namespcae"; did you mean "namespace"\?/,
  );
  assert.throws(() => parseConfig('server: a:1\n', 'c'), /c:1:1: server: "a:1": must be a URL/);
  assert.throws(() => parseConfig('server: [\n', 'c'), /^[^]*c:\d+:\d+: /);
});

test('columns are as wide as their widest cell and lines end without blanks', () => {
  const lines = [
    ['A', 'BB'],
    ['aaa', ''],
    ['b', 'c'],
  ];
  assert.equal(alignedText(lines), 'A     BB\naaa\nb     c\n');
  assert.deepEqual(columnWidths(lines, [5]), [5, 2]);
});
