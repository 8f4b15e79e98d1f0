/** Merges the timelines of several objects: each record once, ordered by sequence. */
import type { JournalRecord } from '@tinkerbell/store-contract';
import type { ApiClient, ObjectName } from './client.ts';
import { merged } from './merged.ts';
import { resumed, type ResumeOptions } from './resumed.ts';

/** Returns the records after that sequence. */
export async function readTimelines(
  client: ApiClient,
  subjects: readonly ObjectName[],
  after: number,
): Promise<readonly JournalRecord[]> {
  const timelines = await Promise.all(subjects.map((subject) => client.timeline(subject, after)));
  const bySequence = new Map(timelines.flat().map((record) => [record.sequence, record]));
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
}

/** Yields the current records, then new ones until the signal. Resumes after restarts of the server. */
export async function* followTimelines(
  client: ApiClient,
  subjects: readonly ObjectName[],
  { after, ...options }: ResumeOptions & { readonly after: number },
): AsyncGenerator<JournalRecord, void, undefined> {
  let last = after;
  for (const record of await readTimelines(client, subjects, after)) {
    last = record.sequence;
    yield record;
  }
  const quietly = onceForAll(options);
  const streams = subjects.map((subject) => followOne(client, subject, { ...quietly, after: last }));
  const seen = new Set<number>();
  for await (const record of merged(streams)) {
    if (subjects.length > 1 && remembered(seen, record.sequence)) continue;
    yield record;
  }
}

/** Number of sequences to remember. Copies of a record arrive at nearly the same time. */
const REMEMBERED = 10_000;

function remembered(seen: Set<number>, sequence: number): boolean {
  if (seen.has(sequence)) return true;
  seen.add(sequence);
  if (seen.size > REMEMBERED) for (const oldest of seen.values().take(1)) seen.delete(oldest);
  return false;
}

async function* followOne(
  client: ApiClient,
  subject: ObjectName,
  { after, ...options }: ResumeOptions & { readonly after: number },
): AsyncGenerator<JournalRecord, void, undefined> {
  let last = after;
  for await (const record of resumed(() => client.followTimeline(subject, last), options)) {
    last = record.sequence;
    yield record;
  }
}

/** All subjects lose their connection together. Reports the first loss and the last return. */
function onceForAll(options: ResumeOptions): ResumeOptions {
  let lost = 0;
  return {
    ...options,
    onLost: () => (lost++ === 0 ? options.onLost() : undefined),
    onBack: () => (--lost === 0 ? options.onBack() : undefined),
  };
}
