/**
 * Receives the events of BMCs, on every server. A sender is known by the credential of its subscription only, which it repeats in each
 * event. Its address counts for nothing.
 */
import { timingSafeEqual } from 'node:crypto';
import { EVENTS_ANNOTATION, EVENTS_PATH } from '@tinkerbell/bmc';
import {
  pathElementsOf,
  readBodyText,
  WholeResponse,
  type Clock,
  type HttpRequest,
  type Service,
} from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { parseRedfishJson, receivedEventsOf, type RedfishEvent } from '@tinkerbell/redfish';
import type { Journal, NamespacedName, View } from '@tinkerbell/store-contract';
import { recordForMachine } from '../timeline.ts';
import { EventBudget } from './event-budget.ts';
import { sha256Of } from './keep-subscription.ts';
import { createBmcEventMetrics } from './metrics.ts';

export interface EventReceiverDeps {
  readonly view: View;
  readonly journal: Journal;
  readonly clock: Clock;
}

/** An event of a real BMC has some hundred bytes. */
const BODY_BYTES_MAX = 64 * 1024;

export function createBmcEventReceiver(deps: EventReceiverDeps): Service {
  const set = new MetricSet();
  const metrics = createBmcEventMetrics(set);
  const budget = new EventBudget(deps.clock);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  return {
    name: 'bmc-events',
    routes: [
      { name: 'bmc-events', prefix: EVENTS_PATH, access: 'public', handle: (request) => receive(request) },
    ],
    metrics: set,
    stopped: () => stopped,
    health: () => ({ ready: true }),
    start(signal) {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
      return Promise.resolve();
    },
  };

  async function receive(request: HttpRequest): Promise<Response> {
    if (request.method !== 'POST') return refuse(405, 'send events with POST');
    const place = placeIn(request.url);
    const machine = place && deps.view.bmcMachineNamed(place.namespace, place.name);
    const sha256 = machine?.metadata.annotations?.[EVENTS_ANNOTATION];
    if (place === undefined || sha256 === undefined) return refuse(404, 'no such subscription');
    const text = await readBodyText(request, { bytes: BODY_BYTES_MAX });
    if (!text.ok) return refuse(text.status, text.message);
    const body = parseRedfishJson(text.value);
    if (!body.ok) return refuse(400, body.error.message);
    const { context, events } = receivedEventsOf(body.value);
    if (context === undefined || !isSame(sha256Of(context), sha256))
      return refuse(403, 'Context is not that of the subscription');
    record(place, events);
    // Also when events were dropped: a BMC that gets another answer sends them again, or ends the subscription.
    return new WholeResponse('', { status: 204 });
  }

  function record(place: NamespacedName, events: readonly RedfishEvent[]): void {
    for (const { severity, text, messageId, origin } of events) {
      const isKept = budget.takes(`${place.namespace}/${place.name}`);
      metrics.events.add({ outcome: isKept ? 'recorded' : 'dropped' });
      if (!isKept) continue;
      recordForMachine(deps, place, {
        event: severity === 'Warning' || severity === 'Critical' ? 'bmc-alert' : 'bmc-event',
        message: `the BMC reports: ${text}`,
        details: {
          ...(severity === undefined ? {} : { severity }),
          ...(messageId === undefined ? {} : { messageId }),
          ...(origin === undefined ? {} : { origin }),
        },
      });
    }
  }

  function refuse(status: number, message: string): Response {
    metrics.events.add({ outcome: 'refused' });
    return new WholeResponse(`${message}\n`, { status, headers: { 'content-type': 'text/plain' } });
  }
}

function placeIn(url: string): NamespacedName | undefined {
  const [, namespace, name, ...more] = pathElementsOf(url) ?? [];
  if (namespace === undefined || name === undefined || more.length > 0) return undefined;
  return { namespace, name };
}

function isSame(one: string, other: string): boolean {
  const [given, expected] = [Buffer.from(one), Buffer.from(other)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
