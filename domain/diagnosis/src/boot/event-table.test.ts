import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { operatorVerbs } from '@tinkerbell/workflow';
import { eventTable } from './event-table.ts';
import { reasonAdvice } from './reason-advice.ts';

describe('every', () => {
  const root = join(import.meta.dirname, '../../../..');
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const unions = (file: string) =>
    [...read(file).matchAll(/^ +\| '([a-z0-9-]+)'/gm)].map(([, name]) => name ?? '');

  test('reason has a description', () => {
    const reasons = ['dhcp/reasons', 'v6/reply', 'v6/boot-url'].flatMap((file) =>
      unions(`domain/netboot/src/${file}.ts`),
    );
    assert.ok(reasons.length > 40, `only ${reasons.length} reasons were found`);
    assert.deepEqual(
      reasons.filter((reason) => !(reason in reasonAdvice)),
      [],
    );
    for (const [reason, { meaning, next = 'x' }] of Object.entries(reasonAdvice))
      assert.ok(meaning.length > 10 && next !== '' && !meaning.endsWith('.'), reason);
  });

  test('event has a description', () => {
    const files = globSync(['services/*/src/**/*.ts', 'apps/server/src/*.ts'], { cwd: root }).filter(
      // The watch of jobs writes to its client, not to a timeline.
      (file) => !file.endsWith('.test.ts') && !file.includes('/provisioning/watch-'),
    );
    const written = files.flatMap((file) =>
      [
        ...read(file).matchAll(/(?<!\()\bevent: (?:[^'\n]*\? )?'([a-z-]+)'(?: : '([a-z-]+)')?/g),
        ...read(file).matchAll(/#(?:tell|append)\(mac, '([a-z-]+)'/g),
        ...read(file).matchAll(/\bwrite\((?:\w+ \? )?'([a-z-]+)'(?: : '([a-z-]+)')?/g),
      ].flatMap(([, first, second]) => [first, second].filter((name) => name !== undefined)),
    );
    const made = [
      'offer-sent',
      'acknowledge-sent',
      'refusal-sent',
      'action-succeeded',
      'action-failed',
      'action-timed-out',
      'transfer-moved',
      ...operatorVerbs.map((verb) => `operator-${verb}`),
    ];
    const events = [...new Set([...written, ...made])];
    assert.ok(events.length > 30, `only ${events.length} events were found: ${events.join(', ')}`);
    assert.deepEqual(
      events.filter((event) => !(event in eventTable)),
      [],
    );
  });
});
