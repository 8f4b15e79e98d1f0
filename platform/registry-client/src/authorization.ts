/**
 * Credentials and tokens of one endpoint: Docker's token specification, and RFC 7617. They are sent to the endpoint and to the token
 * server that it names.
 */
import type { IncomingMessage } from 'node:http';
import { parseChallenges, readToken, tokenQuery, type Challenge } from '@tinkerbell/oci';
import type { Endpoint } from './endpoints.ts';
import { failure, statusFailure, type Subject } from './registry-failure.ts';
import { readBounded, type Transport } from './transport.ts';

const TOKEN_ANSWER_MAX_BYTES = 64 * 1024;

export interface AuthorizationRequest {
  readonly answer: IncomingMessage;
  readonly subject: Subject;
  /** Asked for when the challenge has no scope: `repository:library/alpine:pull`. */
  readonly scope: string;
  readonly signal?: AbortSignal | undefined;
}

export class Authorization {
  readonly #endpoint: Endpoint;
  readonly #transport: Transport;
  #header: string | undefined;

  constructor(endpoint: Endpoint, transport: Transport) {
    this.#endpoint = endpoint;
    this.#transport = transport;
  }

  headers(): Readonly<Record<string, string>> {
    return this.#header === undefined ? {} : { authorization: this.#header };
  }

  /** Answers the challenge of a response with status 401. Rejects when that is impossible. */
  async answerTo(request: AuthorizationRequest): Promise<void> {
    const challenges = parseChallenges(request.answer.headers['www-authenticate'] ?? '');
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    const isBasic = challenges.some(({ scheme }) => scheme === 'basic');
    if (bearer !== undefined) this.#header = `Bearer ${await this.#token(bearer, request)}`;
    else if (isBasic && this.#endpoint.credentials !== undefined) this.#header = this.#basic();
    else throw await statusFailure(request.subject, request.answer);
    request.answer.destroy();
  }

  async #token(challenge: Challenge, { subject, scope, signal }: AuthorizationRequest): Promise<string> {
    const url = this.#realmOf(challenge, subject);
    for (const [name, value] of tokenQuery(challenge, scope)) url.searchParams.append(name, value);
    const basic = this.#basic();
    const headers: Record<string, string> = basic === undefined ? {} : { authorization: basic };
    const answer = await this.#transport({ url, headers, signal });
    const tokenSubject = { ...subject, what: `a token from ${url.host} for ${subject.what}` };
    if (answer.statusCode !== 200) throw await statusFailure(tokenSubject, answer);
    const body = await readBounded(answer, TOKEN_ANSWER_MAX_BYTES);
    const found = body === undefined ? undefined : readToken(body.toString());
    if (found === undefined) throw failure('damaged', tokenSubject, 'the answer has no valid token');
    return found.token;
  }

  #realmOf({ parameters }: Challenge, subject: Subject): URL {
    const realm = URL.parse(parameters['realm'] ?? '');
    if (realm?.protocol === 'https:') return realm;
    if (realm?.protocol === 'http:' && this.#endpoint.base.protocol === 'http:') return realm;
    const shown = JSON.stringify((parameters['realm'] ?? '').slice(0, 200));
    throw failure('permission-denied', subject, `its token server ${shown} does not use https`);
  }

  #basic(): string | undefined {
    const { credentials } = this.#endpoint;
    if (credentials === undefined) return undefined;
    return `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  }
}
