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
  const { signal } = request;
  const response = await fetch(path, initOf(request)).catch((thrown: unknown) => {
    if (signal?.aborted === true) throw thrown;
    throw new ApiFailure(0, 'the server did not answer; check your connection to it');
  });
  if (response.ok) return response;
  const failure = failureFrom(response.status, await response.text().catch(() => ''));
  if (failure.status === 401 && !path.startsWith('/console/')) for (const call of listeners) call();
  throw failure;
}

function initOf({ method = 'GET', body, signal, contentType }: ApiRequest): RequestInit {
  const headers = { 'x-tinkerbell-console': '1', accept: 'application/json' };
  const own = { method, headers, ...(signal === undefined ? {} : { signal }) };
  if (body === undefined) return own;
  const isText = typeof body === 'string';
  const type = contentType ?? (isText ? 'application/yaml' : 'application/json');
  return {
    ...own,
    headers: { ...headers, 'content-type': type },
    body: isText ? body : JSON.stringify(body),
  };
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
  return {
    field: typeof field === 'string' ? field : '',
    message: typeof message === 'string' ? message : '',
  };
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
