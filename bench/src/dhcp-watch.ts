/** Asks a server for addresses during a time, and says when it answered. */
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './benchmark.ts';
import type { DhcpWatch } from './dhcp-watch-client.ts';
import { startProgram } from './running-program.ts';

const CLIENT_MAIN = fileURLToPath(new URL('dhcp-watch-client.ts', import.meta.url));

interface Watched {
  /** The namespace of the client, which must have the address of the machines' gateway. */
  readonly network: { readonly path: string };
  readonly server: string;
  /** How many machines ask in turns. */
  readonly machines: number;
}

/** Returns what ends the requests and resolves with what was seen. */
export function watchDhcp(
  context: BenchContext,
  { network, server, machines }: Watched,
): () => Promise<DhcpWatch> {
  const program = startProgram(context, {
    command: [process.execPath, '--no-warnings', CLIENT_MAIN, server, String(machines)],
    network,
    channel: true,
  });
  return () =>
    new Promise((resolve, reject) => {
      program.process.once('message', (watch) => resolve(watch as DhcpWatch));
      void program.ended.then((end) =>
        reject(new Error(`the DHCP client ended: ${end}: ${program.output()}`)),
      );
      program.process.send('report');
    });
}
