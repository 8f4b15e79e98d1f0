/** Creates objects until it is killed, and prints how many were acknowledged. Its log is checkpointed as often as possible. */
import type { Log } from '@tinkerbell/platform-contract';
import { Checkpoints, openSqliteStore } from '../index.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const path = process.argv[2] ?? '';
const checkpoints = new Checkpoints({ path, log: silent, pages: 1 });
const store = openSqliteStore({ path, log: silent, checkpoints });
for (let count = 1; ; count++) {
  const key = { collection: 'templates.tinkerbell.org', namespace: 'default', name: `t${count}` };
  const object = {
    apiVersion: 'tinkerbell.org/v1alpha1',
    kind: 'Template',
    metadata: { name: key.name, namespace: 'default' },
  };
  const result = await store.commit([{ operation: 'create', key, object }]);
  if (!result.ok) throw new Error(result.message);
  process.stdout.write(`${count}\n`);
}
