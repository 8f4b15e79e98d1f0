/**
 * What the agent proves with whose machine it runs on: the boot token of the kernel's arguments, exchanged once for a session
 * that goes with every call. Kept on the machine, so that an agent that is started again goes on with it.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InterceptingCall, status, type Interceptor } from '@grpc/grpc-js';
import { AgentService, type ExchangeResponse } from '@tinkerbell/api/agent-v1';
import { serviceDefinition } from '@tinkerbell/api/grpc';
import { SESSION_HEADER, type Log } from '@tinkerbell/platform-contract';

import type { Settings } from './settings.ts';
import { failure, unary, type CallResult, type Channel } from './workflow-client.ts';

const METHOD = serviceDefinition(AgentService).exchange;

/** How a server of ours begins what it says to an agent that is not let in. */
const REFUSAL = /^(no-token|invalid|expired|replayed|fenced|ended|another-machine|another-workflow|claim): /;

export interface KeptSession {
  /** Of which it was got. */
  readonly bootToken: string;
  readonly session: string;
  /** Of the server's HTTP: to whom else it may be shown. */
  readonly origins: readonly string[];
}

type IdentitySettings = Pick<Settings, 'id' | 'bootToken' | 'spoolDirectory'>;

export class Identity {
  readonly #settings: IdentitySettings;
  readonly #log: Log;
  #kept: KeptSession | undefined;
  #isReady = false;
  /** False after a refusal: a server that asks for none may let in an agent whose session has ended. */
  #isPresented = true;
  /** Reasons that were told since the last call that was let in. */
  readonly #told = new Set<string>();

  constructor(settings: IdentitySettings, log: Log) {
    this.#settings = settings;
    this.#log = log;
  }

  /** What goes with the next call; undefined for none. */
  session(): string | undefined {
    return this.#isPresented ? this.#kept?.session : undefined;
  }

  /** The variables of an action's process from which the kit of actions reads it. */
  environment(): Readonly<Record<string, string>> {
    if (this.#kept === undefined) return {};
    const { session, origins } = this.#kept;
    return { TINKERBELL_SESSION: session, TINKERBELL_SESSION_ORIGINS: origins.join(' ') };
  }

  /** Presents the session with every call of a channel, and hears what became of it. */
  readonly interceptor: Interceptor = (options, nextCall) => {
    const isExchange = options.method_definition.path === METHOD.path;
    const session = isExchange ? undefined : this.session();
    return new InterceptingCall(nextCall(options), {
      start: (metadata, _listener, next) => {
        if (session !== undefined) metadata.set(SESSION_HEADER, session);
        next(metadata, {
          onReceiveStatus: (ended, nextStatus) => {
            if (!isExchange) this.#heard(ended, session);
            nextStatus(ended);
          },
        });
      },
    });
  };

  /** Resolves when there is a session, or none is to be had; fails while the server does not answer. */
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

  /** Undefined when the server gives a session, or never will for this token. */
  async #exchange(channel: Channel, bootToken: string): Promise<CallResult<undefined> | undefined> {
    const request = { agentId: this.#settings.id, bootToken };
    const answer = await unary<ExchangeResponse>(channel, METHOD, request);
    if ('value' in answer) {
      await this.#keep(answer.value);
      return undefined;
    }
    const { error } = answer;
    // A server without Exchange gives no sessions.
    if (error?.code === status.UNIMPLEMENTED) return undefined;
    if (error === null || !isIdentityRefusal(error)) return failure(error);
    this.#tellRefused(error.details);
    return undefined;
  }

  async #keep({ session, origins }: ExchangeResponse): Promise<void> {
    const { bootToken = '', spoolDirectory } = this.#settings;
    this.#kept = { bootToken, session, origins };
    this.#log.info('this machine has a session');
    await mkdir(spoolDirectory, { recursive: true });
    const path = this.#path();
    await writeFile(`${path}.partial`, JSON.stringify(this.#kept), { mode: 0o600 });
    await rename(`${path}.partial`, path);
  }

  async #read(): Promise<KeptSession | undefined> {
    const text = await readFile(this.#path(), 'utf8').catch(() => undefined);
    // Renamed into place when whole, and written by this program only.
    return text === undefined ? undefined : (JSON.parse(text) as KeptSession);
  }

  #path(): string {
    return join(this.#settings.spoolDirectory, 'session.json');
  }

  #heard({ code, details }: { readonly code: status; readonly details: string }, session?: string): void {
    if (code === status.OK) this.#told.clear();
    if (!isIdentityRefusal({ code, details })) return;
    this.#tellRefused(details);
    // Of calls that were under way together one decides.
    if (this.#kept !== undefined && session === this.session()) this.#isPresented = !this.#isPresented;
  }

  /** The same answer every few seconds is worth one line. */
  #tellRefused(details: string): void {
    const reason = REFUSAL.exec(details)?.[1] ?? details;
    if (this.#told.has(reason)) return;
    this.#told.add(reason);
    this.#log.error('the server does not let this agent in', { reason: details });
  }
}

/** Whether a server of ours refused an agent for who it is: it may be let in later. */
export function isIdentityRefusal(error: { readonly code: status; readonly details: string }): boolean {
  const isRefused = error.code === status.UNAUTHENTICATED || error.code === status.PERMISSION_DENIED;
  return isRefused && REFUSAL.test(error.details);
}
