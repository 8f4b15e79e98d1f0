/** Runs etcd alone and with its default settings, on loopback and on the same disk as ours. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@tinkerbell/sandbox/free-port';

import type { BenchContext } from './benchmark.ts';
import type { EtcdPlan, EtcdResult } from './etcd-load-client.ts';
import { needProgram, startProgram, untilReady } from './running-program.ts';

const CLIENT = fileURLToPath(new URL('etcd-load-client.ts', import.meta.url));

export interface Etcd {
  /** Runs durable puts of 1 KB each, one at a time for each writer. */
  putsPerSecond(plan: Omit<EtcdPlan, 'authority'>): Promise<number>;
}

export async function startEtcd(context: BenchContext): Promise<Etcd> {
  const [clients, peers] = [await freePort(), await freePort()];
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  const program = startProgram(context, {
    command: [
      needProgram('etcd', 'etcd-server'),
      `--data-dir=${join(context.directory, 'etcd')}`,
      `--listen-client-urls=${clientUrl}`,
      `--advertise-client-urls=${clientUrl}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--log-level=error',
    ],
  });
  await untilReady(program, () =>
    fetch(`${clientUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    async putsPerSecond(plan) {
      const load = startProgram(context, { command: [process.execPath, CLIENT], channel: true });
      const result = new Promise<EtcdResult>((resolve, reject) => {
        load.process.once('message', (message) => resolve(message as EtcdResult));
        void load.ended.then((code) => reject(new Error(`the load ended with ${code}: ${load.output()}`)));
      });
      load.process.send({ ...plan, authority: `127.0.0.1:${clients}` });
      const { puts, seconds } = await result;
      return puts / seconds;
    },
  };
}
