import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cipherSuites } from '@tinkerbell/ipmi';
import { nodeClock, nodeRandom, nodeUdp, openNodeEndpointHttp } from '@tinkerbell/platform-node';
import { decodeSsdpAnswer } from '@tinkerbell/redfish';
import { IpmiResponder, PlainMachine } from '@tinkerbell/sandbox/bmc';
import { encodeUtf8 } from '@tinkerbell/wire';
import { nodeIpmiCrypto } from '../ipmi/node-crypto.ts';
import { hurriedClock } from '../testing/hurried-clock.ts';
import { memoryUdp } from '../testing/memory-udp.ts';
import { redfishRack } from '../testing/redfish-rack.ts';
import { discoverBmcs } from './discover-bmcs.ts';
import { searchSsdp } from './search-ssdp.ts';

const { signal } = new AbortController();

test('a search finds IPMI and Redfish, each where it is, without a login', async () => {
  await using rack = await redfishRack();
  const deps = { udp: nodeUdp, clock: nodeClock, random: nodeRandom, crypto: nodeIpmiCrypto };
  const settings = { accounts: [], guid: new Uint8Array(16), suites: cipherSuites };
  await using ipmi = await IpmiResponder.open(deps, {
    settings,
    machine: new PlainMachine(),
    address: '127.0.0.3',
  });
  const seen: string[] = [];
  const found = await discoverBmcs(
    { udp: nodeUdp, openHttp: openNodeEndpointHttp, clock: nodeClock },
    {
      addresses: ['127.0.0.1', '127.0.0.2', '127.0.0.3'],
      ports: { ipmi: ipmi.port, redfish: rack.service.port },
      timeoutMs: 500,
      onProgress: (done, total) => void seen.push(`${done}/${total}`),
      signal,
    },
  );
  assert.deepEqual(
    found.map(({ address, hasIpmi, redfish }) => [address, hasIpmi, redfish?.version]),
    [
      ['127.0.0.1', false, '1.15.0'],
      ['127.0.0.3', true, undefined],
    ],
  );
  assert.match(found[0]?.redfish?.uuid ?? '', /^[0-9a-f-]{36}$/i);
  assert.deepEqual(seen, ['1/3', '2/3', '3/3']);
  assert.deepEqual(rack.service.requests, ['GET /redfish/v1/']);
});

test('services that answer the SSDP search are found by the address that answers', async () => {
  const udp = memoryUdp();
  const answer = [
    'HTTP/1.1 200 OK',
    'ST: urn:dmtf-org:service:redfish-rest:1:0',
    'AL: https://192.0.2.66/redfish/v1/',
  ].join('\r\n');
  assert.ok(decodeSsdpAnswer(answer).ok);
  const searches: string[] = [];
  const socket = await udp.open(
    { port: 1900 },
    {
      onDatagram: ({ bytes, peer }) => {
        searches.push(new TextDecoder().decode(bytes).split('\r\n')[0] ?? '');
        socket.send(encodeUtf8('HTTP/1.1 200 OK\r\nST: upnp:rootdevice'), peer);
        socket.send(encodeUtf8(answer), peer);
      },
      onError: () => undefined,
    },
  );
  assert.deepEqual([...(await searchSsdp({ udp, clock: slow() }, signal))], ['127.0.0.1']);
  assert.deepEqual(searches, ['M-SEARCH * HTTP/1.1']);
});

/** Memory UDP delivers in the next turn, so the wait may be short, but not empty. */
function slow() {
  const clock = hurriedClock();
  return {
    ...clock,
    schedule: (delayMs: number, task: () => void) => {
      const pending = setTimeout(() => clock.schedule(delayMs, task), 20);
      return () => clearTimeout(pending);
    },
  };
}
