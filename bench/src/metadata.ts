import { EXPLAINS, rowOf, type Benchmark } from './benchmark.ts';
import { fullLoad, middleOf, startWithHardware, type RoundResult } from './http-rows.ts';
import { requestText } from './http-load.ts';
import { addressesOf } from './machines.ts';

const HARDWARE = 10_000;
const CONNECTIONS = 64;
const PACED_RATE = 5000;
const LEAVES = ['meta-data/instance-id', 'meta-data/hostname', 'meta-data/local-ipv4', 'user-data'];

export const metadataBenchmark: Benchmark = {
  name: 'metadata',
  summary: `leaves of EC2's tree for ${HARDWARE.toLocaleString('en-US')} machines behind a trusted proxy, on one core`,
  async run(context) {
    const flags = ['--trusted-proxies=127.0.0.1/32'];
    const { url, pid } = await startWithHardware(context, HARDWARE, flags);
    const { host } = new URL(url);
    const requests = Array.from({ length: HARDWARE }, (_, index) => metadataRequest(host, index, HARDWARE));
    const seconds = context.quick ? 2 : 5;
    const subject = { url, requests, pid };
    await fullLoad(context, subject, { connections: CONNECTIONS, seconds: 1 });
    const full: RoundResult[] = [];
    const paced: RoundResult[] = [];
    for (let round = 0; round < (context.quick ? 1 : 3); round += 1) {
      full.push(await fullLoad(context, subject, { connections: CONNECTIONS, seconds }));
      paced.push(await fullLoad(context, subject, { connections: CONNECTIONS, seconds, rate: PACED_RATE }));
    }
    return [
      rowOf({
        name: 'metadata requests, one core',
        value: middleOf(full).perSecond,
        unit: '/s',
        better: 'higher',
        goal: { value: 44_000 },
      }),
      rowOf({
        name: 'metadata: processor time per request',
        value: middleOf(full).microseconds,
        unit: 'us',
        better: 'lower',
        goal: EXPLAINS,
      }),
      rowOf({
        name: `metadata, 99 of 100 at ${PACED_RATE}/s`,
        value: middleOf(paced).p99Milliseconds,
        unit: 'ms',
        better: 'lower',
        goal: { value: 5 },
      }),
    ];
  },
};

/** Returns the request of one of `machines` behind a trusted proxy, for one leaf of EC2's tree. */
export function metadataRequest(host: string, index: number, machines: number): string {
  return requestText({
    host,
    path: `/2009-04-04/${LEAVES[index % LEAVES.length]}`,
    headers: { 'x-forwarded-for': addressesOf((index * 7919) % machines).address },
  });
}
