/** Output formats, selectors, order and the server's own kinds, against a real server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { kindsIn, offeredKindNamed } from '../client/discovery.ts';
import { parseOutput, sortedBy } from '../output/output-format.ts';
import { parsePath } from '../output/jsonpath/parse-jsonpath.ts';
import { runTink } from '../run.ts';
import { createCommandRunner } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { runServer, type RunningServer } from '../testing/running-server.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
  const one = (name: string, mac: string, rack: string): string =>
    hardware(name, mac).replace(`name: ${name}\n`, `name: ${name}\n  labels: {rack: ${rack}}\n`);
  const input = [
    one('m10', '08:00:27:00:00:10', 'r1'),
    one('m2', '08:00:27:00:00:02', 'r2'),
    one('m1', '08:00:27:00:00:01', 'r1'),
  ].join('---\n');
  await done('apply -f - -n g', { input });
});
after(() => server.remove());

const { done, terminal, tink } = createCommandRunner(() => server);

test('get prints by JSONPath and in custom columns', async () => {
  assert.equal(
    await done('get hw -n g -o jsonpath={.items[*].metadata.name} --sort-by .metadata.name'),
    'm1 m2 m10',
  );
  assert.equal(await done('get hw m1 -n g -o jsonpath={.spec.interfaces[0].dhcp.mac}'), '08:00:27:00:00:01');
  assert.equal(
    await done(
      'get hw -n g --sort-by=.metadata.name -o custom-columns=NAME:.metadata.name,RACK:.metadata.labels.rack,X:.spec.nothing',
    ),
    'NAME   RACK   X\nm1     r1     <none>\nm2     r2     <none>\nm10    r1     <none>\n',
  );
  const wrong = await tink('get hw -n g -o jsonpath={.items');
  assert.deepEqual([wrong.code, /"\{" at column 1 is not closed/.test(wrong.err)], [2, true]);
  const unknown = await tink('get hw -n g -o xml');
  assert.deepEqual([unknown.code, /formats: table, wide/.test(unknown.err)], [2, true]);
});

test('selectors and sorting also work for tables', async () => {
  assert.equal(
    await done('get hw -n g -l rack=r1 -o name --sort-by metadata.name'),
    'hardware/m1\nhardware/m10\n',
  );
  assert.equal(await done('get hw -n g --field-selector metadata.name=m2 -o name'), 'hardware/m2\n');
  const table = await done('get hw -n g --sort-by={.metadata.name} --show-labels');
  assert.match(table, /^NAME.*LABELS\nm1 .* rack=r1\nm2 .* rack=r2\nm10 .* rack=r1\n$/);
});

test('get -w -o json prints each change as one line', async () => {
  const recording = terminal();
  const watching = runTink(['get', 'hw', '-w', '-n', 'w', '-o', 'json'], recording);
  await done('apply -f - -n w', { input: hardware('m7', '08:00:27:00:00:07') });
  await recording.until(/"type":"ADDED".*"name":"m7"/);
  await done('delete hw m7 -n w');
  await recording.until(/"type":"DELETED".*"name":"m7"/);
  recording.interrupt();
  assert.equal(await watching, 0);
  for (const line of recording.printed.out.trim().split('\n')) JSON.parse(line);
});

test('kinds are found in discovery documents by all their names', async () => {
  const offered = kindsIn({
    groupVersion: 'v1',
    resources: [
      {
        name: 'configmaps',
        singularName: 'configmap',
        kind: 'ConfigMap',
        namespaced: true,
        shortNames: ['cm'],
        verbs: ['get'],
      },
      { name: 'namespaces', singularName: '', kind: 'Namespace', namespaced: false, shortNames: ['ns'] },
      { name: 'namespaces/status', singularName: '', kind: 'Namespace', namespaced: false },
    ],
  });
  assert.equal(offered.length, 2);
  for (const word of ['cm', 'ConfigMap', 'configmaps'])
    assert.equal(offeredKindNamed(word, offered)?.plural, 'configmaps', word);
  assert.deepEqual(
    [
      offered[1]?.group,
      offered[1]?.version,
      offered[1]?.singular,
      offered[1]?.namespaced,
      offered[1]?.subresources,
    ],
    ['', 'v1', 'namespace', false, ['status']],
  );
  assert.equal(offeredKindNamed('cm.apps', offered), undefined);
});

test('the order is natural, and objects without the field come first', () => {
  const path = parsePath('.n');
  const order = (values: readonly unknown[]) =>
    sortedBy(
      values.map((n) => ({ n })),
      path,
      (one) => one,
    ).map(({ n }) => n);
  assert.deepEqual(order([10, 9, 1]), [1, 9, 10]);
  assert.deepEqual(order(['m10', 'm9', undefined]), [undefined, 'm9', 'm10']);
  assert.throws(() => parseOutput('custom-columns=NAME'), { message: /is not HEADER:PATH/ });
});
