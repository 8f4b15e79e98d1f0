/**
 * The third of `npm run e2e -- actions` that every change runs: a machine each, in one site. The site has no way out, and nobody
 * tries one.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { after, before, describe, test } from 'node:test';
import { testedCases } from './actions/cases/all-cases.ts';
import { openCases, type OpenCases } from './actions/open-cases.ts';

const PROGRAMS = [
  'debugfs',
  'e2fsck',
  'fsck.fat',
  'grub-mkimage',
  'mtype',
  'sfdisk',
  'skopeo',
  'tcpdump',
  'umoci',
];
/** TEST-NET-3 of RFC 5737. */
const OUTSIDE = '203.0.113.9';
const DISCARD_PORT = 9;
const POLL_MS = 100;
const ATTEMPTS = 100;

function reasonToSkip(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for its own network';
  const missing = PROGRAMS.filter((program) => spawnSync('which', [program]).status !== 0);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

const skip = reasonToSkip();

async function sendOutside(): Promise<void> {
  const socket = createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.send('x', DISCARD_PORT, OUTSIDE, (error) => (error === null ? resolve() : reject(error)));
    });
  } finally {
    socket.close();
  }
}

describe('actions on machines', { skip }, () => {
  const cleanup = new AsyncDisposableStack();
  let cases: OpenCases;
  before(async () => {
    cases = await openCases(testedCases, cleanup);
  });
  after(() => cleanup.disposeAsync());

  for (const one of testedCases)
    test(`${one.name}: every action does its work`, async (context) => {
      const { error, standstill } = await cases.run(one);
      if (standstill !== undefined) context.diagnostic(`was reset: ${standstill}`);
      assert.equal(error, undefined);
    });

  test('no packet left the site, and the capture would show one', async () => {
    assert.deepEqual(await cases.site.capture.outside(), []);
    const { capture } = cases.site;
    let lines: readonly string[] = [];
    // The first packet may be lost, as any other.
    for (let attempt = 1; lines.length === 0 && attempt <= ATTEMPTS; attempt += 1) {
      await sendOutside();
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      lines = await capture.outside();
    }
    const network = spawnSync('sh', ['-c', 'ip -br link; ip route; ip neigh'], { encoding: 'utf8' }).stdout;
    assert.notEqual(lines.length, 0, `the capture ${capture.state()}, in the network\n${network}`);
    for (const line of lines) assert.match(line, new RegExp(`> ${OUTSIDE}\\.${DISCARD_PORT}: UDP`));
  });
});
