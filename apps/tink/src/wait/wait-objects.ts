/** `tink wait`: watches objects until all of them meet the condition. */
import type { Resource } from '@tinkerbell/resources';
import type { ObjectName } from '../client/client.ts';
import { InterruptedFailure, TinkFailure } from '../failure.ts';
import { followed } from '../client/followed.ts';
import { nameOf } from '../client/kind-names.ts';
import { withCloseNames } from '../client/name-advice.ts';
import { printable } from '../output/printable.ts';
import type { Session } from '../client/session.ts';
import { limitedTo } from '../client/time-limit.ts';
import { judge, type Verdict, type WaitCondition } from './wait-condition.ts';

export interface WaitOptions {
  readonly condition: WaitCondition;
  readonly timeoutSeconds: number;
}

/** Throws a TinkFailure if one of them fails the condition or the time limit. */
export async function waitFor(
  session: Session,
  targets: readonly ObjectName[],
  { condition, timeoutSeconds }: WaitOptions,
): Promise<readonly Verdict[]> {
  using limit = limitedTo(timeoutSeconds, session);
  const waits = targets.map((target) => waitForOne(limit.session, target, condition));
  const verdicts = await Promise.all(waits);
  const late = verdicts.find(({ verdict }) => !verdict.isMet);
  if (late !== undefined && session.terminal.signal.aborted) throw new InterruptedFailure();
  if (late !== undefined)
    throw new TinkFailure(
      `${late.name}: condition not met within ${timeoutSeconds} s; now: ${late.verdict.now}`,
      { advice: 'raise the limit, for example --timeout 30m' },
    );
  return verdicts.map(({ verdict }) => verdict);
}

async function waitForOne(
  session: Session,
  target: ObjectName,
  condition: WaitCondition,
): Promise<{ readonly name: string; readonly verdict: Verdict }> {
  const { client, terminal } = session;
  const name = nameOf(target.kind, target.name);
  let verdict: Verdict = { isMet: false, isHopeless: false, now: 'not known yet' };
  const isDecided = (object: Resource | undefined): boolean => {
    const before = verdict.now;
    verdict = judge(condition, object);
    if (verdict.now !== before && !verdict.isMet) terminal.err(`${name}: ${printable(verdict.now)}\n`);
    if (verdict.isHopeless)
      throw new TinkFailure(`${name}: ${printable(verdict.now)}; the condition can no longer be met`);
    return verdict.isMet;
  };
  try {
    const first = await client.find(target);
    if (first === undefined && condition.wanted !== 'delete')
      await withCloseNames(client, target, () => client.get(target));
    if (isDecided(first)) return { name, verdict };
    for await (const object of statesOf(session, target, first))
      if (isDecided(object)) return { name, verdict };
  } catch (thrown) {
    if (!terminal.signal.aborted) throw thrown;
  }
  return { name, verdict };
}

/** Yields the object after each change since `first`; undefined when it is gone. */
export async function* statesOf(
  session: Session,
  target: ObjectName,
  first: Resource | undefined,
): AsyncGenerator<Resource | undefined, void, undefined> {
  const { client } = session;
  const options = { namespace: target.namespace, fieldSelector: `metadata.name=${target.name}` };
  let last = first?.metadata.resourceVersion ?? '';
  const open = () => client.watch(target.kind, options, last);
  for await (const { type, object } of followed(session, open)) {
    // After an error, the resourceVersion may be too old, so read the object again.
    const seen = type === 'ERROR' ? await client.find(target) : object;
    last = seen?.metadata.resourceVersion ?? last;
    if (type === 'BOOKMARK') continue;
    // An object of the same name with another uid is a new object.
    yield type === 'DELETED' || seen?.metadata.uid !== first?.metadata.uid ? undefined : seen;
  }
}
