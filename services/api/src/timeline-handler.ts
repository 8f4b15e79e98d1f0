import type { HttpRequest } from '@tinkerbell/platform-contract';
/**
 * The timeline of a Hardware (its machines' packets, transfers, actions) or of a Workflow, as JSON lines:
 * `GET …/hardware/<name>/timeline` and `GET …/workflows/<name>/timeline`, with `after=<sequence>` and `watch=true`.
 */
import type { Hardware, Resource, Workflow } from '@tinkerbell/resources';
import type { Journal, JournalQuery, JournalRecord, View } from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';

const BACKLOG_LIMIT = 10_000;

export async function timeline(
  deps: { journal: Journal; view: View },
  resource: Resource,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Response> {
  const query = new URL(request.url).searchParams;
  const after = query.get('after') ?? '0';
  if (!/^\d{1,15}$/.test(after))
    throw new ApiError('BadRequest', `after must be a whole number, not ${JSON.stringify(after)}`);
  const subject = subjectOf(deps.view, resource);
  const records = await deps.journal.read({ ...subject, after: Number(after) });
  const stream =
    query.get('watch') === 'true' ? followed(deps.journal, subject, records, signal) : finished(records);
  return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } });
}

type Subject = Pick<JournalQuery, 'machines' | 'workflows'>;

function subjectOf(view: View, resource: Resource): Subject {
  if (resource.kind === 'Hardware') return { machines: macsOf(resource as Hardware) };
  const { namespace, name } = resource.metadata;
  const hardware = view.hardwareNamed(namespace, (resource as Workflow).spec?.hardwareRef ?? '');
  return { workflows: [`${namespace}/${name}`], ...(hardware === undefined ? {} : { machines: [] }) };
}

function macsOf(hardware: Hardware): string[] {
  return (hardware.spec?.interfaces ?? []).flatMap((one) => one.dhcp?.mac ?? []);
}

const encoder = new TextEncoder();

function lineOf(record: JournalRecord): Uint8Array {
  return encoder.encode(`${JSON.stringify(record)}\n`);
}

function finished(records: readonly JournalRecord[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const record of records) controller.enqueue(lineOf(record));
      controller.close();
    },
  });
}

/** Between read and follow nothing is awaited, so that no record is missed. */
function followed(
  journal: Journal,
  subject: Subject,
  records: readonly JournalRecord[],
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let stop: () => void = () => undefined;
  return new ReadableStream({
    start(controller) {
      for (const record of records) controller.enqueue(lineOf(record));
      const end = (): void => {
        stop();
        controller.close();
      };
      stop = journal.follow(subject, (record) => {
        if ((controller.desiredSize ?? 0) < -BACKLOG_LIMIT) end();
        else controller.enqueue(lineOf(record));
      });
      signal.addEventListener('abort', stop, { once: true });
    },
    cancel: () => stop(),
  });
}
