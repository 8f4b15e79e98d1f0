/** Disk images in the registry: the whole path from `tink image add` to a disk. */
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createActionRunner, type ActionRun, type ActionRunner } from './action-run.ts';
import { rowOf, type BenchContext, type Benchmark, type Row } from './benchmark.ts';
import { startBreakingProxy } from './breaking-proxy.ts';
import { diskImages, rawImage } from './disk-image.ts';
import { serveFiles } from './file-server.ts';
import { rackRows } from './image-peers.ts';
import { DD } from './image2disk.ts';
import { assertWritten, createLoopDisk, type LoopDisk } from './loop-disk.ts';
import { alternate, median } from './rounds.ts';
import { mustRun, needProgram } from './running-program.ts';
import { addImage, type StoredImage } from './stored-image.ts';
import { startOnLoopback } from './tinkerbell-server.ts';

const PIPE = 'curl, zstd, dd';
const MINIMAL = 'a minimal program that hashes the disk and fetches what is new';

export const imageBenchmark: Benchmark = {
  name: 'image',
  summary:
    'an image of 2 GiB, 30 % data, to a loop device: as zstd from nginx, and by chunk from our registry, both beside curl, zstd and dd; and its next version',
  async run(context) {
    needProgram('curl', 'curl');
    const subject = await prepare(context);
    const runs = await measure(context, subject);
    return [
      ...rowsOf(runs),
      await breakRow(context, subject),
      ...(await rackRows(context, subject.runAction)),
    ];
  },
};

interface Subject {
  readonly disk: LoopDisk;
  readonly zstdUrl: string;
  readonly first: StoredImage;
  readonly second: StoredImage;
  readonly runAction: ActionRunner;
  readonly write: (url: string) => Promise<ActionRun>;
}

async function prepare(context: BenchContext): Promise<Subject> {
  const mebibytes = context.quick ? 512 : 2048;
  const images = await diskImages(context, mebibytes);
  const files = await serveFiles(context, context.cacheDirectory);
  const dataDirectory = join(context.directory, 'data');
  mkdirSync(dataDirectory);
  const server = await startOnLoopback(context, { dataDirectory, flags: ['--registry-anonymous-pull'] });
  const environment = { TINK_SERVER: server.url, TINKERBELL_DATA_DIR: dataDirectory };
  const add = async (raw: string, tag: string): Promise<StoredImage> => {
    return await addImage(context, { raw, tag, url: server.url, environment });
  };
  const first = await add(images.raw, 'v1');
  const second = await add(rawImage(context, { mebibytes, version: 2 }), 'v2');
  const disk = await createLoopDisk(context, images.bytes);
  context.say(`${disk.device} is in ${disk.isInMemory ? 'memory' : 'a file on this disk'}`);
  const runAction = await createActionRunner(context);
  const write = (url: string): Promise<ActionRun> =>
    runAction('image2disk', { IMG_URL: url, DEST_DISK: disk.device, RETRY_ENABLED: 'true' });
  return { disk, zstdUrl: `${files.url}/${basename(images.zstd)}`, first, second, runAction, write };
}

const MINIMAL_PROGRAM = fileURLToPath(new URL('minimal-chunk-program.mjs', import.meta.url));

interface Runs {
  readonly plain: readonly ActionRun[];
  readonly full: readonly ActionRun[];
  readonly update: readonly ActionRun[];
  readonly pipe: readonly number[];
  /** The same as `update`. */
  readonly minimal: readonly number[];
}

/** Each in turn with the others. The disk is full of other data before each, except before the next version. */
async function measure(context: BenchContext, subject: Subject): Promise<Runs> {
  const { disk, zstdUrl, first, second, write } = subject;
  const ours =
    (url: string, wanted: StoredImage) =>
    async (round: number): Promise<ActionRun> => {
      const run = await write(url);
      if (round === 0) await assertWritten(disk, wanted.sha256);
      context.say(`${run.seconds.toFixed(2)} s, ${run.peakMegabytes.toFixed(0)} MB: ${run.message}`);
      return run;
    };
  const soiled =
    <Result>(measured: (round: number) => Promise<Result>) =>
    (round: number): Promise<Result> => {
      disk.soil();
      return measured(round);
    };
  const command = `set -e -o pipefail; curl -sSf ${zstdUrl} | zstd -q -dc | ${DD} of=${disk.device}`;
  const found = await alternate<'plain' | 'full' | 'update' | 'minimal' | 'pipe', ActionRun | number>(
    context.quick ? 1 : 5,
    {
      plain: soiled(ours(zstdUrl, first)),
      full: soiled(ours(first.url, first)),
      update: async (round) => {
        disk.soil();
        await write(first.url);
        return await ours(second.url, second)(round);
      },
      minimal: async (round) => {
        disk.soil();
        await write(first.url);
        const command = [process.execPath, MINIMAL_PROGRAM, disk.device, second.url] as const;
        const { seconds } = await mustRun(context, { command });
        if (round === 0) await assertWritten(disk, second.sha256);
        context.say(`${seconds.toFixed(2)} s: ${MINIMAL}`);
        return seconds;
      },
      pipe: soiled(async () => {
        const { seconds } = await mustRun(context, { command: ['bash', '-c', command] });
        context.say(`${seconds.toFixed(2)} s: ${PIPE}`);
        return seconds;
      }),
    },
  );
  const isRun = (one: ActionRun | number): one is ActionRun => typeof one !== 'number';
  return {
    plain: found.plain.filter(isRun),
    full: found.full.filter(isRun),
    update: found.update.filter(isRun),
    pipe: found.pipe.filter((one) => typeof one === 'number'),
    minimal: found.minimal.filter((one) => typeof one === 'number'),
  };
}

function rowsOf({ plain, full, update, pipe, minimal }: Runs): readonly Row[] {
  const seconds = (runs: readonly ActionRun[]): number => median(runs.map((run) => run.seconds));
  const peer = { name: PIPE, value: median(pipe) };
  const peak = Math.max(...[...full, ...update].map((run) => run.peakMegabytes));
  return [
    rowOf({
      name: 'zstd',
      value: seconds(plain),
      unit: 's',
      better: 'lower',
      peer,
      goal: { ratio: 1 },
    }),
    rowOf({ name: 'by chunk', value: seconds(full), unit: 's', better: 'lower', peer, goal: { ratio: 2 } }),
    rowOf({
      name: 'by chunk: memory of the action',
      value: peak,
      unit: 'MB',
      better: 'lower',
      goal: { value: 150 },
    }),
    rowOf({
      name: 'the next version, 5 % of the data new',
      value: seconds(update),
      unit: 's',
      better: 'lower',
      peer: { name: 'the whole image', value: seconds(full) },
      floor: { name: MINIMAL, value: median(minimal) },
      goal: { ratio: 5 },
    }),
  ];
}

/** All connections end once, when half of the image has been sent. */
async function breakRow(context: BenchContext, { disk, first, write }: Subject): Promise<Row> {
  const proxy = await startBreakingProxy(context, new URL(first.url));
  const sentBytes = async (breakAtBytes: number): Promise<number> => {
    disk.soil();
    const before = proxy.start(breakAtBytes);
    await write(first.url.replace(new URL(first.url).origin, proxy.url));
    await assertWritten(disk, first.sha256);
    return proxy.sentBytes() - before;
  };
  const whole = await sentBytes(Number.POSITIVE_INFINITY);
  const broken = await sentBytes(first.usedBytes / 2);
  return rowOf({
    name: 'a break in the middle: chunks fetched twice',
    value: Math.max(0, broken - whole) / (first.usedBytes / first.chunks),
    unit: 'chunks',
    better: 'lower',
    goal: { value: 1 },
  });
}
