/** Requests to the API of the server that sent the page. The session cookie authenticates them. */

export interface Cause {
  readonly field: string;
  readonly message: string;
}

/** What went wrong, for the person who reads it. `status` is 0 if the server did not answer. */
export class ApiFailure extends Error {
  readonly status: number;
  readonly causes: readonly Cause[];

  constructor(status: number, message: string, causes: readonly Cause[] = []) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.causes = causes;
  }
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON, unless it is a text: then as YAML. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

const listeners = new Set<() => void>();

/** Calls back when the server no longer accepts the session. */
export function onSessionEnd(call: () => void): () => void {
  listeners.add(call);
  return () => listeners.delete(call);
}

/** Rejects with an ApiFailure unless the status is 2xx. */
export async function send(path: string, request: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', body, signal, contentType } = request;
  const isText = typeof body === 'string';
  const headers: Record<string, string> = { 'x-tinkerbell-console': '1', accept: 'application/json' };
  if (body !== undefined)
    headers['content-type'] = contentType ?? (isText ? 'application/yaml' : 'application/json');
  const response = await fetch(path, {
    method,
    headers,
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown;
    throw new ApiFailure(0, 'the server did not answer; check your connection to it');
  });
  if (response.ok) return response;
  const failure = failureFrom(response.status, await response.text().catch(() => ''));
  if (failure.status === 401 && !path.startsWith('/console/')) for (const call of listeners) call();
  throw failure;
}

/** Rejects with an ApiFailure. */
export async function sendForJson<Answer>(path: string, request: ApiRequest = {}): Promise<Answer> {
  const response = await send(path, request);
  const answer: Answer = await response.json();
  return answer;
}

/** Reads a Status object of Kubernetes, or `{ message }`. */
export function failureFrom(status: number, text: string): ApiFailure {
  const value = jsonIn(text);
  const message = typeof value['message'] === 'string' ? value['message'] : text.slice(0, 500);
  const details = recordIn(value['details']);
  const causes = Array.isArray(details['causes']) ? details['causes'].map(causeIn) : [];
  return new ApiFailure(status, message || `the server answered ${status}`, causes);
}

function causeIn(value: unknown): Cause {
  const { field, message } = recordIn(value);
  return { field: String(field ?? ''), message: String(message ?? '') };
}

function jsonIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return recordIn(JSON.parse(text));
  } catch {
    return {};
  }
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Returns the text of anything that was thrown. */
export function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
