/**
 * Measures the server of this checkout beside that of another one, in turns and with the same load programs.
 * It compares processor time, which other work on the machine changes less than rates and delays.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { CannotRun, rowOf, type BenchContext, type Row } from '../benchmark.ts';
import { alternate, median } from '../rounds.ts';
import { CHECKOUT } from '../tinkerbell-server.ts';
import { startApiOperations } from './api-operations.ts';
import { startDhcpOperations } from './dhcp-operations.ts';
import { startMetadataOperations, startScriptOperations } from './http-operations.ts';
import type { Operation, StartOperations } from './operation.ts';
import { startServerOperations } from './server-operations.ts';
import { startTftpOperations } from './tftp-operations.ts';
import { startWorkflowOperations } from './workflow-operations.ts';

const ROUNDS = 7;
const ROUNDS_QUICK = 2;

/** By the name of the benchmark whose operations they are. */
const OPERATIONS: Readonly<Record<string, StartOperations>> = {
  server: startServerOperations,
  api: startApiOperations,
  workflows: startWorkflowOperations,
  dhcp: startDhcpOperations,
  tftp: startTftpOperations,
  scripts: startScriptOperations,
  metadata: startMetadataOperations,
};

/** @throws CannotRun for a benchmark that measures no server. */
export async function againstRows(context: BenchContext, name: string, other: string): Promise<Row[]> {
  const start = OPERATIONS[name];
  if (start === undefined) throw new CannotRun(`--against works with ${Object.keys(OPERATIONS).join(', ')}`);
  const before = await start(contextIn(context, 'before'), other);
  const after = await start(contextIn(context, 'after'), CHECKOUT);
  const rows: Row[] = [];
  for (const [index, operation] of after.entries()) {
    const peer = before[index];
    if (peer !== undefined) rows.push(await rowBeside(context, operation, peer));
  }
  return rows;
}

function contextIn(context: BenchContext, name: string): BenchContext {
  const directory = join(context.directory, name);
  mkdirSync(directory);
  return { ...context, directory };
}

async function rowBeside(context: BenchContext, operation: Operation, other: Operation): Promise<Row> {
  const { name, unit } = operation;
  const rounds = context.quick ? ROUNDS_QUICK : ROUNDS;
  // The first seconds of each server are slower than the rest.
  await other.measure();
  await operation.measure();
  const found = await alternate(rounds, {
    before: () => other.measure(),
    after: () => operation.measure(),
  });
  context.say(`${name}: before ${shown(found.before)}; after ${shown(found.after)} ${unit}`);
  const peer = { name: 'before', value: median(found.before) };
  return rowOf({
    name,
    value: median(found.after),
    unit,
    better: 'lower',
    peer,
    goal: { none: 'compares two versions' },
  });
}

function shown(values: readonly number[]): string {
  return values.map((value) => value.toPrecision(3)).join(', ');
}
