/** Requests to one endpoint: authorization after a challenge, and redirects that do not carry it elsewhere. */
import type { IncomingMessage } from 'node:http';
import { Authorization } from './authorization.ts';
import type { Endpoint } from './endpoints.ts';
import { connectionFailure, failure, type Subject } from './registry-failure.ts';
import type { Transport, TransportRequest } from './transport.ts';

const REDIRECTS_MAX = 5;
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

export interface EndpointRequest {
  readonly repository: string;
  /** Below the repository: `manifests/latest`. */
  readonly path: string;
  /** Where the registry wants the rest of an upload, instead of the path. */
  readonly location?: string | undefined;
  readonly method?: TransportRequest['method'];
  readonly body?: TransportRequest['body'];
  /** What a token must permit (default: pull). */
  readonly actions?: 'pull' | 'pull,push';
  /** Shown in errors: `the manifest of tinkerbell/hook:v1`. */
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export class EndpointSession {
  readonly endpoint: Endpoint;
  readonly #transport: Transport;
  readonly #authorization: Authorization;

  constructor(endpoint: Endpoint, transport: Transport) {
    this.endpoint = endpoint;
    this.#transport = transport;
    this.#authorization = new Authorization(endpoint, transport);
  }

  subjectOf({ what, method }: Pick<EndpointRequest, 'what' | 'method'>): Subject {
    return { what, endpoint: this.endpoint.name, verb: isRead(method) ? 'get' : 'push' };
  }

  /** Returns any status except redirects, and 401 only if the credentials were refused. Rejects with a PlatformError. */
  async send(request: EndpointRequest): Promise<IncomingMessage> {
    const subject = this.subjectOf(request);
    try {
      const { answer, url } = await this.#follow(request);
      // The challenge of another host must not get the credentials.
      if (answer.statusCode !== 401 || url.origin !== this.endpoint.base.origin) return answer;
      const scope = `repository:${request.repository}:${request.actions ?? 'pull'}`;
      await this.#authorization.answerTo({ answer, subject, scope, signal: request.signal });
      return (await this.#follow(request)).answer;
    } catch (cause) {
      throw connectionFailure(subject, cause);
    }
  }

  async #follow(request: EndpointRequest): Promise<{ readonly answer: IncomingMessage; readonly url: URL }> {
    const { base } = this.endpoint;
    const { method, body, location: place } = request;
    let url = new URL(`${base.href}${request.repository}/${request.path}`);
    if (place !== undefined) url = this.#redirected(url, place, request);
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      const own = url.origin === base.origin ? this.#authorization.headers() : {};
      const headers = { ...request.headers, ...own };
      const answer = await this.#transport({ url, method, body, headers, signal: request.signal });
      const { location } = answer.headers;
      if (!isRead(method) || !REDIRECT_STATUSES.includes(answer.statusCode ?? 0) || location === undefined)
        return { answer, url };
      // Its body may have no end.
      answer.destroy();
      url = this.#redirected(url, location, request);
    }
    throw failure('unavailable', this.subjectOf(request), `more than ${REDIRECTS_MAX} redirects`);
  }

  #redirected(from: URL, location: string, request: EndpointRequest): URL {
    const url = URL.parse(location, from);
    // A redirect must not remove the protection of https.
    const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && from.protocol === 'http:');
    if (url !== null && isAllowed) return url;
    const shown = JSON.stringify(location.slice(0, 200));
    throw failure('unavailable', this.subjectOf(request), `it redirects to ${shown}, which is not https`);
  }
}

/** Only these are repeated elsewhere: an upload goes where it was begun. */
function isRead(method: EndpointRequest['method']): boolean {
  return method === undefined || method === 'GET' || method === 'HEAD';
}
