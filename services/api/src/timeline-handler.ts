/**
 * Streams the journal as JSON lines. `GET …/hardware/<name>/timeline` (its machine's packets, transfers, actions) and
 * `GET …/workflows/<name>/timeline` accept `after=<sequence>`, `watch=true` and `output=true` to include the output of actions.
 * `GET …/workflows/<name>/log` returns only the output, with `after`, `follow=true`, `action=<name>` and `task=<name>`.
 * `GET …/hardware/<name>/log` returns what the machine printed on its serial console, with `after` and `follow=true`.
 * `GET /audit` returns the writes over the API, with `after`, `watch=true` and `user=<name>`.
 */
import { queryOf, type Clock, type HttpRequest } from '@tinkerbell/platform-contract';
import { hardwareKind, isOfKind, macsOf, type Resource } from '@tinkerbell/resources';
import {
  ACTION_OUTPUT,
  CONSOLE_OUTPUT,
  WRITE_ANSWERED,
  type Journal,
  type JournalQuery,
} from '@tinkerbell/store-contract';
import { ApiError } from './api-error.ts';
import { journalStream, type JournalStreamOptions } from './journal-stream.ts';

export interface TimelineDeps {
  readonly journal: Journal;
  readonly clock: Clock;
}

interface TimelineCall {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
}

export function timeline(deps: TimelineDeps, resource: Resource, call: TimelineCall): Response {
  const query = queryOf(call.request.url);
  const subject = subjectOf(resource);
  const output = isTrue(query, 'output') ? [{ ...subject, events: [ACTION_OUTPUT] }] : [];
  return streamed(deps, call, { queries: [subject, ...output], follow: 'watch' });
}

export function actionLog(deps: TimelineDeps, resource: Resource, call: TimelineCall): Response {
  const query = queryOf(call.request.url);
  const [task, action] = [query.get('task'), query.get('action')];
  return streamed(deps, call, {
    queries: [{ ...subjectOf(resource), events: [ACTION_OUTPUT] }],
    follow: 'follow',
    keep: ({ details }) =>
      (task === null || details?.['task'] === task) && (action === null || details?.['action'] === action),
  });
}

export function consoleLog(deps: TimelineDeps, resource: Resource, call: TimelineCall): Response {
  const queries = [{ ...subjectOf(resource), events: [CONSOLE_OUTPUT] }];
  return streamed(deps, call, { queries, follow: 'follow' });
}

export function auditRecords(deps: TimelineDeps, request: HttpRequest, signal: AbortSignal): Response {
  const user = queryOf(request.url).get('user');
  return streamed(
    deps,
    { request, signal },
    {
      queries: [{ events: [WRITE_ANSWERED] }],
      follow: 'watch',
      keep: ({ details }) => user === null || details?.['user'] === user,
    },
  );
}

/** `follow` is the name of the parameter that asks for new records too. */
function streamed(
  deps: TimelineDeps,
  { request, signal }: TimelineCall,
  { follow, ...selected }: Pick<JournalStreamOptions, 'queries' | 'keep'> & { readonly follow: string },
): Response {
  const query = queryOf(request.url);
  return journalStream(deps, {
    ...selected,
    after: sequenceIn(query),
    follow: isTrue(query, follow),
    signal,
  });
}

function sequenceIn(query: URLSearchParams): number {
  const after = query.get('after') ?? '0';
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw new ApiError('BadRequest', `after must be a whole number, not ${JSON.stringify(after)}`);
}

function isTrue(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? 'false';
  if (['true', '1', ''].includes(value)) return true;
  if (['false', '0'].includes(value)) return false;
  throw new ApiError('BadRequest', `${name} must be true or false, not ${JSON.stringify(value)}`);
}

function subjectOf(resource: Resource): Pick<JournalQuery, 'machines' | 'workflows'> {
  if (isOfKind(resource, hardwareKind)) return { machines: macsOf(resource) };
  return { workflows: [`${resource.metadata.namespace}/${resource.metadata.name}`] };
}
