/** Subscriptions to events, and the events that a service sends (schemas EventService, EventDestination and Event). */
import { linkIn, pathOf } from './links.ts';
import { booleanIn, memberOf, objectsIn, textIn, textsIn } from './members.ts';
import { oneLine } from './one-line.ts';
import type { RedfishObject } from './redfish-json.ts';

export interface EventService {
  readonly isEnabled: boolean;
  /** The collection of the subscriptions. */
  readonly subscriptions: string | undefined;
  /** The types to subscribe to, for services before EventService 1.3. Newer ones send all events without them. */
  readonly types: readonly string[] | undefined;
}

export function eventServiceOf(resource: RedfishObject): EventService {
  const isNew = memberOf(resource, 'EventFormatTypes') !== undefined;
  return {
    isEnabled: booleanIn(resource, 'ServiceEnabled') ?? true,
    subscriptions: linkIn(resource, 'Subscriptions'),
    types: isNew ? undefined : textsIn(resource, 'EventTypesForSubscription'),
  };
}

/** A subscription. The service repeats `context` in each event. */
export interface EventDestination {
  readonly destination: string;
  readonly context: string | undefined;
}

/** Undefined: the subscription has no destination, as for a client that keeps a connection open. */
export function eventDestinationOf(resource: RedfishObject): EventDestination | undefined {
  const destination = textIn(resource, 'Destination');
  return destination === undefined ? undefined : { destination, context: textIn(resource, 'Context') };
}

/** The body that creates a subscription. Without `types`, an old service would send only events of type Other. */
export function subscriptionBody(
  { destination, context }: Required<EventDestination>,
  types: readonly string[] | undefined,
): RedfishObject {
  const events = types === undefined ? {} : { EventTypes: types };
  return { Destination: destination, Context: context, Protocol: 'Redfish', ...events };
}

export interface RedfishEvent {
  /** The value of the schema Resource.Health. Undefined: absent, or another one. */
  readonly severity: 'OK' | 'Warning' | 'Critical' | undefined;
  /** With its registry and version: `ResourceEvent.1.3.ResourceErrorsDetected`. */
  readonly messageId: string | undefined;
  /** One line, at most 300 characters. */
  readonly text: string;
  /** The path of the resource that the event is about. */
  readonly origin: string | undefined;
}

export interface ReceivedEvents {
  readonly context: string | undefined;
  /** At most `RECEIVED_EVENTS_MAX`. */
  readonly events: readonly RedfishEvent[];
}

/** A service with more to send makes several requests. */
export const RECEIVED_EVENTS_MAX = 32;
const TEXT_LENGTH_MAX = 300;
const ID_LENGTH_MAX = 120;
const SEVERITIES = ['OK', 'Warning', 'Critical'] as const;

/** Reads what a service posts to the destination. Before Event 1.1 the context was in each event. */
export function receivedEventsOf(body: RedfishObject): ReceivedEvents {
  const events = objectsIn(body, 'Events').slice(0, RECEIVED_EVENTS_MAX);
  const context = textIn(body, 'Context') ?? textIn(events[0], 'Context');
  return { context, events: events.map(eventOf) };
}

function eventOf(event: RedfishObject): RedfishEvent {
  const named = textIn(event, 'MessageSeverity') ?? textIn(event, 'Severity');
  const id = textIn(event, 'MessageId');
  const messageId = id === undefined ? undefined : oneLine(id, ID_LENGTH_MAX);
  // Services before Event 1.4 send the path as a text.
  const origin = linkIn(event, 'OriginOfCondition') ?? pathOf(memberOf(event, 'OriginOfCondition'));
  return {
    severity: SEVERITIES.find((one) => one === named),
    messageId,
    text: oneLine(textIn(event, 'Message') ?? messageId ?? 'an event without a message', TEXT_LENGTH_MAX),
    origin,
  };
}
