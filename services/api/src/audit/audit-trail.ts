/**
 * Records writes over the API and their results as journal records of source `audit`. Records contain no text from bodies and queries,
 * except the name of a created object and whether the write was a dry run.
 */
import { queryOf, type Clock, type HttpContext, type HttpRequest } from '@tinkerbell/platform-contract';
import type { CounterChild } from '@tinkerbell/platform-metrics';
import { WRITE_ANSWERED, type Journal, type JournalDetail } from '@tinkerbell/store-contract';
import { askedBy, userOf } from '../access/question.ts';
import { APPLY_PATCH } from '../apply-object.ts';
import type { ApiMetrics } from '../metrics.ts';
import { mediaTypeOf } from '../request-body.ts';
import type { ResourceTarget } from '../request-target.ts';

/** Details that are only known while the write is executed. */
export interface AuditNote {
  /** Name of an object created in its collection. */
  name?: string;
  dryRun?: boolean;
}

export interface AuditedWrite {
  readonly request: HttpRequest;
  readonly context: HttpContext;
  readonly target: ResourceTarget;
  readonly note: AuditNote;
  /** HTTP status of the answer. */
  readonly code: number;
}

const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** Limit of recorded rejections per user and second, so that a program that retries cannot displace other records. */
const REFUSALS_A_SECOND = 5;
/** Limit of a recorded name: that of Kubernetes. Paths of rejected requests may be longer. */
const TEXT_MAX = 253;

export function isWrite({ method }: HttpRequest): boolean {
  return WRITES.includes(method);
}

export class AuditTrail {
  readonly #journal: Journal;
  readonly #clock: Clock;
  /** By user, in the current second. */
  readonly #refusals = new Map<string, number>();
  #cancelSecond: (() => void) | undefined;
  readonly #unrecorded: CounterChild;

  constructor(
    { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
    { refusalsUnrecorded }: Pick<ApiMetrics, 'refusalsUnrecorded'>,
  ) {
    this.#journal = journal;
    this.#clock = clock;
    this.#unrecorded = refusalsUnrecorded;
  }

  /** Never throws and never waits. */
  record(write: AuditedWrite): void {
    const { name: user } = userOf(write.context);
    if (write.code >= 400 && !this.#mayRecordRefusal(user)) return;
    const details = detailsOf(write);
    this.#journal.append({ source: 'audit', event: WRITE_ANSWERED, message: messageOf(details), details });
  }

  /** Records the number of unrecorded rejections, and ends the second. */
  flush(): void {
    this.#cancelSecond?.();
    this.#cancelSecond = undefined;
    for (const [name, count] of this.#refusals) {
      const unrecorded = count - REFUSALS_A_SECOND;
      if (unrecorded <= 0) continue;
      const user = clipped(name);
      const message = `${user}: ${unrecorded} more rejected within a second`;
      const details = { user, unrecorded };
      this.#journal.append({ source: 'audit', event: WRITE_ANSWERED, message, details });
    }
    this.#refusals.clear();
  }

  #mayRecordRefusal(user: string): boolean {
    const count = (this.#refusals.get(user) ?? 0) + 1;
    this.#refusals.set(user, count);
    this.#cancelSecond ??= this.#clock.schedule(1000, () => this.flush());
    if (count <= REFUSALS_A_SECOND) return true;
    this.#unrecorded.add();
    return false;
  }
}

function detailsOf({
  request,
  context,
  target,
  note,
  code,
}: AuditedWrite): Readonly<Record<string, JournalDetail>> {
  const { verb, group, resource, subresource, namespace } = askedBy(request, target);
  const isApply = verb === 'patch' && mediaTypeOf(request) === APPLY_PATCH;
  const isDry = note.dryRun ?? (request.url.includes('?') && queryOf(request.url).has('dryRun'));
  const { name: user, impersonatedBy } = userOf(context);
  const details: Record<string, JournalDetail> = {};
  put(details, 'user', user);
  put(details, 'impersonatedBy', impersonatedBy);
  put(details, 'verb', isApply ? 'apply' : verb);
  put(details, 'group', group);
  put(details, 'resource', resource);
  put(details, 'subresource', subresource);
  put(details, 'namespace', namespace);
  put(details, 'name', target.name ?? note.name);
  put(details, 'peer', context.peer.address);
  details['code'] = code;
  if (isDry) details['dryRun'] = true;
  return details;
}

function put(details: Record<string, JournalDetail>, field: string, text: string | undefined): void {
  if (text !== undefined && text !== '') details[field] = clipped(text);
}

/** `ann delete hardware.tinkerbell.org lab/m1: 403`. */
function messageOf(details: Readonly<Record<string, JournalDetail>>): string {
  const { user = '', verb, group, resource, subresource, namespace, name, code, dryRun } = details;
  const what = `${String(resource)}${after('.', group)}${after('/', subresource)}`;
  const where = namespace === undefined ? after(' ', name) : `${after(' ', namespace)}${after('/', name)}`;
  return `${String(user)} ${String(verb)} ${what}${where}: ${String(code)}${dryRun === true ? ' (dry run)' : ''}`;
}

function after(separator: string, part: JournalDetail | undefined): string {
  return part === undefined ? '' : `${separator}${String(part)}`;
}

function clipped(text: string): string {
  return text.slice(0, TEXT_MAX);
}
