import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatedValidity } from './repeated-validity.ts';

test('each list is valid for its kind only, also when it is repeated', () => {
  const validity = new RepeatedValidity();
  const request = [':method', 'GET', ':scheme', 'https', ':path', '/'];
  const answer = [':status', '200'];
  const trailers = ['grpc-status', '0'];
  for (let times = 0; times < 2; times += 1) {
    assert.deepEqual([request, answer, trailers].map(validity.isRequest), [true, false, false]);
    assert.deepEqual([request, answer, trailers].map(validity.isAnswer), [false, true, false]);
    assert.deepEqual([request, answer, trailers].map(validity.areTrailers), [false, false, true]);
  }
});
