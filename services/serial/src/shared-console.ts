/** One console of a machine, for all sessions that watch it. It opens with the first session and closes with the last one. */
import { BmcError, type BmcConnections, type OpenedConsole } from '@tinkerbell/engine-bmc';
import type { PinnedConnection } from '@tinkerbell/bmc';

export interface ConsoleViewer {
  /** Must not block: a viewer that does not read is ended by its owner. */
  output(bytes: Uint8Array): void;
  /** The console is gone. The reason is for the person who watches. */
  ended(reason: string): void;
}

export class SharedConsoles {
  readonly #connections: Pick<BmcConnections, 'openConsole'>;
  readonly #consoles = new Map<string, SharedConsole>();

  constructor(connections: Pick<BmcConnections, 'openConsole'>) {
    this.#connections = connections;
  }

  /** `key` names the machine. Rejects with a BmcError when the console cannot be opened. */
  async join(key: string, connection: PinnedConnection, viewer: ConsoleViewer): Promise<JoinedConsole> {
    const known = this.#consoles.get(key);
    const shared =
      known ?? new SharedConsole(this.#connections.openConsole(connection), () => this.#consoles.delete(key));
    this.#consoles.set(key, shared);
    return await shared.join(viewer);
  }

  get size(): number {
    return this.#consoles.size;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consoles.values()].map((one) => one.end('the server is stopping')));
  }
}

export interface JoinedConsole {
  /** Resolves when the BMC has the bytes. */
  write(bytes: Uint8Array): Promise<void>;
  leave(): void;
}

class SharedConsole {
  readonly #opening: Promise<OpenedConsole>;
  readonly #forget: () => void;
  readonly #viewers = new Set<ConsoleViewer>();
  #writing: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(opening: Promise<OpenedConsole>, forget: () => void) {
    this.#opening = opening;
    this.#forget = forget;
    opening.then(
      (opened) => void this.#read(opened),
      () => forget(),
    );
  }

  async join(viewer: ConsoleViewer): Promise<JoinedConsole> {
    this.#viewers.add(viewer);
    const { console } = await this.#opening;
    return {
      write: (bytes) => {
        // In the order of the keys, whoever pressed them.
        this.#writing = this.#writing.then(() => console.write(bytes));
        return this.#writing;
      },
      leave: () => {
        this.#viewers.delete(viewer);
        if (this.#viewers.size === 0) void this.end('');
      },
    };
  }

  async end(reason: string): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#forget();
    for (const viewer of this.#viewers) viewer.ended(reason);
    const opened = await this.#opening.catch(() => undefined);
    await opened?.[Symbol.asyncDispose]();
  }

  async #read({ console }: OpenedConsole): Promise<void> {
    try {
      for await (const bytes of console.output) for (const viewer of this.#viewers) viewer.output(bytes);
      await this.end('the BMC has ended the console');
    } catch (thrown) {
      await this.end(
        thrown instanceof BmcError ? `${thrown.code}: ${thrown.message}` : 'the console has failed',
      );
    }
  }
}
