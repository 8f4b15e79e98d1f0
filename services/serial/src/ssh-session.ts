/** One SSH session: its keys go to the console of the machine, and what the console prints goes to it. */
import type { ServerChannel } from 'ssh2';
import type { SerialConfig, SerialDeps } from './config.ts';
import { consoleFailure } from './console-failure.ts';
import { EscapeFilter } from './escape.ts';
import type { JoinedConsole, SharedConsoles } from './shared-console.ts';
import type { WatchedMachine } from './watched-machine.ts';

/** Upstream's banner. */
const BANNER = "Second star to the right and straight on 'til morning\r\n[Use ~. to disconnect]\r\n";
/** A client that reads this much too slowly is disconnected, so that it holds no memory and delays no other. */
const UNREAD_BYTES_MAX = 1024 * 1024;

/** Runs until the client leaves, is idle for too long, or the console ends. */
export async function runSession(
  { consoles, clock, log }: Pick<SerialDeps, 'clock' | 'log'> & { readonly consoles: SharedConsoles },
  { channel, idleMs }: { readonly channel: ServerChannel } & Pick<SerialConfig, 'idleMs'>,
  machine: WatchedMachine,
): Promise<void> {
  const session = new Session(channel, { clock, idleMs });
  channel.write(BANNER);
  try {
    const joined = await consoles.join(machine.key, machine.connection, session);
    await session.run(joined);
  } catch (thrown) {
    session.ended(consoleFailure(thrown, log));
  }
}

class Session {
  readonly #channel: ServerChannel;
  readonly #timing: Pick<SerialConfig, 'idleMs'> & Pick<SerialDeps, 'clock'>;
  readonly #closed = Promise.withResolvers<void>();
  #cancelIdle = (): void => undefined;

  constructor(channel: ServerChannel, timing: Pick<SerialConfig, 'idleMs'> & Pick<SerialDeps, 'clock'>) {
    this.#channel = channel;
    this.#timing = timing;
    channel.on('close', () => this.#closed.resolve());
    // The close that follows ends the session.
    channel.on('error', () => undefined);
  }

  async run(joined: JoinedConsole): Promise<void> {
    const filter = new EscapeFilter();
    this.#channel.on('data', (input: Uint8Array) => {
      const { bytes, isEnd } = filter.take(input);
      this.#watchIdle();
      if (isEnd && bytes.length === 0) return this.ended('');
      this.#channel.pause();
      const written = bytes.length === 0 ? Promise.resolve() : joined.write(bytes);
      void written
        .catch(() => undefined)
        .then(() => {
          if (isEnd) this.ended('');
          else this.#channel.resume();
        });
    });
    this.#watchIdle();
    await this.#closed.promise;
    this.#cancelIdle();
    joined.leave();
  }

  output(bytes: Uint8Array): void {
    this.#watchIdle();
    if (this.#channel.writableLength > UNREAD_BYTES_MAX) return this.ended('this client reads too slowly');
    // The console reuses nothing, but the channel keeps the bytes until the client reads.
    this.#channel.write(Buffer.from(bytes));
  }

  ended(reason: string): void {
    if (this.#channel.writable) {
      this.#channel.write(`\r\n[disconnected${reason === '' ? '' : `: ${reason}`}]\r\n`);
      this.#channel.exit(reason === '' ? 0 : 1);
      this.#channel.end();
    }
    this.#channel.close();
  }

  #watchIdle(): void {
    const { clock, idleMs } = this.#timing;
    this.#cancelIdle();
    const minutes = Math.round(idleMs / 60_000);
    this.#cancelIdle = clock.schedule(idleMs, () => this.ended(`nothing happened for ${minutes} minutes`));
  }
}
