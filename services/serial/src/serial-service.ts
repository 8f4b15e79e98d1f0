/** SSH to the serial consoles of machines (upstream SecondStar), without ipmitool. A route offers them to web pages. */
import { once } from 'node:events';
import { codeOf, PlatformError, Slots, type Service } from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import type { Hardware } from '@tinkerbell/resources';
import ssh2, { type Connection, type Server, type ServerChannel, type Session } from 'ssh2';
import type { SerialConfig, SerialDeps } from './config.ts';
import { createSerialMetrics, type SerialMetrics } from './metrics.ts';
import { SharedConsoles } from './shared-console.ts';
import { followLogin } from './ssh-login.ts';
import { runSession } from './ssh-session.ts';
import { createConsoleRecorder } from './recording/console-recorder.ts';
import { recordConsole } from './timeline.ts';
import { watchedMachine } from './watched-machine.ts';
import { createWebConsole } from './web-console.ts';

/** Each holds buffers and a session at a BMC. */
const CONNECTIONS_MAX = 256;

export interface SerialService extends Service {
  /** The port that it listens on, once started. */
  port(): number;
  /** Creates the service that records consoles. It shares them with the sessions over SSH. */
  recorder(): Service;
}

export function createSerialService(deps: SerialDeps, config: SerialConfig): SerialService {
  const set = new MetricSet();
  const metrics = createSerialMetrics(set);
  const consoles = new SharedConsoles(deps.connections);
  const shared = { ...deps, consoles, sessions: { count: 0 } };
  metrics.sessions.from(() => shared.sessions.count);
  metrics.consoles.from(() => consoles.size);
  const server = new SerialServer(shared, config, metrics);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  return {
    name: 'serial',
    routes: [createWebConsole(shared, config)],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    port: () => server.port(),
    recorder: () => createConsoleRecorder({ ...deps, consoles, metrics }, config),
    async start(signal) {
      await server.listen();
      signal.addEventListener('abort', () => void server.close().then(resolve));
    },
  };
}

type ServerDeps = SerialDeps & { readonly consoles: SharedConsoles; readonly sessions: { count: number } };

class SerialServer {
  readonly #deps: ServerDeps;
  readonly #config: SerialConfig;
  readonly #metrics: SerialMetrics;
  readonly #slots = new Slots(CONNECTIONS_MAX);
  readonly #clients = new Set<Connection>();
  readonly #server: Server;

  constructor(deps: ServerDeps, config: SerialConfig, metrics: SerialMetrics) {
    this.#deps = deps;
    this.#config = config;
    this.#metrics = metrics;
    this.#server = new ssh2.Server({ hostKeys: [config.hostKey] }, (client) => this.#accept(client));
  }

  port(): number {
    const address: unknown = this.#server.address();
    const isPort = typeof address === 'object' && address !== null && 'port' in address;
    return isPort && typeof address.port === 'number' ? address.port : 0;
  }

  /** Rejects with a PlatformError of code `address-in-use`. */
  async listen(): Promise<void> {
    const { address, port } = this.#config;
    this.#server.listen(port, address);
    try {
      await once(this.#server, 'listening');
    } catch (thrown) {
      const text = `cannot listen for SSH on ${address}:${port}: ${codeOf(thrown) ?? String(thrown)}`;
      throw new PlatformError('address-in-use', text, {
        cause: thrown,
        port: { protocol: 'tcp', number: port },
      });
    }
  }

  async close(): Promise<void> {
    await this.#deps.consoles.close();
    for (const client of this.#clients) client.end();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.#deps.connections.close();
  }

  #accept(client: Connection): void {
    const release = this.#slots.take();
    // Errors of a connection are the client's, and its close follows.
    client.on('error', (error) =>
      this.#deps.log.debug('serial console: connection failed', { error: error.message }),
    );
    if (release === undefined) {
      client.end();
      return;
    }
    this.#clients.add(client);
    client.on('close', () => {
      release();
      this.#clients.delete(client);
    });
    followLogin(this.#deps, { client, metrics: this.#metrics }, (hardware) => this.#serve(client, hardware));
  }

  #serve(client: Connection, hardware: Hardware): void {
    client.on('session', (accept) => {
      const session: Session = accept();
      session.on('pty', (acceptPty) => acceptPty());
      session.on('shell', (acceptShell) => void this.#run(acceptShell(), hardware));
      session.on('exec', (acceptExec) => {
        const channel = acceptExec();
        channel.stderr.write('this is a serial console, which runs no commands; connect without one\r\n');
        channel.exit(1);
        channel.end();
      });
    });
  }

  async #run(channel: ServerChannel, hardware: Hardware): Promise<void> {
    const machine = watchedMachine(this.#deps.view, hardware);
    if (typeof machine === 'string') {
      channel.write(`${machine}\r\n`);
      channel.exit(1);
      channel.end();
      return;
    }
    const { journal, sessions } = this.#deps;
    sessions.count += 1;
    const { name } = hardware.metadata;
    recordConsole(journal, hardware, {
      event: 'console-opened',
      message: `serial console of ${name} opened over SSH`,
    });
    try {
      await runSession(this.#deps, { channel, idleMs: this.#config.idleMs }, machine);
    } finally {
      sessions.count -= 1;
      recordConsole(journal, hardware, {
        event: 'console-closed',
        message: `serial console of ${name} closed`,
      });
    }
  }
}
