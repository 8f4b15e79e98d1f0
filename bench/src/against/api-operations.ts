import { patchMachine, statusUpdates, WRITERS } from '../api.ts';
import { HARDWARE } from '../patched-hardware.ts';
import { httpLoad } from '../http-load.ts';
import { processorSeconds } from '../running-program.ts';
import { startOnLoopback } from '../tinkerbell-server.ts';
import { openWatchers } from '../watchers.ts';
import type { StartOperations } from './operation.ts';
import { siteOf } from './site.ts';

const MACHINES = 10_000;
const SECONDS = 5;
const PAGES = 100;
const WATCHERS = 1000;
const CHANGES = 20;

export const startApiOperations: StartOperations = async (context, checkout) => {
  const dataDirectory = await siteOf(context, checkout, MACHINES);
  const { url, pid } = await startOnLoopback(context, { dataDirectory, checkout });
  const { hostname: host, port } = new URL(url);
  const plan = {
    host,
    port: Number(port),
    requests: statusUpdates(host),
    connections: WRITERS,
    seconds: SECONDS,
  };
  /** Returns the server's processor time in microseconds for each of the operations that `run` counts. */
  const timed = async (run: () => Promise<number>): Promise<number> => {
    const before = processorSeconds(pid);
    const count = await run();
    return ((processorSeconds(pid) - before) * 1e6) / count;
  };
  const update = async (): Promise<number> => {
    const { requests, failures } = await httpLoad(context, plan);
    if (failures > 0) throw new Error(`${failures} updates failed`);
    return requests;
  };
  const page = async (): Promise<number> => {
    for (let done = 0; done < PAGES; done += 1)
      await (await fetch(`${url}${HARDWARE}?limit=500`)).arrayBuffer();
    return PAGES;
  };
  const fanOut = async (): Promise<number> => {
    const watchers = await openWatchers(context, new URL(HARDWARE, url), WATCHERS);
    const count = await timed(async () => {
      for (let done = 0; done < CHANGES; done += 1) {
        const seen = watchers.nextChange();
        await patchMachine(url, done);
        await seen;
      }
      return CHANGES;
    });
    watchers.close();
    return count;
  };
  return [
    { name: `durable status update, ${WRITERS} writers`, unit: 'us', measure: () => timed(update) },
    { name: 'first 500 of 10,000 Hardware', unit: 'us', measure: () => timed(page) },
    { name: 'one change for 1,000 watchers', unit: 'us', measure: fanOut },
  ];
};
