/** The last results of each benchmark, which `--report` keeps in bench/results.json, and from which the documents are generated. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Row } from '../benchmark.ts';
import { rounded } from '../report.ts';

const FILE = fileURLToPath(new URL('../../results.json', import.meta.url));

export interface BenchRecord {
  readonly bench: string;
  readonly mode: 'quick' | 'usual' | 'full';
  /** Of the end, as `2026-11-26`. */
  readonly date: string;
  readonly cores: number;
  /** What other programs did: the load of the machine before the run. */
  readonly load: number;
  /** The share of processor time that the host withheld from this machine during the run, in percent. */
  readonly stealPercent: number;
  readonly rows: readonly Row[];
}

export function readRecords(): readonly BenchRecord[] {
  return JSON.parse(readFileSync(FILE, 'utf8')) as readonly BenchRecord[];
}

/** Replaces the records of the same benchmarks. */
export function writeRecords(found: readonly BenchRecord[], order: readonly string[]): void {
  const replaced = new Set(found.map(({ bench }) => bench));
  const kept = readRecords().filter(({ bench }) => !replaced.has(bench) && order.includes(bench));
  const records = [...kept, ...found.map((record) => ({ ...record, rows: record.rows.map(rounded) }))];
  records.sort((one, other) => order.indexOf(one.bench) - order.indexOf(other.bench));
  writeFileSync(FILE, `${JSON.stringify(records, null, 2)}\n`);
}
