/** The Kubernetes-shaped API, as far as the command line needs it. */
import { isRecord, type Resource, type Workflow } from '@tinkerbell/resources';
import type { JournalRecord } from '@tinkerbell/store-contract';
import { collectionPathOf, type ApiKind } from './api-kind.ts';
import type { Connection } from './connection.ts';
import { TinkFailure } from '../failure.ts';
import { warningsIn } from './warning-header.ts';
import { exchange, type Answer, type Exchange } from './http-exchange.ts';
import { jsonLines } from './json-lines.ts';
import { ApiFailure, refusal, unreachable } from './server-failure.ts';
import type { Table } from '../output/table-text.ts';

export interface ListOptions {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** `metadata.name=m1`; which fields there are is the server's to say. */
  readonly fieldSelector?: string | undefined;
  /** In tables: rows carry the whole objects and not only their metadata. */
  readonly includeObjects?: boolean;
}

export interface ObjectName {
  readonly kind: ApiKind;
  readonly namespace: string;
  readonly name: string;
}

export interface WatchEvent<Value> {
  readonly type: string;
  readonly object: Value;
}

export interface LogOptions {
  readonly after: number;
  readonly action?: string | undefined;
  readonly task?: string | undefined;
  readonly follow?: boolean;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** Hears what the server warns of, as text for people. */
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
  /** Of `apply`: takes fields that others have applied. */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const JSON_TYPE = 'application/json';
/** Bytes of one answer that is read as a whole. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;

export class ApiClient {
  /** Without a slash at its end. */
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

  /** The JSON at a path of the server: discovery, OpenAPI. */
  document(path: string): Promise<unknown> {
    return this.#json('GET', path);
  }

  /** Posts what is answered and not stored: reviews, requests for tokens. */
  ask(path: string, body: object): Promise<unknown> {
    return this.#json('POST', path, { body });
  }

  get(target: ObjectName): Promise<Resource> {
    return this.#json('GET', objectPath(target)) as Promise<Resource>;
  }

  /** Undefined when there is none. */
  async find(target: ObjectName): Promise<Resource | undefined> {
    try {
      return await this.get(target);
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.code === 404) return undefined;
      throw thrown;
    }
  }

  /** All objects, over as many pages as the server makes of them. */
  async list(
    kind: ApiKind,
    options: ListOptions,
  ): Promise<{ items: readonly Resource[]; resourceVersion: string }> {
    const items: Resource[] = [];
    for (let token = ''; ;) {
      const path = collectionPath(kind, options, token === '' ? {} : { continue: token });
      const list = (await this.#json('GET', path)) as ListAnswer;
      items.push(...list.items);
      token = list.metadata.continue ?? '';
      if (token === '') return { items, resourceVersion: list.metadata.resourceVersion };
    }
  }

  /** As the server lays it out: rows of cells, each with the object's metadata. */
  async table(kind: ApiKind, options: ListOptions): Promise<Table> {
    let table: Table | undefined;
    for (let token = ''; ;) {
      const more: Record<string, string> = token === '' ? {} : { continue: token };
      const path = collectionPath(kind, options, { ...more, ...objectQuery(options.includeObjects) });
      const page = (await this.#json('GET', path, { accept: TABLE })) as Table;
      table = table === undefined ? page : { ...table, rows: [...table.rows, ...page.rows] };
      token = page.metadata.continue ?? '';
      if (token === '') return table;
    }
  }

  tableOfOne(target: ObjectName, includeObjects = false): Promise<Table> {
    const query = new URLSearchParams(objectQuery(includeObjects)).toString();
    return this.#json('GET', `${objectPath(target)}?${query}`, { accept: TABLE }) as Promise<Table>;
  }

  create(kind: ApiKind, object: Resource, options: WriteOptions = {}): Promise<Resource> {
    const path = collectionPath(kind, { namespace: object.metadata.namespace }, writeQuery(options));
    return this.#json('POST', path, { body: object, onWarning: options.onWarning }) as Promise<Resource>;
  }

  replace(kind: ApiKind, object: Resource, options: WriteOptions = {}): Promise<Resource> {
    const { namespace, name } = object.metadata;
    const path = `${objectPath({ kind, namespace, name })}?${new URLSearchParams(writeQuery(options)).toString()}`;
    return this.#json('PUT', path, { body: object, onWarning: options.onWarning }) as Promise<Resource>;
  }

  /** What operators do to a workflow: `verb` is a subresource of it. Resolves with the workflow after it. */
  async operate(
    target: ObjectName,
    verb: string,
    { body, dryRun = false }: { readonly body: object; readonly dryRun?: boolean },
  ): Promise<Workflow> {
    const path = `${objectPath(target)}/${verb}${dryRun ? '?dryRun=All' : ''}`;
    return (await this.#json('POST', path, { body })) as Workflow;
  }

  /** The output of a workflow's actions after that sequence, oldest first; and then what comes, when it is followed. */
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
    return this.#lines(await this.#open('GET', `${objectPath(target)}/log?${query.toString()}`, {}));
  }

  /** `cascade` undefined leaves it to the server what becomes of objects that this one owns. */
  async remove(
    target: ObjectName,
    { cascade, dryRun = false, onWarning }: RemoveOptions = {},
  ): Promise<void> {
    const query = dryRun ? '?dryRun=All' : '';
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: cascade };
    const options = { onWarning, ...(cascade === undefined ? {} : { body }) };
    await this.#json('DELETE', objectPath(target) + query, options);
  }

  /** `subresource` is `status` or absent. */
  patch(
    target: ObjectName,
    { type, body, dryRun = false, force = false, subresource }: PatchOptions,
  ): Promise<Resource> {
    const query = new URLSearchParams({ ...writeQuery({ dryRun }), ...(force ? { force: 'true' } : {}) });
    const path = subresource === undefined ? objectPath(target) : `${objectPath(target)}/${subresource}`;
    return this.#json('PATCH', `${path}?${query.toString()}`, {
      body,
      contentType: patchTypes[type],
    }) as Promise<Resource>;
  }

  /** The same server, for requests that end with this signal. */
  endingWith(signal: AbortSignal): ApiClient {
    return new ApiClient(this.server, signal, this.#connection);
  }

  /** What the journal has of a Hardware or Workflow after that sequence, oldest first. */
  async timeline(target: ObjectName, after: number): Promise<readonly JournalRecord[]> {
    const answer = await this.#open('GET', `${objectPath(target)}/timeline?after=${after}`, {});
    return Array.fromAsync(this.#lines<JournalRecord>(answer));
  }

  /** The same, and then what is appended; ends when the server ends it. */
  async followTimeline(target: ObjectName, after: number): Promise<AsyncIterable<JournalRecord>> {
    const path = `${objectPath(target)}/timeline?after=${after}&watch=true`;
    return this.#lines(await this.#open('GET', path, {}));
  }

  /** Who wrote over the API, after that sequence, oldest first; and then who writes, when it is followed. */
  async audit(after: number, follow: boolean): Promise<AsyncIterable<JournalRecord>> {
    return this.#lines(await this.#open('GET', `/audit?after=${after}&watch=${follow}`, {}));
  }

  /** Changes after `resourceVersion`, as rows of a Table; ends when the server ends it. */
  async watchTable(
    kind: ApiKind,
    options: ListOptions,
    resourceVersion: string,
  ): Promise<AsyncIterable<WatchEvent<Table>>> {
    const path = collectionPath(kind, options, { watch: 'true', resourceVersion });
    return this.#lines(await this.#open('GET', path, { accept: TABLE }));
  }

  async watch(
    kind: ApiKind,
    options: ListOptions,
    resourceVersion: string,
  ): Promise<AsyncIterable<WatchEvent<Resource>>> {
    const path = collectionPath(kind, options, { watch: 'true', resourceVersion });
    return this.#lines(await this.#open('GET', path, {}));
  }

  async *#lines<Value>(answer: Answer): AsyncGenerator<Value, void, undefined> {
    try {
      for await (const line of jsonLines(answer.body)) yield line as Value;
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

  /** Resolves with an answer of success; everything else is thrown as a TinkFailure. */
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
    // Read to its end before anything else: what is left unread keeps the process waiting.
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
    if (this.#signal.aborted) return new TinkFailure('interrupted');
    return unreachable(this.server, thrown);
  }
}

interface RequestOptions extends Pick<WriteOptions, 'onWarning'> {
  readonly accept?: string;
  readonly body?: object;
  readonly contentType?: string;
}

interface ListAnswer {
  readonly items: readonly Resource[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

function objectQuery(includeObjects: boolean | undefined): Record<string, string> {
  return { includeObject: includeObjects === true ? 'Object' : 'Metadata' };
}

/** Our own mistakes must not be stored: the server checks unknown fields as strictly as we do. */
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
