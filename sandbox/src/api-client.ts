/** The few calls of the Kubernetes-shaped API that the sandbox makes. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { isRecord } from '@tinkerbell/yaml/json';
import type { RunningServer } from './start-server.ts';

type Server = Pick<RunningServer, 'url' | 'request'>;

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

/** One record of a machine's timeline, as the server writes it. */
export interface TimelineRecord {
  readonly sequence: number;
  readonly atMs: number;
  readonly source: string;
  readonly event: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The name of a kind in paths of the API. Hardware has no plural. */
const PLURAL_IS_SINGULAR = new Set(['Hardware']);

/** Creates the object. @throws Error with the server's message when it refuses. */
export async function createObject(server: Server, object: ApiObject): Promise<void> {
  const response = await server.request(`${server.url}${collectionPath(object)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(object),
  });
  if (response.ok) return;
  throw new Error(`the server refuses ${object.kind} ${object.metadata.name}: ${await problemIn(response)}`);
}

export interface FollowOptions {
  readonly onRecord: (record: TimelineRecord) => void;
  readonly signal: AbortSignal;
}

/** Calls back for every record of a Hardware's timeline, from its first, until the signal aborts. */
export async function followTimeline(
  server: Server,
  hardware: ApiObject,
  { onRecord, signal }: FollowOptions,
): Promise<void> {
  const path = `${collectionPath(hardware)}/${hardware.metadata.name}/timeline?watch=true`;
  const response = await server.request(`${server.url}${path}`, { signal });
  if (!response.ok || response.body === null) {
    throw new Error(`no timeline of ${hardware.metadata.name}: ${await problemIn(response)}`);
  }
  const lines = createInterface({ input: Readable.fromWeb(response.body) });
  for await (const line of lines) {
    const record: unknown = JSON.parse(line);
    if (!isTimelineRecord(record)) throw new Error(`not a record of a timeline: ${line}`);
    onRecord(record);
  }
}

function isTimelineRecord(value: unknown): value is TimelineRecord {
  if (!isRecord(value)) return false;
  const { sequence, atMs, source, event, message } = value;
  const areNumbers = [sequence, atMs].every((one) => typeof one === 'number');
  return areNumbers && [source, event, message].every((one) => typeof one === 'string');
}

function collectionPath(object: ApiObject): string {
  const plural = `${object.kind.toLowerCase()}${PLURAL_IS_SINGULAR.has(object.kind) ? '' : 's'}`;
  // The core group has no name and a path of its own.
  const root = object.apiVersion.includes('/') ? 'apis' : 'api';
  return `/${root}/${object.apiVersion}/namespaces/${object.metadata.namespace ?? 'default'}/${plural}`;
}

async function problemIn(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const status: unknown = JSON.parse(text);
    return isRecord(status) && typeof status['message'] === 'string' ? status['message'] : text;
  } catch {
    return `${response.status} ${text}`;
  }
}
