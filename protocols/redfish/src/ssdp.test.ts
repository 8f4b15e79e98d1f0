import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSsdpAnswer, encodeSsdpSearch } from './index.ts';

const uuid = '4c4c4544-0051-3010-8042-b4c04f565931';
/** The example of DSP0266, section "Discovery". */
const answer = [
  'HTTP/1.1 200 OK',
  'CACHE-CONTROL:max-age=1800',
  'ST:urn:dmtf-org:service:redfish-rest:1:14',
  `USN:uuid:${uuid}::urn:dmtf-org:service:redfish-rest:1`,
  'AL:https://192.0.2.9/redfish/v1/',
  'EXT:',
  '',
  '',
].join('\r\n');
const codeOf = (text: string): string => {
  const result = decodeSsdpAnswer(text);
  return result.ok ? 'ok' : result.error.code;
};

test('a search names the service', () => {
  assert.equal(
    encodeSsdpSearch(3),
    'M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: "ssdp:discover"\r\nMX: 3\r\nST: urn:dmtf-org:service:redfish-rest:1\r\n\r\n',
  );
});

test('an answer has the URL and the UUID of the service', () => {
  const value = { url: 'https://192.0.2.9/redfish/v1/', uuid };
  assert.deepEqual(decodeSsdpAnswer(answer), { ok: true, value });
  const notification = answer
    .replace('HTTP/1.1 200 OK', 'NOTIFY * HTTP/1.1')
    .replace('ST:', 'NTS: ssdp:alive\r\nNT: ');
  assert.deepEqual(decodeSsdpAnswer(notification), { ok: true, value });
});

test('other messages have a reason', () => {
  assert.equal(codeOf(encodeSsdpSearch(3)), 'not-an-answer');
  assert.equal(codeOf(answer.replace('redfish-rest', 'printer')), 'other-service');
  assert.equal(codeOf(answer.replace('AL:https', 'AL:file')), 'no-url');
  assert.equal(
    codeOf(answer.replace('HTTP/1.1 200 OK', 'NOTIFY * HTTP/1.1').replace('ST:', 'NTS: ssdp:byebye\r\nNT: ')),
    'leaving-service',
  );
  assert.equal(codeOf(answer + 'x'.repeat(1500)), 'too-long');
  for (let length = 0; length < answer.length; length += 1) codeOf(answer.slice(0, length));
});
