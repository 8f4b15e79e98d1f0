import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AllowedSources } from '@tinkerbell/service-boot';
import { parseIpNetwork } from '@tinkerbell/wire';
import { mayFetchDisc } from './disc-images.ts';

const network = parseIpNetwork('127.0.0.1');
assert.ok(network !== undefined);
const nothing: AllowedSources = { hostNames: [], networks: [] };
const ownPorts = [7080, 80];

/** Whether an image of the URL is fetched from the address. */
function isFetched(url: string, address: string, { redirects = 0, allowed = nothing } = {}): boolean {
  const { hostname } = new URL(url);
  const isThisMachine = address !== '192.0.2.7';
  return mayFetchDisc({ allowed, ownPorts })(url)({ hostname, address, isThisMachine, redirects });
}

test('images of other machines are fetched, and those of this server', () => {
  assert.equal(isFetched('http://files.lan/a.iso', '192.0.2.7'), true);
  assert.equal(isFetched('http://10.0.0.1:7080/iso/52-54-00-00-00-01/hook.iso', '10.0.0.1'), true);
  assert.equal(isFetched('http://10.0.0.1/iso/52-54-00-00-00-01/hook.iso', '10.0.0.1'), true);
});

test('nothing else of this machine is fetched', () => {
  for (const url of [
    'http://10.0.0.1:7080/iso/../metadata',
    'http://10.0.0.1:7080/iso/%2e%2e/metadata',
    'http://10.0.0.1:7080/api/v1/secrets',
    'http://10.0.0.1:6443/iso/x/hook.iso',
    'https://10.0.0.1/iso/x/hook.iso',
  ])
    assert.equal(isFetched(url, '10.0.0.1'), false, url);
  const own = 'http://10.0.0.1:7080/iso/x/hook.iso';
  assert.equal(isFetched(own, '10.0.0.1', { redirects: 1 }), false, 'a redirect chose it');
  assert.equal(isFetched('http://files.lan/a.iso', '169.254.169.254'), false);
});

test('the operator allows a source on this machine', () => {
  const url = 'http://127.0.0.1:8000/a.iso';
  assert.equal(isFetched(url, '127.0.0.1'), false);
  assert.equal(isFetched(url, '127.0.0.1', { allowed: { hostNames: [], networks: [network] } }), true);
});
