import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedByMigration, changedByRestoring, notOnce, progressOf, type Objects } from './checks.ts';

const workflow = {
  metadata: { name: 'w', uid: 'a', resourceVersion: '7', labels: { site: 'lab' } },
  spec: { templateRef: 't', hardwareRef: 'h' },
  status: { state: 'SUCCESS', hardwareUID: 'b' },
};
const only = (object: object): Objects => new Map([['workflows/w', object as Record<string, unknown>]]);

test('a migration keeps everything but the version of the object', () => {
  const { metadata } = workflow;
  const moved = { ...workflow, metadata: { ...metadata, resourceVersion: '1' } };
  assert.deepEqual(changedByMigration(only(workflow), only(moved)), []);
  const renamed = { ...workflow, metadata: { ...metadata, uid: 'c' } };
  assert.match(
    changedByMigration(only(workflow), only(renamed)).join(),
    /^workflows\/w was .*"uid":"a".* and is .*"uid":"c"/,
  );
});

test('a restored object has other uids, and nothing else is new', () => {
  const metadata = { ...workflow.metadata, uid: 'c' };
  const restored = { ...workflow, metadata, status: { hardwareUID: 'd', state: 'SUCCESS' } };
  assert.deepEqual(changedByRestoring(only(workflow), only(restored)), []);
  const running = { ...restored, status: { ...restored.status, state: 'RUNNING' } };
  assert.equal(changedByRestoring(only(workflow), only(running)).length, 1);
});

test('lost and added objects are reported, and the order of fields is not', () => {
  assert.deepEqual(changedByMigration(only(workflow), new Map()), ['workflows/w is lost']);
  assert.deepEqual(changedByMigration(new Map(), only(workflow)), ['workflows/w is new']);
  const turned = { ...workflow, spec: { hardwareRef: 'h', templateRef: 't' } };
  assert.deepEqual(changedByMigration(only(workflow), only(turned)), []);
});

test('an action that ran twice or never is reported', () => {
  const of = (event: string) => ({ event, details: { action: 'write image' } });
  const once = [of('action-started'), of('action-succeeded')];
  assert.deepEqual(notOnce('w', ['write image'], once), []);
  assert.deepEqual(notOnce('w', ['write image'], [...once, of('action-started')]), [
    'w: action-started of "write image" 2 times',
  ]);
  assert.equal(notOnce('w', ['write image', 'restart'], once).length, 2);
});

test('a Workflow that is not rendered has no state and no actions', () => {
  assert.deepEqual(progressOf(undefined), { state: '', isPaused: false, actions: [] });
  const tasks = [{ actions: [{ name: 'one', state: 'SUCCESS' }] }];
  assert.deepEqual(progressOf({ status: { state: 'RUNNING', paused: true, tasks } }), {
    state: 'RUNNING',
    isPaused: true,
    actions: [{ name: 'one', state: 'SUCCESS' }],
  });
});
