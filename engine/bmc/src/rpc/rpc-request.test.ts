import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { rpcRequest, type RpcOptions } from './rpc-request.ts';

const nowMs = Date.parse('2026-01-02T03:04:05Z');
const id = 1_767_323_045_000_000_001n;
const call = { id, host: '192.0.2.9', method: 'setPowerState', params: { state: 'on' } };
const plain = `{"id":${id},"host":"192.0.2.9","method":"setPowerState","params":{"state":"on"}}`;
const options: RpcOptions = { consumerURL: 'http://127.0.0.1/rpc', hmacKeys: {} };
const time = '2026-01-02T03:04:05Z';

const hmac = (algorithm: string, key: string, text: string): string =>
  createHmac(algorithm, key).update(text).digest('hex');

test('a call is JSON with the digits of its id', () => {
  assert.deepEqual(rpcRequest(call, options, nowMs), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Rufio-Timestamp': time },
    body: plain,
  });
});

test('each algorithm has a header with a signature of body and timestamp for each key', () => {
  const { headers } = rpcRequest(call, { ...options, hmacKeys: { sha256: ['a', 'b'], '512': ['c'] } }, nowMs);
  const signed = plain + time;
  const [a, b] = [hmac('sha256', 'a', signed), hmac('sha256', 'b', signed)];
  assert.equal(headers['X-Rufio-Signature-256'], `sha256=${a},sha256=${b}`);
  assert.equal(headers['X-Rufio-Signature-512'], `sha512=${hmac('sha512', 'c', signed)}`);
});

test('names, format, headers and prefix follow the options', () => {
  const { method, headers } = rpcRequest(
    call,
    {
      ...options,
      request: {
        httpMethod: 'PUT',
        httpContentType: 'application/vnd.api+json',
        timestampHeader: 'X-When',
        timestampFormat: 'Mon Jan 2 2006',
        staticHeaders: { 'X-Site': ['lab', 'two'] },
      },
      signature: {
        headerName: 'X-Sign',
        appendAlgoToHeaderDisabled: true,
        includedPayloadHeaders: ['x-site', 'X-When', 'x-site'],
      },
      hmac: { prefixSigDisabled: true },
      hmacKeys: { sha256: ['a'] },
    },
    nowMs,
  );
  assert.equal(method, 'PUT');
  assert.deepEqual(headers, {
    'X-Site': 'lab,two',
    'Content-Type': 'application/vnd.api+json',
    'X-When': 'Fri Jan 2 2026',
    'X-Sign': hmac('sha256', 'a', `${plain}lab,twoFri Jan 2 2026`),
  });
});

test('a custom payload holds the call at its path, and the body is what is signed', () => {
  const experimental = { customRequestPayload: '{"data":{"type":"call"},"n":1}', dotPath: 'data.new.body' };
  const { body, headers } = rpcRequest(
    call,
    { ...options, experimental, hmacKeys: { sha256: ['a'] } },
    nowMs,
  );
  assert.equal(body, `{"data":{"type":"call","new":{"body":${plain}}},"n":1}`);
  assert.equal(headers['X-Rufio-Signature-256'], `sha256=${hmac('sha256', 'a', body + time)}`);
});

test('a path cannot reach the prototype of objects', () => {
  const experimental = { customRequestPayload: '{}', dotPath: '__proto__.polluted' };
  const { body } = rpcRequest(call, { ...options, experimental }, nowMs);
  assert.match(body, /^\{"__proto__":\{"polluted":/);
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

test('a payload that is no JSON object is rejected', () => {
  const experimental = { customRequestPayload: '[]', dotPath: 'a' };
  assert.throws(() => rpcRequest(call, { ...options, experimental }, nowMs), /must be a JSON object/);
});
