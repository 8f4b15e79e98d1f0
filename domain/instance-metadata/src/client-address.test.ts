import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatIpAddress, ipNetwork, type IpNetwork } from '@tinkerbell/wire';
import fc from 'fast-check';
import { clientAddressOf } from './index.ts';

function clientOf(peer: string, forwardedFor: string | null, trusted: readonly IpNetwork[]): string {
  const client = clientAddressOf({ peer, forwardedFor }, trusted);
  return client.ok ? `${formatIpAddress(client.address)} ${client.origin}` : 'error';
}

test('the client is the socket, or the address that trusted proxies report, read from the right', () => {
  const proxies = ['10.0.0.0/8', 'fd00::/8'].map(ipNetwork);
  const cases: [peer: string, forwardedFor: string | null, expected: string][] = [
    ['192.0.2.7', null, '192.0.2.7 socket'],
    ['10.0.0.1', null, '10.0.0.1 socket'],
    ['192.0.2.7', '192.0.2.9', '192.0.2.7 unproven'],
    ['10.0.0.1', '192.0.2.9', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', '127.0.0.1, 192.0.2.9', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', 'rubbish, 192.0.2.9,10.2.2.2', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', '10.0.0.5, 10.0.0.6', '10.0.0.5 trusted-proxy'],
    ['fd00::1', '2001:DB8:0::9', '2001:db8::9 trusted-proxy'],
    ['10.0.0.1', '192.0.2.9:40000', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', '[2001:db8::9]:40000', '2001:db8::9 trusted-proxy'],
    ['::ffff:10.0.0.1', '::ffff:192.0.2.9', '192.0.2.9 trusted-proxy'],
    ['10.0.0.1', 'unknown', 'error'],
    ['10.0.0.1', '', 'error'],
    ['10.0.0.1', '192.0.2.9,', 'error'],
    ['10.0.0.1', Array.from({ length: 33 }, () => '10.0.0.1').join(), 'error'],
    ['', null, 'error'],
    ['unix', null, 'error'],
  ];
  for (const [peer, forwardedFor, expected] of cases)
    assert.equal(clientOf(peer, forwardedFor, proxies), expected, `${peer} ${forwardedFor}`);
});

test('no header gives an untrusted peer another address', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.string(), (peer, header) => {
      const client = clientAddressOf({ peer, forwardedFor: header }, [ipNetwork('fd00::/8')]);
      assert.ok(client.ok && formatIpAddress(client.address) === peer);
    }),
  );
});
