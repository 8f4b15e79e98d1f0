/** The results that the README shows. */
import type { Row } from '../benchmark.ts';
import type { BenchRecord } from './records.ts';
import { tableOf } from './tables.ts';

/** A benchmark, the beginning of the name of a row, and what the README calls it. */
export const HEADLINES: readonly (readonly [bench: string, row: string, shown: string])[] = [
  ['demo', 'BIOS: power-on to login', 'power-on to the login prompt of the installed Debian, BIOS'],
  ['demo', 'UEFI: power-on to login', 'the same, UEFI'],
  ['demo', 'UEFI HTTP: power-on to login', 'the same, UEFI HTTP'],
  ['server', 'start, warm', 'start of the server until ready, warm compile cache'],
  ['server', 'resident memory, idle', 'memory of an idle server'],
  ['dhcp', 'exchanges per second', 'DHCP exchanges, 10,000 reservations'],
  [
    'dhcp',
    'DISCOVER to OFFER at half of its own rate, 99th',
    'DHCP, DISCOVER to OFFER at half of its own rate, 99 of 100',
  ],
  ['dhcp', "DISCOVER to OFFER at half of Kea's rate, 99th", "the same at half of Kea's rate"],
  ['tftp', 'window 16, 50 clients', 'TFTP, window 16, 50 clients'],
  ['tftp', 'window 1, 50 clients', 'TFTP, window 1, 50 clients'],
  ['scripts', 'iPXE scripts, one core', 'iPXE scripts for 10,000 machines, one core'],
  ['go-template', 'parse and execute', 'render a Template of 20 actions'],
  ['simulation', '10,000 boots', '10,000 simulated boots with the real services in one process'],
  ['fleet', '10,000 machines: until all', '10,000 machines provisioned by `tink simulate`, 1,000 at a time'],
  ['fleet', '10,000 machines: failed', 'boots of them that failed'],
  ['tink', 'tink get hardware', '`tink get hardware`'],
  ['console', 'first load until usable', 'web console with 10,000 machines, first load until usable'],
  ['image', 'by chunk', 'write a disk image of 2 GiB from the registry'],
  [
    'image',
    '8 agents on links of 100 Mbit/s: bytes',
    'eight agents that write one image: bytes from the server, in images',
  ],
  ['image2disk', 'zstd', 'write a zstd image of 2 GiB to a disk'],
  ['api', 'durable status updates, 64 writers, beside', 'durable status updates over the API, 64 writers'],
  [
    'workflows',
    '1000 agents of tinkerbell.agent.v1: durable',
    'durable transitions of actions, 1,000 agents',
  ],
  [
    'bmc',
    '1000 Machines created, and the power state',
    'power state of 900 BMCs while 100 others do not answer, one core',
  ],
  [
    'gateway',
    'gRPC at 1000/s: processor time per call',
    'gRPC call through the gateway with TLS and a token, processor time',
  ],
];

/** Headlines without a recorded result are left out. */
export function headlineTable(records: readonly BenchRecord[]): string {
  const rows = HEADLINES.flatMap(([bench, begin, shown]) => {
    const row = worst(records.find((record) => record.bench === bench)?.rows ?? [], begin);
    return row === undefined ? [] : [{ ...row, name: shown }];
  });
  return tableOf(rows);
}

/** The row of the peer beside which ours is worst. */
function worst(rows: readonly Row[], begin: string): Row | undefined {
  const exact = rows.filter(({ name }) => name === begin);
  const found = exact.length > 0 ? exact : rows.filter(({ name }) => name.startsWith(begin));
  return found.toSorted((one, other) => (one.ratio ?? 0) - (other.ratio ?? 0))[0];
}
