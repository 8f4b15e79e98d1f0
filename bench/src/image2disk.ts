import { basename } from 'node:path';

import { createActionRunner } from './action-run.ts';
import { rowOf, type Benchmark } from './benchmark.ts';
import { diskImages } from './disk-image.ts';
import { serveFiles } from './file-server.ts';
import { assertWritten, createLoopDisk, sha256Of } from './loop-disk.ts';
import { alternate, median } from './rounds.ts';
import { mustRun, needProgram } from './running-program.ts';

/** The end of the pipe that an operator would type. */
export const DD = 'dd oflag=direct iflag=fullblock bs=1M conv=fsync,notrunc status=none';

/** The command that an operator would type, and the required speed-up of the action. */
const FORMS = [
  { form: 'zstd', peer: 'curl, zstd, dd', unpack: '| zstd -q -dc ', goal: { ratio: 1 } },
  { form: 'gzip', peer: 'curl, gunzip, dd', unpack: '| gunzip -c ', goal: { ratio: 3 } },
  { form: 'raw', peer: 'curl, dd', unpack: '', goal: { ratio: 1 } },
] as const;

export const image2diskBenchmark: Benchmark = {
  name: 'image2disk',
  summary:
    'an image of 2 GiB, 30 % data, from HTTP on loopback to a loop device past the page cache; beside curl and dd',
  async run(context) {
    needProgram('curl', 'curl');
    const images = await diskImages(context, context.quick ? 512 : 2048);
    const url = (await serveFiles(context, context.cacheDirectory)).url;
    const disk = await createLoopDisk(context, images.bytes);
    context.say(`${disk.device} is in ${disk.isInMemory ? 'memory' : 'a file on this disk'}`);
    const runAction = await createActionRunner(context);
    const wanted = await sha256Of(images.raw);
    const rows = [];
    for (const { form, peer, unpack, goal } of FORMS) {
      const source = `${url}/${basename(images[form])}`;
      const measured = (write: () => Promise<{ seconds: number }>) => async (round: number) => {
        disk.soil();
        const { seconds } = await write();
        if (round === 0) await assertWritten(disk, wanted);
        context.say(`${form} ${seconds.toFixed(2)} s`);
        return seconds;
      };
      const command = `set -e -o pipefail; curl -sSf ${source} ${unpack}| ${DD} of=${disk.device}`;
      const seconds = await alternate(context.quick ? 1 : 5, {
        ours: measured(() => runAction('image2disk', { IMG_URL: source, DEST_DISK: disk.device })),
        peer: measured(() => mustRun(context, { command: ['bash', '-c', command] })),
      });
      const value = median(seconds.ours);
      rows.push(
        rowOf({
          name: form,
          value,
          unit: 's',
          better: 'lower',
          peer: { name: peer, value: median(seconds.peer) },
          goal,
        }),
      );
    }
    return rows;
  },
};
