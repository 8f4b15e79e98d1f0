/** Event (Kubernetes core/v1): something that happened to an object, for people to read. */
import { apiVersionOf } from '../kind.ts';
import type { KindOf } from '../kind-of.ts';
import type { Resource } from '../resource.ts';
import { Type } from '../schema.ts';
import { dateTime, int32 } from '../schema-builders.ts';

export interface InvolvedObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

export interface Event extends Resource {
  readonly involvedObject: InvolvedObject;
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  /** RFC 3339. */
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly count?: number;
}

const text = () => Type.Optional(Type.String());
const time = () => ({ ...dateTime(), nullable: true });

const ObjectReference = Type.Object({
  apiVersion: text(),
  kind: text(),
  namespace: text(),
  name: text(),
  uid: text(),
  resourceVersion: text(),
  fieldPath: text(),
});

export const eventKind: KindOf<Event> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  categories: [],
  description: 'A human-readable report of something that happened to an object.',
  printerColumns: [
    { name: 'Last Seen', jsonPath: '.lastTimestamp', type: 'date' },
    { name: 'Type', jsonPath: '.type', type: 'string' },
    { name: 'Reason', jsonPath: '.reason', type: 'string' },
    { name: 'Kind', jsonPath: '.involvedObject.kind', type: 'string' },
    { name: 'Object', jsonPath: '.involvedObject.name', type: 'string' },
    { name: 'Message', jsonPath: '.message', type: 'string' },
    { name: 'Source', jsonPath: '.source.component', type: 'string', priority: 1 },
    { name: 'Count', jsonPath: '.count', type: 'integer', priority: 1 },
  ],
  fields: {
    involvedObject: ObjectReference,
    reason: Type.String(),
    message: Type.String(),
    type: Type.String(),
    source: Type.Object({ component: text(), host: text() }),
    firstTimestamp: time(),
    lastTimestamp: time(),
    count: int32(),
    eventTime: time(),
    action: Type.String(),
    related: ObjectReference,
    reportingComponent: Type.String(),
    reportingInstance: Type.String(),
    series: Type.Object({ count: Type.Optional(int32()), lastObservedTime: Type.Optional(time()) }),
  },
  rules: ({ involvedObject, metadata }: Event & Readonly<Record<string, unknown>>) => {
    const { namespace = 'default' } = involvedObject ?? {};
    const own = metadata.namespace ?? 'default';
    if (namespace === '' || namespace === own || own === 'default') return [];
    const message = `must be the namespace of the event, which is ${JSON.stringify(own)}`;
    return [{ reason: 'invalid', path: ['involvedObject', 'namespace'], value: namespace, message }];
  },
};

/** The limits of events.k8s.io/v1, in characters. */
const REASON_MAX = 128;
const MESSAGE_MAX = 1024;
const NAME_MAX = 253;

export interface Happening {
  /** The object that the event is about. */
  readonly object: Resource;
  /** The cause: one word in CamelCase that programs can search for. */
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  /** The component that reports the event. */
  readonly component: string;
  /** RFC 3339, whole seconds. */
  readonly firstTime: string;
  readonly lastTime: string;
  /** The number of times it happened between the two times. */
  readonly count: number;
  /** Hexadecimal. It makes the name differ from those of other events of the object. */
  readonly suffix: string;
}

/** Returns the Event of an incident, in the namespace of its object. Texts that are too long are truncated. */
export function eventOf(happening: Happening): Event {
  const { object, reason, message, type, component, firstTime, lastTime, count, suffix } = happening;
  const { name, uid, resourceVersion } = object.metadata;
  const namespace = object.metadata.namespace || 'default';
  return {
    apiVersion: apiVersionOf(eventKind),
    kind: eventKind.kind,
    metadata: {
      name: `${name.slice(0, NAME_MAX - suffix.length - 1).replace(/[^a-z0-9]+$/, '')}.${suffix}`,
      namespace,
    },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      namespace,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    reason: cut(reason, REASON_MAX),
    message: cut(message, MESSAGE_MAX),
    type,
    source: { component },
    firstTimestamp: firstTime,
    lastTimestamp: lastTime,
    count,
  };
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}
