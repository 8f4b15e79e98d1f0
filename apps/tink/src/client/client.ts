/** A client for the parts of the Kubernetes-compatible API that the command line needs. */
import { isRecord, workflowKind, type Resource, type Workflow } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import type { Check } from '@tinkerbell/diagnosis';
import {
  checksIn,
  diagnosisIn,
  listIn,
  objectEventIn,
  objectIn,
  recordIn,
  tableEventIn,
  tableIn,
  type Diagnosed,
  type WatchEvent,
} from './answers.ts';
import { collectionPathOf, type ApiKind } from './api-kind.ts';
import type { Connection } from './connection.ts';
import { InterruptedFailure } from '../failure.ts';
import { warningsIn } from './warning-header.ts';
import { exchange, type Answer, type Exchange } from './http-exchange.ts';
import { jsonLines } from './json-lines.ts';
import { ApiFailure, refusal, unreachable } from './server-failure.ts';
import type { Table } from '../output/table-text.ts';

export interface ListOptions {
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** `metadata.name=m1`; the server defines the supported fields. */
  readonly fieldSelector?: string | undefined;
  /** Makes rows of tables contain whole objects instead of only their metadata. */
  readonly includeObjects?: boolean;
}

export interface ObjectName<Object extends Resource = Resource> {
  readonly kind: ApiKind<Object>;
  readonly namespace: string;
  readonly name: string;
}

export interface LogOptions {
  readonly after: number;
  readonly action?: string | undefined;
  readonly task?: string | undefined;
  readonly follow?: boolean;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** Called with the text of each warning of the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
}

export type Cascade = 'Background' | 'Foreground' | 'Orphan';

export interface RemoveOptions extends Pick<WriteOptions, 'onWarning'> {
  readonly cascade?: Cascade | undefined;
  readonly dryRun?: boolean;
}

const patchTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export interface PatchOptions {
  readonly type: keyof typeof patchTypes;
  readonly body: object;
  readonly dryRun?: boolean;
  /** For `apply`: takes ownership of fields that others have applied. */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const JSON_TYPE = 'application/json';
/** Size limit of an answer that is read as a whole, bytes. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

export class ApiClient {
  /** Base URL without a trailing slash. */
  readonly server: string;
  readonly #signal: AbortSignal;
  readonly #connection: Connection;

  constructor(server: string, signal: AbortSignal, connection: Connection = {}) {
    this.#connection = connection;
    this.server = server.replace(/\/+$/, '');
    this.#signal = signal;
  }

  async version(): Promise<string> {
    const answer = await this.#json('GET', '/version');
    return isRecord(answer) ? `API ${String(answer['gitVersion']).replace(/^v/, '')}` : 'unknown';
  }

  /** Returns the JSON at a path of the server, such as discovery or OpenAPI. */
  document(path: string): Promise<unknown> {
    return this.#json('GET', path);
  }

  /** Posts requests that are answered but not stored: reviews and token requests. */
  ask(path: string, body: object): Promise<unknown> {
    return this.#json('POST', path, { body });
  }

  async get<Object extends Resource>(target: ObjectName<Object>): Promise<Object> {
    return objectIn(await this.#json('GET', objectPath(target)), target.kind);
  }

  /** Returns undefined if the object does not exist. */
  async find<Object extends Resource>(target: ObjectName<Object>): Promise<Object | undefined> {
    try {
      return await this.get(target);
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.code === 404) return undefined;
      throw thrown;
    }
  }

  /** Returns all objects, page by page. */
  async list<Object extends Resource>(
    kind: ApiKind<Object>,
    options: ListOptions,
  ): Promise<{ items: readonly Object[]; resourceVersion: string }> {
    const items: Object[] = [];
    for (let token = ''; ;) {
      const path = collectionPath(kind, options, token === '' ? {} : { continue: token });
      const list = listIn(await this.#json('GET', path), kind);
      items.push(...list.items);
      token = list.metadata.continue ?? '';
      if (token === '') return { items, resourceVersion: list.metadata.resourceVersion };
    }
  }

  /** Returns the server's Table: rows of cells, each with the object's metadata. */
  async table(kind: ApiKind, options: ListOptions): Promise<Table> {
    let table: Table | undefined;
    for (let token = ''; ;) {
      const more: Record<string, string> = token === '' ? {} : { continue: token };
      const path = collectionPath(kind, options, { ...more, ...objectQuery(options.includeObjects) });
      const page = tableIn(await this.#json('GET', path, { accept: TABLE }));
      table = table === undefined ? page : { ...table, rows: [...table.rows, ...page.rows] };
      token = page.metadata.continue ?? '';
      if (token === '') return table;
    }
  }

  async tableOfOne(target: ObjectName, includeObjects = false): Promise<Table> {
    const query = new URLSearchParams(objectQuery(includeObjects)).toString();
    return tableIn(await this.#json('GET', `${objectPath(target)}?${query}`, { accept: TABLE }));
  }

  async create<Object extends Resource>(
    kind: ApiKind<Object>,
    object: Object,
    options: WriteOptions = {},
  ): Promise<Object> {
    const path = collectionPath(kind, { namespace: object.metadata.namespace }, writeQuery(options));
    const answer = await this.#json('POST', path, { body: object, onWarning: options.onWarning });
    return objectIn(answer, kind);
  }

  async replace<Object extends Resource>(
    kind: ApiKind<Object>,
    object: Object,
    options: WriteOptions = {},
  ): Promise<Object> {
    const { namespace, name } = object.metadata;
    const path = `${objectPath({ kind, namespace, name })}?${new URLSearchParams(writeQuery(options)).toString()}`;
    const answer = await this.#json('PUT', path, { body: object, onWarning: options.onWarning });
    return objectIn(answer, kind);
  }

  /** Sends an operator's verb, a subresource of the workflow. Resolves with the workflow after it. */
  async operate(
    target: ObjectName,
    verb: string,
    { body, dryRun = false }: { readonly body: object; readonly dryRun?: boolean },
  ): Promise<Workflow> {
    const path = `${objectPath(target)}/${verb}${dryRun ? '?dryRun=All' : ''}`;
    return objectIn(await this.#json('POST', path, { body }), workflowKind);
  }

  /** Sends a request of another API of the server, and resolves with its answer, whatever its status. */
  async raw(path: string, request: Pick<Exchange, 'method' | 'headers' | 'body'>): Promise<Answer> {
    const { token, login } = this.#connection;
    return this.#sent(path, request, login === undefined ? token : await login.current());
  }

  /** Yields the output of a workflow's actions after that sequence, oldest first. If followed, yields new output too. */
  async log(
    target: ObjectName,
    { after, action, task, follow = false }: LogOptions,
  ): Promise<AsyncIterable<JournalRecord>> {
    const query = new URLSearchParams({
      after: String(after),
      ...(follow ? { follow: 'true' } : {}),
      ...(action === undefined ? {} : { action }),
      ...(task === undefined ? {} : { task }),
    });
    return this.#lines(
      await this.#open('GET', `${objectPath(target)}/log?${query.toString()}`, {}),
      recordIn,
    );
  }

  /** If `cascade` is undefined, the server decides about the objects that this one owns. */
  async remove(
    target: ObjectName,
    { cascade, dryRun = false, onWarning }: RemoveOptions = {},
  ): Promise<void> {
    const query = dryRun ? '?dryRun=All' : '';
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: cascade };
    const options = { onWarning, ...(cascade === undefined ? {} : { body }) };
    await this.#json('DELETE', objectPath(target) + query, options);
  }

  /** `subresource` is `status` or undefined. */
  async patch<Object extends Resource>(
    target: ObjectName<Object>,
    { type, body, dryRun = false, force = false, subresource }: PatchOptions,
  ): Promise<Object> {
    const query = new URLSearchParams({ ...writeQuery({ dryRun }), ...(force ? { force: 'true' } : {}) });
    const path = subresource === undefined ? objectPath(target) : `${objectPath(target)}/${subresource}`;
    const contentType = patchTypes[type];
    const answer = await this.#json('PATCH', `${path}?${query.toString()}`, { body, contentType });
    return objectIn(answer, target.kind);
  }

  /** Returns a client for the same server whose requests end with this signal. */
  endingWith(signal: AbortSignal): ApiClient {
    return new ApiClient(this.server, signal, this.#connection);
  }

  /** Returns the journal records of a Hardware or Workflow after that sequence, oldest first. */
  async timeline(target: ObjectName, after: number): Promise<readonly JournalRecord[]> {
    const answer = await this.#open('GET', `${objectPath(target)}/timeline?after=${after}`, {});
    return Array.fromAsync(this.#lines(answer, recordIn));
  }

  /** Returns whether the last boot of a machine was successful, else why not. */
  async diagnosis(target: ObjectName): Promise<Diagnosed> {
    return diagnosisIn(await this.#json('GET', `${objectPath(target)}/diagnosis`, {}));
  }

  /** Makes the server, or the agent of a neighbour, try what it can try for a machine. */
  async checkNow(target: ObjectName, from: string): Promise<readonly Check[]> {
    const path = `${objectPath(target)}/diagnosis?from=${encodeURIComponent(from)}`;
    return checksIn(await this.#json('POST', path, {}));
  }

  /** Returns the same records, then new ones. Ends when the server ends it. */
  async followTimeline(target: ObjectName, after: number): Promise<AsyncIterable<JournalRecord>> {
    const path = `${objectPath(target)}/timeline?after=${after}&watch=true`;
    return this.#lines(await this.#open('GET', path, {}), recordIn);
  }

  /** Yields audit records after that sequence, oldest first. If followed, yields new records too. */
  async audit(after: number, follow: boolean): Promise<AsyncIterable<JournalRecord>> {
    return this.#lines(await this.#open('GET', `/audit?after=${after}&watch=${follow}`, {}), recordIn);
  }

  /** Yields changes after `resourceVersion` as rows of a Table. Ends when the server ends it. */
  async watchTable(
    kind: ApiKind,
    options: ListOptions,
    resourceVersion: string,
  ): Promise<AsyncIterable<WatchEvent<Table>>> {
    const path = collectionPath(kind, options, { watch: 'true', resourceVersion });
    return this.#lines(await this.#open('GET', path, { accept: TABLE }), tableEventIn);
  }

  async watch(
    kind: ApiKind,
    options: ListOptions,
    resourceVersion: string,
  ): Promise<AsyncIterable<WatchEvent<Resource>>> {
    const path = collectionPath(kind, options, { watch: 'true', resourceVersion });
    return this.#lines(await this.#open('GET', path, {}), objectEventIn);
  }

  async *#lines<Value>(
    answer: Answer,
    read: (line: unknown) => Value,
  ): AsyncGenerator<Value, void, undefined> {
    try {
      for await (const line of jsonLines(answer.body)) yield read(line);
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  async #json(method: string, path: string, options: RequestOptions = {}): Promise<unknown> {
    const answer = await this.#open(method, path, options);
    for (const warning of warningsIn(answer.warning)) options.onWarning?.(warning);
    const text = await this.#text(answer);
    try {
      return JSON.parse(text);
    } catch {
      throw refusal(this.server, { ...answer, text: '' });
    }
  }

  /** Resolves with a successful answer. Throws a TinkFailure for every other answer. */
  async #open(
    method: string,
    path: string,
    { accept = JSON_TYPE, body, contentType = JSON_TYPE }: RequestOptions,
  ): Promise<Answer> {
    const { token, login } = this.#connection;
    const headers = { accept, ...(body === undefined ? {} : { 'content-type': contentType }) };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const request = { method, headers, ...text };
    const first = login === undefined ? token : await login.current();
    const answer = await this.#sent(path, request, first);
    if (answer.status < 300) return answer;
    // Read the body first, because an unread body keeps the process waiting.
    const failure = refusal(this.server, { ...answer, text: await this.#text(answer) });
    const other = answer.status === 401 && first !== undefined ? await login?.another(first) : undefined;
    if (other === undefined) throw failure;
    const second = await this.#sent(path, request, other);
    if (second.status < 300) return second;
    throw refusal(this.server, { ...second, text: await this.#text(second) });
  }

  async #sent(
    path: string,
    { headers, ...request }: Pick<Exchange, 'method' | 'headers' | 'body'>,
    token: string | undefined,
  ): Promise<Answer> {
    const bearer: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { tls } = this.#connection;
    const signal = this.#signal;
    try {
      const all = { ...request, headers: { ...headers, ...bearer }, signal, tls };
      return await exchange(new URL(this.server + path), all);
    } catch (thrown) {
      throw this.#failure(thrown);
    }
  }

  async #text(answer: Answer): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of answer.body) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > ANSWER_BYTES_MAX)
          throw new Error(`an answer is larger than ${ANSWER_BYTES_MAX} bytes`);
      }
    } catch (thrown) {
      throw this.#failure(thrown);
    }
    return text;
  }

  #failure(thrown: unknown): Error {
    if (this.#signal.aborted) return new InterruptedFailure();
    return unreachable(this.server, thrown);
  }
}

interface RequestOptions extends Pick<WriteOptions, 'onWarning'> {
  readonly accept?: string;
  readonly body?: object;
  readonly contentType?: string;
}

function objectQuery(includeObjects: boolean | undefined): Record<string, string> {
  return { includeObject: includeObjects === true ? 'Object' : 'Metadata' };
}

/** Enables strict field validation, so that the server rejects unknown fields that tink sends. */
function writeQuery({ dryRun }: WriteOptions): Record<string, string> {
  return { fieldValidation: 'Strict', fieldManager: 'tink', ...(dryRun ? { dryRun: 'All' } : {}) };
}

function collectionPath(
  kind: ApiKind,
  { namespace, labelSelector, fieldSelector }: ListOptions,
  query: Record<string, string>,
): string {
  const parameters = new URLSearchParams({
    ...query,
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  });
  const path = collectionPathOf(kind, namespace);
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

function objectPath({ kind, namespace, name }: ObjectName): string {
  return `${collectionPath(kind, { namespace }, {})}/${encodeURIComponent(name)}`;
}
