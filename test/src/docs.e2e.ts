/**
 * Runs every command of README.md and of the guides as written, against a real server on loopback. A block
 * that cannot run here states the reason after its fence: ```sh no-run: needs hardware
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { withCacheLock } from '@tinkerbell/hook';
import { blocksOf, type Block, type Command } from './docs/blocks.ts';
import { openGuideSession, type GuideSession } from './docs/guide-session.ts';
import { notCovered, settings, type GuideSetting } from './docs/guides.ts';
import { missingLines } from './docs/shown-output.ts';
import { installedKubectl, kubectlCache } from './installed-kubectl.ts';

const root = join(import.meta.dirname, '../..');
const guides = readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`);
const pages = ['README.md', ...guides];
/** How long a command that follows something and prints nothing is observed. */
const FOLLOWED_MS = 2000;
/** How long a state that a transcript shows may take. */
const STATE_MS = 20_000;
let kubectlPath = '';

before(async () => {
  kubectlPath = await withCacheLock(kubectlCache, installedKubectl);
});

test('the pages that are named here exist', () => {
  const named = [...Object.keys(settings), ...Object.keys(notCovered)];
  assert.deepEqual(
    named.filter((page) => !pages.includes(page)),
    [],
  );
});

for (const page of pages) {
  test(`${page} is true`, { skip: notCovered[page] ?? false }, async () => {
    const blocks = blocksOf(readFileSync(join(root, page), 'utf8'));
    const mistakes = blocks.filter((block) => block.kind === 'wrong');
    const wrong = mistakes.map(({ line, problem }) => `${page}:${line}: ${problem}`);
    assert.equal(wrong.join('\n'), '');
    if (blocks.every(({ kind }) => kind === 'not-run' || kind === 'file')) return;
    await using session = await openGuideSession(kubectlPath);
    const setting = settings[page] ?? {};
    await prepare(session, setting);
    for (const block of blocks)
      wrong.push(...(await wrongOf(block, session, setting)).map((it) => `${page}:${it}`));
    assert.equal(wrong.join('\n'), '');
  });
}

async function prepare(session: GuideSession, { files = {}, first, agent }: GuideSetting): Promise<void> {
  for (const [name, text] of Object.entries(files)) session.write(name, text);
  if (first !== undefined) await prepared(session, first);
  if (agent !== undefined && agent.before === undefined) session.startAgent(agent.id);
}

async function prepared(session: GuideSession, text: string): Promise<void> {
  const { printed, hasFailed } = await session.run(text);
  assert.ok(!hasFailed, `${text}: ${printed}`);
}

/** Returns what of a block differs from the page, each with its line. */
async function wrongOf(
  block: Block,
  session: GuideSession,
  setting: GuideSetting,
): Promise<readonly string[]> {
  if (block.kind === 'file') session.write(block.name, block.text);
  if (block.kind === 'flags')
    return wrongCommand({ text: `tinkerbell ${block.text}`, output: [] }, session, block.line);
  if (block.kind !== 'run') return [];
  const wrong: string[] = [];
  for (const command of block.commands) {
    const { agent } = setting;
    if (agent?.before !== undefined && command.text.startsWith(agent.before)) session.startAgent(agent.id);
    const due = Object.entries(setting.before ?? {}).find(([start]) => command.text.startsWith(start));
    if (due !== undefined) await prepared(session, due[1]);
    wrong.push(...(await wrongCommand(command, session, block.line)));
  }
  return wrong;
}

async function wrongCommand(
  { text, output }: Command,
  session: GuideSession,
  line: number,
): Promise<readonly string[]> {
  const startMs = performance.now();
  const passedMs = () => performance.now() - startMs;
  const isFollowing = /\s(?:-w|-f(?=\s*(?:#|$)))/.test(text);
  const isState = /^(?:tink|kubectl) (?:get|describe|\w+ list|wait)/.test(text);
  const isEnough = (printed: string): boolean =>
    output.length > 0 ? missingLines(output, printed).length === 0 : passedMs() > FOLLOWED_MS;
  const mayFail = output.some((one) => /^tink: |problems?; nothing was sent/.test(one));
  for (;;) {
    const { printed, hasFailed } = await session.run(text, isFollowing ? isEnough : undefined);
    const missing = missingLines(output, printed);
    if (hasFailed === mayFail && missing.length === 0) return [];
    if (!isState || output.length === 0 || passedMs() > STATE_MS)
      return [
        `${line}: ${text}\n  ${hasFailed ? 'failed' : 'ended well'}, printed:\n${printed}\n  without: ${missing.join('\n  ')}`,
      ];
  }
}
