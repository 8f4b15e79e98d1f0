/**
 * Creates templates that take long or much memory, many of them by one author, beside one of another author
 * that is rendered in its turn.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededChoice } from '../seeded-choice.ts';
import type { Attack, AttackTarget } from './attack.ts';

const LAB = '/apis/tinkerbell.org/v1alpha1/namespaces/lab';
const OTHER = '/apis/tinkerbell.org/v1alpha1/namespaces/default';
/** The time before a cheap template counts as starved: several times what one slow template may take. */
const CHEAP_WITHIN_MS = 30_000;

const OWN_PATIENCE_MS = 20_000;

const good = 'name: w\ntasks: [{name: t, worker: "{{.device_1}}", actions: [{name: a, image: img}]}]\n';

function slowText(choice: SeededChoice): string {
  const rounds = choice.of([10, 300, 1000]);
  return choice.of([
    `{{ $x := repeat 1000000 "a" }}{{ range until ${rounds} }}{{ range until 300 }}{{ $_ := contains "b" $x }}{{ end }}{{ end }}`,
    `{{ $l := until 500000 }}{{ $m := until ${rounds * 400} }}{{ $n := concat $l $m }}{{ len $n }}`,
    `{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}`,
    `{{ range until ${rounds} }}{{ genPrivateKey "rsa" }}{{ end }}`,
    `{{ $s := "a" }}{{ range until 30 }}{{ $s = print $s $s }}{{ end }}`,
    `{{ regexMatch "(a+)+$" (repeat 30000 "a") }}`,
  ]);
}

export const slowTemplates: Attack = {
  name: 'slow-templates',
  sends: 'request',
  async once(target, choice) {
    const template = `slow-${choice.below(4)}`;
    const text = slowText(choice);
    await put(target, `${LAB}/templates`, { kind: 'Template', name: template, spec: { data: text } });
    const count = 1 + choice.below(20);
    const creations = Array.from({ length: count }, () => createWorkflow(target, choice, template));
    const cheap = choice.once(2) ? cheapIsRendered(target, choice) : Promise.resolve();
    for (const status of await Promise.all(creations))
      if (![201, 403, 409, 422, 429].includes(status))
        throw new Error(`a workflow of a slow template is answered with ${status}`);
    await cheap;
  },
};

async function createWorkflow(target: AttackTarget, choice: SeededChoice, template: string): Promise<number> {
  const name = `slow-${choice.below(1e9)}`;
  // A disabled one is not checked when it is created, so the controller has to find out.
  const spec = { templateRef: template, hardwareMap: { device_1: 'agent' }, disabled: choice.once(2) };
  const body = resource('Workflow', name, spec);
  // One of many slow ones waits for the others of its author, and may be abandoned.
  const signal = AbortSignal.timeout(OWN_PATIENCE_MS);
  const answer = await target.send('editor', `${LAB}/workflows`, { ...body, signal }).catch(() => undefined);
  if (answer === undefined) return 429;
  await answer.body?.cancel();
  if (answer.status === 201) setTimeout(() => void remove(target, `${LAB}/workflows/${name}`), 5000).unref();
  return answer.status;
}

/** A workflow in another namespace, which the slow ones must not delay. */
async function cheapIsRendered(target: AttackTarget, choice: SeededChoice): Promise<void> {
  const name = `cheap-${choice.below(1e9)}`;
  const made = await target.send('admin', `${OTHER}/templates`, resource('Template', name, { data: good }));
  await made.body?.cancel();
  if (made.status !== 201) return;
  const spec = { templateRef: name, hardwareMap: { device_1: 'agent' } };
  const created = target.send('admin', `${OTHER}/workflows`, resource('Workflow', name, spec));
  const answer = await Promise.race([created, delay(CHEAP_WITHIN_MS, undefined, { ref: false })]);
  if (answer === undefined) throw new Error(`a cheap template is not rendered within ${CHEAP_WITHIN_MS} ms`);
  await answer.body?.cancel();
  await Promise.all(
    [`workflows/${name}`, `templates/${name}`].map((path) => remove(target, `${OTHER}/${path}`)),
  );
  if (answer.status !== 201) throw new Error(`a good workflow is answered with ${answer.status}`);
}

async function put(
  target: AttackTarget,
  path: string,
  one: { kind: string; name: string; spec: object },
): Promise<void> {
  const made = await target.send('editor', path, resource(one.kind, one.name, one.spec));
  await made.body?.cancel();
  if (made.status !== 409) return;
  const patch = {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ spec: one.spec }),
  };
  const patched = await target.send('editor', `${path}/${one.name}`, patch);
  await patched.body?.cancel();
}

async function remove(target: AttackTarget, path: string): Promise<void> {
  const answer = await target.send('admin', path, { method: 'DELETE' }).catch(() => undefined);
  await answer?.body?.cancel();
}

function resource(kind: string, name: string, spec: object): RequestInit {
  const object = { apiVersion: 'tinkerbell.org/v1alpha1', kind, metadata: { name }, spec };
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(object) };
}
