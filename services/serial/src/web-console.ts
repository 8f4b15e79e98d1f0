/**
 * The serial console of a machine as a WebSocket, for web pages: `/consoles/<namespace>/<hardware>`. Messages of the client are
 * keys, and messages of the server are what the machine prints.
 */
import { ANONYMOUS, MASTERS, type User } from '@tinkerbell/access';
import {
  offeredProtocols,
  pathElementsOf,
  Slots,
  WebSocketResponse,
  WholeResponse,
  type ApiRoute,
  type HttpContext,
  type HttpRequest,
  type MessageSocket,
} from '@tinkerbell/platform-contract';
import type { Hardware } from '@tinkerbell/resources';
import type { SerialConfig, SerialDeps } from './config.ts';
import { consoleFailure } from './console-failure.ts';
import type { JoinedConsole, SharedConsoles } from './shared-console.ts';
import { recordConsole } from './timeline.ts';
import { watchedMachine, type WatchedMachine } from './watched-machine.ts';

export interface WebConsoleDeps extends SerialDeps {
  readonly consoles: SharedConsoles;
  /** The sessions that are open, over SSH as well. */
  readonly sessions: { count: number };
}

const PREFIX = '/consoles/';
/** The only way for a web page to send a token, as with Kubernetes: base64url without padding. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';
/** The protocol of the messages. A client that sends a token as a protocol must offer it as well. */
const PROTOCOL = 'tinkerbell.console.v1';
/** More than a person types or pastes. */
const KEYS_BYTES_MAX = 64 * 1024;
const UNREAD_BYTES_MAX = 1024 * 1024;
/** Each holds buffers and a session at a BMC. */
const SOCKETS_MAX = 256;
/** The console has ended; the server or the BMC cannot do it (RFC 6455, section 7.4.1); too many (IANA's registry). */
const [ENDED, FAILED, TRY_LATER] = [1000, 1011, 1013];
const REASON_BYTES_MAX = 123;
/** The user of an unguarded route: a test. */
const EVERYBODY: User = { ...ANONYMOUS, groups: [...ANONYMOUS.groups, MASTERS] };

export function createWebConsole(deps: WebConsoleDeps, { idleMs }: Pick<SerialConfig, 'idleMs'>): ApiRoute {
  const slots = new Slots(SOCKETS_MAX);
  return {
    name: 'consoles',
    access: 'api',
    prefix: PREFIX,
    authorizationOf,
    handle: (request, context) => Promise.resolve(open(request, context)),
  };

  function open(request: HttpRequest, { user = EVERYBODY }: HttpContext): Response {
    const [, namespace = '', name = '', ...more] = pathElementsOf(request.url) ?? [];
    if (name === '' || more.length > 0) return text(404, `${PREFIX}NAMESPACE/HARDWARE is a console`);
    const asked = { verb: 'create', group: 'tinkerbell.org', resource: 'hardware', subresource: 'console' };
    const decision = deps.authorizer.decide(user, { ...asked, namespace, name });
    if (!decision.allowed) return text(403, decision.reason);
    const hardware = deps.view.hardwareNamed(namespace, name);
    if (hardware === undefined) return text(404, `there is no hardware ${namespace}/${name}`);
    const machine = watchedMachine(deps.view, hardware);
    if (typeof machine === 'string') return text(409, machine);
    const protocol = protocolIn(request);
    if (protocol === 'other') return text(400, `offer the WebSocket protocol ${PROTOCOL}`);
    const serve = (socket: MessageSocket): void => begin(socket, { hardware, machine, user });
    return new WebSocketResponse({ protocol, messageBytesMax: KEYS_BYTES_MAX }, serve);
  }

  function begin(socket: MessageSocket, { hardware, machine, user }: Opening): void {
    const release = slots.take();
    if (release === undefined) return socket.close(TRY_LATER, 'too many consoles are open');
    const { name } = hardware.metadata;
    const record = (event: string, how: string): void =>
      recordConsole(deps.journal, hardware, { event, message: `serial console of ${name} ${how}` });
    record('console-opened', `opened as a WebSocket by ${user.name}`);
    deps.sessions.count += 1;
    void run(socket, machine).finally(() => {
      deps.sessions.count -= 1;
      release();
      record('console-closed', 'closed');
    });
  }

  async function run(socket: MessageSocket, machine: WatchedMachine): Promise<void> {
    const session = new WebSession(socket, deps.clock, idleMs);
    try {
      session.run(await deps.consoles.join(machine.key, machine.connection, session));
    } catch (thrown) {
      session.fail(consoleFailure(thrown, deps.log));
    }
    await socket.closed;
    session.close();
  }
}

interface Opening {
  readonly hardware: Hardware;
  readonly machine: WatchedMachine;
  readonly user: User;
}

/** Undefined for a client that offers none. */
function protocolIn({ headers }: HttpRequest): typeof PROTOCOL | 'other' | undefined {
  const offered = offeredProtocols(headers);
  if (offered.length === 0) return undefined;
  return offered.includes(PROTOCOL) ? PROTOCOL : 'other';
}

class WebSession {
  readonly #socket: MessageSocket;
  readonly #clock: SerialDeps['clock'];
  readonly #idleMs: number;
  #joined: JoinedConsole | undefined;
  #cancelIdle = (): void => undefined;

  constructor(socket: MessageSocket, clock: SerialDeps['clock'], idleMs: number) {
    this.#socket = socket;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  run(joined: JoinedConsole): void {
    this.#joined = joined;
    this.#socket.onMessage(async (bytes) => {
      this.#watchIdle();
      await joined.write(bytes);
    });
    this.#watchIdle();
  }

  output(bytes: Uint8Array): void {
    this.#watchIdle();
    if (this.#socket.unreadBytes > UNREAD_BYTES_MAX) return this.fail('this client reads too slowly');
    this.#socket.send(bytes);
  }

  ended(reason: string): void {
    if (reason === '') this.#socket.close(ENDED, '');
    else this.fail(reason);
  }

  fail(reason: string): void {
    this.#socket.close(FAILED, shortened(reason));
  }

  close(): void {
    this.#cancelIdle();
    this.#joined?.leave();
  }

  #watchIdle(): void {
    this.#cancelIdle();
    const minutes = Math.round(this.#idleMs / 60_000);
    const late = (): void => this.fail(`nothing happened for ${minutes} minutes`);
    this.#cancelIdle = this.#clock.schedule(this.#idleMs, late);
  }
}

/** A cut in the middle of a character leaves none of it. */
function shortened(reason: string): string {
  const bytes = new TextEncoder().encode(reason).subarray(0, REASON_BYTES_MAX);
  return new TextDecoder().decode(bytes).replace(/\uFFFD$/, '');
}

function authorizationOf({ headers }: HttpRequest): string | undefined {
  const header = headers.get('authorization') ?? undefined;
  if (header !== undefined) return header;
  const encoded = offeredProtocols(headers).find((one) => one.startsWith(TOKEN_PROTOCOL));
  if (encoded === undefined) return undefined;
  return `Bearer ${Buffer.from(encoded.slice(TOKEN_PROTOCOL.length), 'base64url').toString('utf8')}`;
}

function text(status: number, message: string): Response {
  return new WholeResponse(`${message}\n`, { status, headers: { 'content-type': 'text/plain' } });
}
