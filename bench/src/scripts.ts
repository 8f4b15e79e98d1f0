import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { EXPLAINS, rowOf, type Benchmark } from './benchmark.ts';
import { serveFiles } from './file-server.ts';
import { fullLoad, middleOf, startWithHardware, type Subject } from './http-rows.ts';
import { requestText, SERVER_PROCESSOR } from './http-load.ts';
import { MINIMAL_HTTP, startMinimalHttp } from './minimal-http.ts';
import { addressesOf } from './machines.ts';
import { alternate } from './rounds.ts';

const HARDWARE = 10_000;
const CONNECTIONS = 64;

export const scriptsBenchmark: Benchmark = {
  name: 'scripts',
  summary: `iPXE scripts rendered for each of ${HARDWARE.toLocaleString('en-US')} machines, on one core; beside nginx with the texts as files`,
  async run(context) {
    const { url, pid } = await startWithHardware(context, HARDWARE);
    const paths = Array.from(
      { length: HARDWARE },
      (_, index) => `/ipxe/script/${addressesOf((index * 7919) % HARDWARE).mac}/auto.ipxe`,
    );
    const directory = join(context.directory, 'files');
    let bytes = 0;
    for (const path of paths) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      const text = await (await fetch(url + path)).text();
      writeFileSync(join(directory, path), text);
      bytes += Buffer.byteLength(text);
    }
    const subjectOf = (base: string, of: number, own: readonly string[]): Subject => {
      const { host } = new URL(base);
      return { url: base, pid: of, requests: own.map((path) => requestText({ host, path })) };
    };
    const ours = subjectOf(url, pid, paths);
    const files = await serveFiles(context, directory);
    const nginx = subjectOf(files.url, files.workerPid(), paths);
    const minimal = await startMinimalHttp(context, Math.round(bytes / HARDWARE), SERVER_PROCESSOR);
    const plan = { connections: CONNECTIONS, seconds: context.quick ? 2 : 5 };
    await fullLoad(context, ours, { ...plan, seconds: 1 });
    const found = await alternate(context.quick ? 1 : 3, {
      ours: () => fullLoad(context, ours, plan),
      nginx: () => fullLoad(context, nginx, plan),
      minimal: () => fullLoad(context, minimal, plan),
    });
    const [own, peer, floor] = [middleOf(found.ours), middleOf(found.nginx), middleOf(found.minimal)];
    return [
      rowOf({
        name: 'iPXE scripts, one core',
        value: own.perSecond,
        unit: '/s',
        better: 'higher',
        peer: { name: 'nginx, files', value: peer.perSecond },
        floor: { name: MINIMAL_HTTP, value: floor.perSecond },
        goal: { ratio: 1 },
      }),
      rowOf({
        name: 'iPXE scripts: processor time per request',
        value: own.microseconds,
        unit: 'us',
        better: 'lower',
        peer: { name: 'nginx, files', value: peer.microseconds },
        goal: EXPLAINS,
      }),
      rowOf({
        name: `iPXE scripts, ${CONNECTIONS} connections: 99 of 100`,
        value: own.p99Milliseconds,
        unit: 'ms',
        better: 'lower',
        peer: { name: 'nginx, files', value: peer.p99Milliseconds },
        goal: { value: 10 },
      }),
    ];
  },
};
