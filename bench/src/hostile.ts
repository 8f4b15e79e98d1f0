/** What good clients wait while hostile ones use the same server, beside what they wait without them. */
import type { Benchmark } from './benchmark.ts';
import { callRows } from './hostile-call-rows.ts';
import { HOSTILE_CLIENTS } from './hostile-delays.ts';
import { offerRows } from './hostile-offer-rows.ts';
import { reportRow } from './hostile-report-row.ts';
import { webRows } from './hostile-web-rows.ts';
import { needProgram } from './running-program.ts';

/** What is missing is to end the benchmark at its start, and not after many minutes. */
const PROGRAMS = [
  ['nginx', 'nginx-light'],
  ['haproxy', 'haproxy'],
  ['kea-dhcp4', 'kea-dhcp4-server'],
  ['perfdhcp', 'kea-admin'],
] as const;

export const hostileBenchmark: Benchmark = {
  name: 'hostile',
  summary: `what good clients wait beside ${HOSTILE_CLIENTS} hostile ones; beside the same without them, nginx, HAProxy and Kea`,
  async run(context) {
    for (const [name, debianPackage] of PROGRAMS) needProgram(name, debianPackage);
    return [
      ...(await webRows(context)),
      ...(await callRows(context)),
      await reportRow(context),
      ...(await offerRows(context)),
    ];
  },
};
