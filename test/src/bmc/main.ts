/** `node main.ts NAME`: runs one case as a whole, in this process. */
import assert from 'node:assert/strict';
import { bmcCases } from './cases.ts';

const wanted = process.argv[2];
const found = bmcCases.find(({ name }) => name === wanted);
assert.ok(found !== undefined, `no case ${wanted}; there are ${bmcCases.map(({ name }) => name).join('; ')}`);
await found.run('whole');
