/** CSV and YAML of hardware: the pure parts, and an import of many machines to a real server. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import { stringifyYaml } from '@tinkerbell/yaml';
import { createCommandRunner, writeText } from '../testing/command-runner.ts';
import { hardware } from '../testing/manifests.ts';
import { type RunningServer, forgetMachines, runServer } from '../testing/running-server.ts';
import { csvLine, parseCsv } from './csv.ts';
import { hardwareFromCsv, hardwareToCsv } from './hardware-csv.ts';
import { hardwareOf, rowHeader, rowOf } from './hardware-row.ts';

let server: RunningServer;
before(async () => {
  server = await runServer();
});
afterEach(() => forgetMachines(server));
after(() => server.remove());

const { done, failed } = createCommandRunner(() => server);
const file = (name: string, text: string): string => writeText(server, name, text);

test('records keep cells and lines, whatever is in them', () => {
  assert.deepEqual(parseCsv('a,b\r\n\n"x\ny", z \n"q""r",\n', 'f'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 3, cells: ['x\ny', 'z'] },
    { line: 5, cells: ['q"r', ''] },
  ]);
  assert.throws(() => parseCsv('a\n"b', 'f'), { message: /f:2: a quote is not closed/ });
  assert.throws(() => parseCsv('"b"c\n', 'f'), {
    message: /f:1: expected "," or the end of the line after a closing quote/,
  });
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
      const read = parseCsv(rows.map((cells) => csvLine(cells)).join(''), 'f');
      assert.deepEqual(
        read.map(({ cells }) => cells),
        rows,
      );
    }),
  );
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', ';', ' ', '"', ',', '\n', '=', '1'), maxLength: 6 });
const spec = fc.record(
  {
    agentID: word,
    disks: fc.array(fc.record({ device: word }, { requiredKeys: [] }), { maxLength: 3 }),
    bmcRef: fc.record({ kind: word, name: word }, { requiredKeys: ['kind'] }),
    interfaces: fc.array(
      fc.record(
        {
          dhcp: fc.record(
            {
              mac: word,
              ip: fc.record({ address: word, family: fc.integer() }, { requiredKeys: [] }),
              uefi: fc.boolean(),
              name_servers: fc.array(word, { maxLength: 2 }),
            },
            { requiredKeys: [] },
          ),
          netboot: fc.record({ allowPXE: fc.boolean() }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 2 },
    ),
    userData: word,
  },
  { requiredKeys: [] },
);

test('a row contains the whole hardware, whatever its spec is', () => {
  fc.assert(
    fc.property(spec, (wanted) => {
      const object = {
        apiVersion: 'tinkerbell.org/v1alpha1',
        kind: 'Hardware',
        metadata: { name: 'm', namespace: 'n', labels: { a: 'b' }, annotations: { c: 'd;e' } },
        spec: wanted,
      };
      const [record] = parseCsv(csvLine(rowOf(object)), 'f');
      const cells = new Map(rowHeader.map((column, index) => [column, record?.cells[index] ?? '']));
      // Plain objects of fast-check have no prototype, but JSON objects have one.
      assert.deepEqual(JSON.parse(JSON.stringify(hardwareOf(cells, 'x'))), {
        ok: true,
        value: JSON.parse(JSON.stringify(object)),
      });
    }),
    { numRuns: 500 },
  );
});

test('each problem names line, column and value', () => {
  const text =
    'name,mac,labels,more\nm1,AA:00:00:00:00:01,,\n"m2",08:00:27:00:00:02,rack,\nm3,,,{"disks": 5}\nm1,,,\n';
  const { problems } = hardwareFromCsv(text, 'x.csv', 'default');
  assert.match(problems[0] ?? '', /^x\.csv:2: column mac: "AA:00:00:00:00:01": must be/);
  assert.match(problems[1] ?? '', /^x\.csv:3: column labels: "rack": must be key=value/);
  assert.match(problems[2] ?? '', /^x\.csv:4: column disks: 5: /);
  assert.throws(() => hardwareFromCsv('name,macc\n', 'x.csv', 'd'), {
    message: /x\.csv:1: unknown column "macc"/,
  });
});

const ROWS = 1000;

test('a thousand machines are imported, skipped when unchanged, and exported unchanged', async () => {
  const objects = Array.from({ length: ROWS }, (_, index) => {
    const mac = `08:00:27:${[16, 8, 0].map((shift) => ((index >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`;
    return {
      apiVersion: 'tinkerbell.org/v1alpha1',
      kind: 'Hardware',
      metadata: { name: `m${String(index).padStart(5, '0')}`, namespace: 'i' },
      spec: { interfaces: [{ dhcp: { mac }, disableDhcp: false }] },
    };
  });
  const text = hardwareToCsv(objects);
  const path = file('machines.csv', text);
  const part = file('part.csv', text.split('\n').slice(0, 101).join('\n'));
  const err = await failed(`import ${part} --dry-run`);
  assert.match(err, /namespaces "i" not found; .*--create-namespace/);
  const body = JSON.stringify({ metadata: { name: 'i' } });
  const json = { 'content-type': 'application/json' };
  assert.equal(
    (await server.request(`${server.url}/api/v1/namespaces`, { method: 'POST', headers: json, body })).status,
    201,
  );
  assert.equal(
    await done(`import ${part} --dry-run`),
    '100 created, 0 configured, 0 unchanged, 0 failed (dry run)\n',
  );
  assert.equal(await done(`import ${part}`), '100 created, 0 configured, 0 unchanged, 0 failed\n');
  const summary = JSON.parse(await done(`import ${path} --json`)) as object;
  assert.deepEqual(summary, {
    created: ROWS - 100,
    configured: 0,
    unchanged: 100,
    failed: 0,
    total: ROWS,
    dryRun: false,
  });
  assert.equal(await done('export hardware -n i -o csv'), text);
  const yaml = file('all.yaml', await done('export hardware -n i'));
  assert.equal(await done(`import ${yaml}`), `0 created, 0 configured, ${ROWS} unchanged, 0 failed\n`);
});

test('the example can be imported, and an export has no fields of the server', async () => {
  const example = await done('import --example');
  assert.equal(
    await done('import - -n default', { input: example }),
    '2 created, 0 configured, 0 unchanged, 0 failed\n',
  );
  const yaml = await done('export hardware');
  assert.doesNotMatch(yaml, /uid|resourceVersion|status|generation/);
  assert.match(await done('export hardware --with-status'), /uid/);
  assert.match(await failed('import /nonexistent.csv'), /cannot read/);
  const wrong = stringifyYaml({
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: 't' },
    spec: { data: 'x' },
  });
  assert.match(
    await failed('import -', { input: `${hardware('m1', '08:00:27:00:00:99')}---\n${wrong}` }),
    /import accepts only Hardware/,
  );
});
