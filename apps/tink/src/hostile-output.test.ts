/** No text from a server may control the terminal or forge a line, whichever command prints it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import { createCommandRunner, writeText } from './testing/command-runner.ts';
import { HOSTILE, hostileServer } from './testing/hostile-server.ts';
import { hardware, template, workflow } from './testing/manifests.ts';
import { runServer, type RunningServer } from './testing/running-server.ts';

let server: RunningServer;
let proxy: Awaited<ReturnType<typeof hostileServer>>;
const { done, tink, rendered } = createCommandRunner(() => server);

before(async () => {
  server = await runServer();
  proxy = await hostileServer(server);
  const all = [hardware('m1', '08:00:27:00:00:01'), template('t1'), workflow('w1', 't1', 'm1')];
  await done('apply -f -', { input: all.join('---\n') });
  await done('label hardware/m1 rack=one');
  await done('annotate hardware/m1 note=text');
  await rendered('w1', 'default');
});
after(async () => {
  proxy[Symbol.dispose]();
  await server.remove();
});

/** All control characters except line breaks and tabs. */
const STEERING = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
/** Escapes that `tink boot` prints on a terminal. */
const CLEAR_SCREEN = '\u001b[H\u001b[2J';
const file = (): string =>
  writeText(server, 'changed.yaml', hardware('m1', '08:00:27:00:00:01').replace('sda', 'sdb'));

const commands: readonly string[] = [
  ...[
    'hardware',
    'workflows',
    'templates',
    'hardware,templates',
    'namespaces',
    'crds',
    'events',
    'clusterroles',
  ].flatMap((kind) => [`get ${kind} -A`, `get ${kind} -A -o wide --show-labels`]),
  'get hardware m1',
  'get hardware -o name',
  'get hardware -o yaml',
  'get hardware m1 -o yaml',
  'get hardware -o json',
  'get hardware -o jsonpath={.items[*].metadata}',
  'get hardware m1 -o jsonpath={.metadata.name}',
  'get hardware -o custom-columns=NAME:.metadata.name,ALL:.metadata.labels',
  'get hardware nothing',
  'describe hardware m1',
  'describe workflow w1',
  'describe template t1',
  'describe namespace default',
  'events --machine m1',
  'events --workflow w1',
  'events --workflow w1 -o json',
  'workflow events w1',
  'workflow list',
  'hardware list',
  'template list',
  'logs w1',
  'audit',
  'boot m1',
  'tree workflow w1',
  'tree hardware m1',
  'explain hardware',
  'explain hardware.spec',
  'explain workflow --recursive',
  'diff -f FILE',
  'apply -f FILE --dry-run=server',
  'apply -f FILE',
  'label hardware/m1 a=b --overwrite',
  'annotate hardware/m1 a=b --overwrite',
  'patch hardware m1 -p {"metadata":{"labels":{"x":"y"}}}',
  'workflow pause w1',
  'workflow resume w1',
  'workflow cancel w1',
  'wait hardware/m1 --for=jsonpath={.metadata.name}=m1 --timeout=1s',
  'token list',
  'auth whoami',
  'auth can-i get secrets',
  'version',
  'export',
  '__complete -- tink get hardware ',
  'delete workflow w1',
  'delete hardware nothing',
];

test('no command prints control characters or forged lines', async (context) => {
  let printedHostile = 0;
  for (const isTty of [false, true])
    for (const words of commands)
      await context.test(`${words}${isTty ? ' on a terminal' : ''}`, async () => {
        const environment = { TINK_SERVER: proxy.url, ...(isTty ? { NO_COLOR: '1' } : {}) };
        const { out, err } = await tink(words.replace('FILE', file()), { environment, isTty });
        const cleared = out.startsWith(CLEAR_SCREEN) ? out.slice(CLEAR_SCREEN.length) : out;
        for (const text of [cleared, err]) assert.doesNotMatch(text, STEERING);
        // Templates print values unchanged, and a YAML document or a diff keeps its lines.
        const isFree = /jsonpath=|explain|export|__complete/.test(words);
        if (!isFree) assert.doesNotMatch(out + err, /^FORGED/m);
        if (/evil/.test(out + err)) printedHostile += 1;
      });
  assert.ok(printedHostile > commands.length, `${printedHostile} outputs held what the server sent`);
});

test('JSON and YAML keep the values that they escape', async () => {
  const environment = { TINK_SERVER: proxy.url };
  const nameIn = (value: unknown): string => (value as { metadata: { name: string } }).metadata.name;
  assert.equal(
    nameIn(JSON.parse((await tink('get hardware m1 -o json', { environment })).out)),
    `m1${HOSTILE}`,
  );
  const parsed = parseYaml((await tink('get hardware m1 -o yaml', { environment })).out);
  assert.ok(parsed.ok);
  assert.equal(nameIn(toJson(parsed.documents[0]!)), `m1${HOSTILE}`);
});
