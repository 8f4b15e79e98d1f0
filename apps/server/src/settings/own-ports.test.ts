import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint, ForwardSettings } from '@tinkerbell/service-gateway';
import { FlagReader } from './flag-reader.ts';
import { flags } from './flags/index.ts';
import { forwardRefusal, stackPorts } from './own-ports.ts';

const refusal = forwardRefusal(new FlagReader(flags, new Map()));

function forward(endpoints: readonly Endpoint[], protocol: 'tcp' | 'udp' = 'tcp'): ForwardSettings {
  const common = {
    name: 'f',
    address: '0.0.0.0',
    port: 8080,
    proxyProtocol: false,
    idleMs: 1,
    sessionsMax: 1,
  };
  return { ...common, protocol, endpoints };
}

test('rejects a TCP forward to a port of the server itself, however its address is written', () => {
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    'localhost',
    'LOCALHOST.',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
  ])
    for (const port of [7080, 7443, 7444, 42113])
      assert.match(
        refusal(
          forward([
            { host: '10.0.0.5', port: 80 },
            { host, port },
          ]),
        ) ?? '',
        /^forward f: .* is this server's own --[\w-]+; let clients connect to it directly/,
        `${host}:${port}`,
      );
});

test('rejects a UDP forward to a port of the server itself', () => {
  for (const port of [67, 69, 514, 547, 4011])
    assert.match(
      refusal(forward([{ host: '127.0.0.1', port }], 'udp')) ?? '',
      /^forward f: .* is this server's own --/,
      `${port}`,
    );
});

test('other ports, other hosts and other protocols are forwarded', () => {
  assert.equal(refusal(forward([{ host: '127.0.0.1', port: 8000 }])), undefined);
  assert.equal(refusal(forward([{ host: '192.0.2.7', port: 7080 }])), undefined);
  assert.equal(refusal(forward([{ host: '127.0.0.1', port: 7080 }], 'udp')), undefined);
  assert.equal(refusal(forward([{ host: '127.0.0.1', port: 69 }], 'tcp')), undefined);
});

test('one flag opens the ports of the documented stack, and an invalid list is rejected', () => {
  const read = (text: string) => new FlagReader(flags, new Map([['http-stack-ports', text]]));
  assert.deepEqual(stackPorts(read('8080,7171')), [8080, 7171]);
  assert.deepEqual(stackPorts(read('')), []);
  for (const wrong of ['0', '65536', 'http', '8080,8080', '80 81', '1,2,3,4,5,6,7,8,9'])
    assert.throws(
      () => stackPorts(read(wrong)),
      /--http-stack-ports must be at most 8 different ports such as 8080,7171/,
    );
  const toStack = forward([{ host: '127.0.0.1', port: 8080 }]);
  assert.match(forwardRefusal(read('8080'))(toStack) ?? '', /own --http-stack-ports/);
});
