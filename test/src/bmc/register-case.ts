import { test } from 'node:test';
import type { BmcCase } from './bmc-case.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root for its own network';

export function registerBmcCase({ name, run }: BmcCase): void {
  test(`a BMC boots a machine: ${name}`, { skip }, () => run('short'));
}
