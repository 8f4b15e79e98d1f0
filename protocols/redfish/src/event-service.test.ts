import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  eventDestinationOf,
  eventServiceOf,
  RECEIVED_EVENTS_MAX,
  receivedEventsOf,
  subscriptionBody,
} from './event-service.ts';

test('an old service needs the types of events, and a new one refuses them', () => {
  const old = eventServiceOf({ EventTypesForSubscription: ['Alert', 'StatusChange'], ServiceEnabled: true });
  const made = eventServiceOf({ EventTypesForSubscription: ['Alert'], EventFormatTypes: ['Event'] });
  assert.deepEqual([old.types, made.types], [['Alert', 'StatusChange'], undefined]);
  const wanted = { destination: 'https://192.0.2.1/x', context: 'c' };
  const common = { Destination: 'https://192.0.2.1/x', Context: 'c', Protocol: 'Redfish' };
  assert.deepEqual(subscriptionBody(wanted, made.types), common);
  assert.deepEqual(subscriptionBody(wanted, old.types), { ...common, EventTypes: ['Alert', 'StatusChange'] });
});

test('a service is enabled unless it reports the contrary', () => {
  assert.equal(eventServiceOf({}).isEnabled, true);
  assert.equal(eventServiceOf({ ServiceEnabled: false }).isEnabled, false);
});

test('a subscription without a destination is skipped', () => {
  assert.equal(eventDestinationOf({ Destination: null }), undefined);
  assert.deepEqual(eventDestinationOf({ Destination: 'a', Context: null }), {
    destination: 'a',
    context: undefined,
  });
});

test('events of every version of the schema are read', () => {
  const newer = {
    Context: 'c',
    Events: [{ MessageSeverity: 'Warning', Message: 'm', OriginOfCondition: { '@odata.id': '/a' } }],
  };
  assert.deepEqual(receivedEventsOf(newer), {
    context: 'c',
    events: [{ severity: 'Warning', messageId: undefined, text: 'm', origin: '/a' }],
  });
  const older = { Events: [{ Context: 'c', Severity: 'OK', MessageId: 'A.1.0.B', OriginOfCondition: '/a' }] };
  assert.deepEqual(receivedEventsOf(older), {
    context: 'c',
    events: [{ severity: 'OK', messageId: 'A.1.0.B', text: 'A.1.0.B', origin: '/a' }],
  });
});

test('hostile events are cut, and none makes the reader throw', () => {
  const { context, events } = receivedEventsOf({
    Context: 7,
    Events: [
      null,
      'x',
      ...Array.from({ length: 100 }, () => ({
        Severity: 'x',
        Message: '\u0007'.repeat(9999) + 'm'.repeat(9999),
      })),
    ],
  });
  assert.equal(context, undefined);
  assert.equal(events.length, RECEIVED_EVENTS_MAX);
  assert.ok(events.every(({ severity, text }) => severity === undefined && text.length <= 300));
});
