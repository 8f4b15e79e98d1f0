/**
 * The identity of the agent: it exchanges the boot token of the kernel arguments once for a session, and sends the session with
 * every call. The session is stored on the machine, so that a restarted agent can use it.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InterceptingCall, status, type Interceptor } from '@grpc/grpc-js';
import { AgentService, type ExchangeResponse } from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { SESSION_HEADER, type Log } from '@tinkerbell/platform-contract';

import { keptSessionIn, type KeptSession } from './kept-files.ts';
import type { Settings } from './settings.ts';
import { failure, unary, type CallResult, type Channel } from './workflow-client.ts';

const METHOD = serviceDefinition(AgentService).exchange;

/** Prefix of our server's error when it rejects an agent. */
const REFUSAL = /^(no-token|invalid|expired|replayed|fenced|ended|another-machine|another-workflow|claim): /;

type IdentitySettings = Pick<Settings, 'id' | 'bootToken' | 'spoolDirectory'>;

export class Identity {
  readonly #settings: IdentitySettings;
  readonly #log: Log;
  #kept: KeptSession | undefined;
  #isReady = false;
  /**
   * Whether calls send the session. False after a rejection, because a server with optional authentication may accept an agent
   * whose session has ended.
   */
  #isPresented = true;
  /** Reasons already logged since the last successful call. */
  readonly #loggedReasons = new Set<string>();

  constructor(settings: IdentitySettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** Returns the session for the next call; undefined for none. */
  session(): string | undefined {
    return this.#isPresented ? this.#kept?.session : undefined;
  }

  /** Returns the environment variables from which the action kit reads the session. */
  environment(): Readonly<Record<string, string>> {
    if (this.#kept === undefined) return {};
    const { session, origins } = this.#kept;
    return { TINKERBELL_SESSION: session, TINKERBELL_SESSION_ORIGINS: origins.join(' ') };
  }

  /** Sends the session with every call of a channel, and observes the result. */
  readonly interceptor: Interceptor = (options, nextCall) => {
    const isExchange = options.method_definition.path === METHOD.path;
    const session = isExchange ? undefined : this.session();
    return new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
        if (session !== undefined) metadata.set(SESSION_HEADER, session);
        next(metadata, {
          onReceiveStatus: (ended, nextStatus) => {
            if (!isExchange) this.#observe(ended, session);
            nextStatus(ended);
          },
        });
      },
    });
  };

  /** Resolves when there is a session or none is available. Fails while the server does not answer. */
  async ready(channel: Channel): Promise<CallResult<undefined>> {
    if (this.#isReady) return { ok: true, value: undefined };
    this.#kept ??= await this.#read();
    const { bootToken = '' } = this.#settings;
    const isNew = bootToken !== '' && this.#kept?.bootToken !== bootToken;
    const exchanged = isNew ? await this.#exchange(channel, bootToken) : undefined;
    if (exchanged?.ok === false) return exchanged;
    this.#isReady = true;
    return { ok: true, value: undefined };
  }

  /** Resolves with undefined if the server issues a session, or never will for this token. */
  async #exchange(channel: Channel, bootToken: string): Promise<CallResult<undefined> | undefined> {
    const request = { agentId: this.#settings.id, bootToken };
    const answer = await unary(channel, METHOD, { request });
    if ('value' in answer) {
      await this.#keep(answer.value);
      return undefined;
    }
    const { error } = answer;
    // A server without Exchange issues no sessions.
    if (error?.code === status.UNIMPLEMENTED) return undefined;
    if (error === null || !isIdentityRefusal(error)) return failure(error);
    this.#logRejected(error.details);
    return undefined;
  }

  async #keep({ session, origins }: ExchangeResponse): Promise<void> {
    const { bootToken = '', spoolDirectory } = this.#settings;
    this.#kept = { bootToken, session, origins };
    this.#log.info('session received');
    await mkdir(spoolDirectory, { recursive: true });
    const path = this.#path();
    await writeFile(`${path}.partial`, JSON.stringify(this.#kept), { mode: 0o600 });
    await rename(`${path}.partial`, path);
  }

  async #read(): Promise<KeptSession | undefined> {
    const text = await readFile(this.#path(), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : keptSessionIn(text);
  }

  #path(): string {
    return join(this.#settings.spoolDirectory, 'session.json');
  }

  #observe({ code, details }: { readonly code: status; readonly details: string }, session?: string): void {
    if (code === status.OK) this.#loggedReasons.clear();
    if (!isIdentityRefusal({ code, details })) return;
    this.#logRejected(details);
    // Only one of several concurrent calls toggles it.
    if (this.#kept !== undefined && session === this.session()) this.#isPresented = !this.#isPresented;
  }

  /** Logs a repeated rejection only once. */
  #logRejected(details: string): void {
    const reason = REFUSAL.exec(details)?.[1] ?? details;
    if (this.#loggedReasons.has(reason)) return;
    this.#loggedReasons.add(reason);
    this.#log.error('the server rejected this agent', { reason: details });
  }
}

/** True if our server rejected the agent's identity. It may accept the agent later. */
export function isIdentityRefusal(error: { readonly code: status; readonly details: string }): boolean {
  const isRefused = error.code === status.UNAUTHENTICATED || error.code === status.PERMISSION_DENIED;
  return isRefused && REFUSAL.test(error.details);
}
