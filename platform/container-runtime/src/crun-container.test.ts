/** Real containers: images of umoci, from Debian's registry, run by Debian's crun. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Log } from '@tinkerbell/platform-contract';
import { STOP_GRACE_MS } from './container-order.ts';
import { runWithCrun, type ContainerOrder } from './index.ts';
import { localRegistry, missingForContainers, type LocalRegistry } from './testing/local-registry.ts';

const missing = missingForContainers();
const REAL = { timeout: 120_000, ...(missing === undefined ? {} : { skip: missing }) };
const base = mkdtempSync(join(tmpdir(), 'crun-container-'));
after(() => rmSync(base, { recursive: true, force: true }));
const cleanups: (() => void)[] = [];
after(() => cleanups.toReversed().forEach((task) => task()));
let registry: LocalRegistry;
before(async () => {
  if (missing !== undefined) return;
  registry = await localRegistry({ after: (task) => void cleanups.push(task) });
  registry.push({ name: 'plain:latest', command: ['sh', '-c', 'echo from the image'] });
  registry.push({
    name: 'configured:latest',
    compression: 'zstd',
    entrypoint: ['sh', '-c'],
    command: ['echo default'],
    environment: ['A=image', 'B=image'],
    user: 'worker',
    workingDirectory: '/srv/here',
  });
});

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
const directory = join(base, 'containers');

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function scheduled(delayMs: number, task: () => void): () => void {
  const timer = setTimeout(task, delayMs);
  return () => clearTimeout(timer);
}

async function run(
  order: Partial<ContainerOrder>,
  options: { signal?: AbortSignal; onLine?: (line: string) => void; schedule?: typeof scheduled } = {},
): Promise<Ran> {
  const output = { stdout: [] as string[], stderr: [] as string[] };
  const code = await runWithCrun(
    {
      image: `${registry.host}/plain`,
      command: [],
      environment: {},
      volumes: [],
      pidNamespace: '',
      networkNamespace: '',
      ...order,
    },
    {
      registries: { credentials: [], mirrors: {}, plainHttp: [registry.host] },
      clock: {
        nowMs: () => 0,
        monotonicMs: () => performance.now(),
        schedule: options.schedule ?? scheduled,
      },
      random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)), fraction: () => 0.5 },
      log,
      signal: options.signal ?? new AbortController().signal,
      crun: 'crun',
      directory,
      onProgress: () => undefined,
      onLine(stream, line) {
        output[stream].push(line);
        options.onLine?.(line);
      },
    },
  );
  assert.deepEqual(readdirSync(join(directory, 'running')), [], 'the image is removed');
  return { code, stdout: output.stdout.join('\n'), stderr: output.stderr.join('\n') };
}

const shell = (script: string): Partial<ContainerOrder> => ({ command: ['sh', '-c', script] });

test('runs the command of the image, and returns exit codes and both outputs', REAL, async () => {
  assert.deepEqual(await run({}), { code: 0, stdout: 'from the image', stderr: '' });
  assert.deepEqual(await run(shell('echo out; echo err >&2; exit 7')), {
    code: 7,
    stdout: 'out',
    stderr: 'err',
  });
});

test('a command replaces the command of the image, and keeps its entrypoint', REAL, async () => {
  const image = `${registry.host}/configured`;
  const { stdout } = await run({
    image,
    command: ['echo $A $B $C; id; pwd; echo $HOME'],
    environment: { B: 'action', C: 'c=d' },
  });
  assert.deepEqual(stdout.split('\n'), [
    'image action c=d',
    'uid=1000(worker) gid=1001',
    '/srv/here',
    '/home/worker',
  ]);
});

test('a container is privileged, and sees the devices of the machine', REAL, async () => {
  const { stdout } = await run(
    shell(
      'cat /proc/self/status; ls /dev; mount -t tmpfs none /mnt 2>&1 || busybox mkdir /mnt && mount -t tmpfs none /mnt && echo mounted',
    ),
  );
  const all = /CapBnd:\s+(\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  assert.match(stdout, new RegExp(`CapEff:\\s+${all}`));
  assert.match(stdout, /Seccomp:\s+0/);
  assert.match(stdout, /^mounted$/m);
  for (const device of ['null', 'kmsg']) assert.match(stdout, new RegExp(`^${device}$`, 'm'));
});

test('volumes are mounted as they are written, and sources are created', REAL, async () => {
  const source = join(base, 'absent', 'source');
  writeFileSync(join(base, 'file'), 'a file');
  const volumes = [`${source}:/data`, `${join(base, 'file')}:/etc/file:ro`, 'named:/kept', '/dev:/dev'];
  const first = await run({
    ...shell('echo x > /data/written; cat /etc/file; echo n > /kept/n; echo no > /etc/file'),
    volumes,
  });
  assert.equal(first.stdout, 'a file');
  assert.match(first.stderr, /Read-only|read-only/);
  assert.equal(readFileSync(join(source, 'written'), 'utf8'), 'x\n');
  assert.equal((await run({ ...shell('cat /kept/n'), volumes: ['named:/kept'] })).stdout, 'n');
  await assert.rejects(run({ volumes: ['/a:b'] }), /the volume "\/a:b" is invalid: the destination must be/);
});

test('namespaces are those of the machine where the action says so', REAL, async () => {
  const own = await run(shell('echo $$'));
  assert.equal(own.stdout, '1');
  const host = await run({
    ...shell('ls -d /proc/[0-9]*; busybox readlink /proc/self/ns/pid /proc/self/ns/net'),
    pidNamespace: 'host',
  });
  assert.match(host.stdout, new RegExp(`^/proc/${process.pid}$`, 'm'));
  const none = await run({ ...shell('ls /sys/class/net'), networkNamespace: 'none' });
  assert.equal(none.stdout.trim(), 'lo');
  await assert.rejects(
    run({ networkNamespace: 'container:x' }),
    /namespaces.network is "container:x"; crun supports/,
  );
});

/** The processes on this machine whose arguments contain the text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

for (const pidNamespace of ['', 'host'])
  test(`processes left behind are ended, with pid "${pidNamespace}"`, REAL, async () => {
    const ran = await run({
      ...shell('setsid sleep 98761 & setsid sh -c "trap : TERM; sleep 98762" & exit 0'),
      pidNamespace,
    });
    assert.equal(ran.code, 0);
    assert.deepEqual(processesWith('9876'), []);
  });

for (const pidNamespace of ['', 'host'])
  test(
    `a container that ignores the stop signal is killed with all it started, with pid "${pidNamespace}"`,
    REAL,
    async () => {
      const stop = new AbortController();
      const script = 'trap "echo asked" TERM; setsid sleep 98763 & echo started; while :; do sleep 1; done';
      // A busy machine may take longer than the grace period to run the trap.
      let endGrace = (): void => assert.fail('no grace period has begun');
      const ran = await run(
        { ...shell(script), pidNamespace },
        {
          signal: stop.signal,
          onLine: (line) => (line === 'started' ? stop.abort() : line === 'asked' && endGrace()),
          schedule(delayMs, task) {
            if (delayMs !== STOP_GRACE_MS) return scheduled(delayMs, task);
            endGrace = task;
            return () => undefined;
          },
        },
      );
      assert.notEqual(ran.code, 0);
      assert.match(ran.stdout, /asked/);
      assert.deepEqual(processesWith('98763'), []);
    },
  );

test(
  'what an agent left behind when it was killed is ended and removed by the next container',
  REAL,
  async () => {
    const left = join(directory, 'running', 'tinkerbell-left');
    mkdirSync(join(left, 'rootfs', 'etc'), { recursive: true });
    await run({});
    assert.equal(existsSync(left), false);
  },
);

test('errors name the image and the way out', REAL, async () => {
  await assert.rejects(
    run({ image: `${registry.host}/absent:v1` }),
    /cannot get the manifest of absent:v1: status 404/,
  );
  const ran = await run({ command: ['no-such-program'] });
  assert.notEqual(ran.code, 0);
  assert.match(ran.stderr, /no-such-program/);
});
