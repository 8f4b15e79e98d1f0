import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundSocket } from './bound-socket.ts';
import { cLibrary } from './c-library.ts';
import { createReadySockets } from './ready-sockets.ts';
import { socketAddress } from './socket-address.ts';

/** More sockets than are polled directly. */
const SOCKETS = 40;
const FIRST_PORT = 21_000;

test(
  'finds the readable ones of many sockets, and no removed one',
  {
    skip: process.platform === 'linux' ? false : 'needs Linux',
  },
  async () => {
    const library = await cLibrary();
    const ready = await createReadySockets();
    const address = '127.0.0.77';
    const ports = Array.from({ length: SOCKETS }, (_, index) => FIRST_PORT + index);
    const fds = await Promise.all(ports.map((port) => boundSocket({ address, port })));
    const found = () =>
      Array.from({ length: ready.look() }, (_, index) => fds.indexOf(ready.fdAt(index))).toSorted(
        (a, b) => a - b,
      );
    for (const fd of fds) ready.watch(fd);
    assert.deepEqual(found(), []);
    const sender = fds[0] ?? -1;
    for (const index of [3, 15, 16, 39])
      library.sendTo(sender, { bytes: Uint8Array.of(1), to: socketAddress(address, FIRST_PORT + index) });
    assert.deepEqual(found(), [3, 15, 16, 39]);
    assert.deepEqual(found(), [3, 15, 16, 39], 'until it is read');
    library.receive(fds[16] ?? -1, new Uint8Array(10));
    ready.forget(fds[3] ?? -1);
    assert.deepEqual(found(), [15, 39]);
    // Another socket takes the slot of the forgotten one, before that one is closed or after.
    const late = await boundSocket({ address, port: FIRST_PORT + SOCKETS });
    ready.watch(late);
    fds[3] = late;
    library.sendTo(sender, { bytes: Uint8Array.of(1), to: socketAddress(address, FIRST_PORT + SOCKETS) });
    assert.deepEqual(found(), [3, 15, 39]);
    for (const fd of fds) library.close(fd);
  },
);
