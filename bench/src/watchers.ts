/** Many watches of one collection, each on its own connection. */
import { connect, type Socket } from 'node:net';

import type { BenchContext } from './benchmark.ts';

export interface Watchers {
  /** Resolves when every one of them has received a change. */
  nextChange(): Promise<void>;
  close(): void;
}

export async function openWatchers(context: BenchContext, collection: URL, count: number): Promise<Watchers> {
  context.say(`opening ${count} watches`);
  const { hostname, port, pathname } = collection;
  const list = (await (await fetch(`${collection.href}?limit=1`)).json()) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  const request = `GET ${pathname}?watch=true&resourceVersion=${list.metadata.resourceVersion} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`;
  let onChange = (): void => undefined;
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    const answered = Promise.withResolvers<void>();
    socket.once('error', answered.reject);
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      if (text.includes('"MODIFIED"')) onChange();
      if (text.startsWith('HTTP/1.1 200')) answered.resolve();
      else if (text.startsWith('HTTP/1.1')) answered.reject(new Error(`a watch is refused: ${text}`));
    });
    socket.write(request);
    await answered.promise;
  }
  context.scope.defer(close);
  function close(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    close,
    nextChange: () =>
      new Promise((resolve) => {
        let left = count;
        onChange = () => {
          left -= 1;
          if (left === 0) resolve();
        };
      }),
  };
}
