/** Encodes watch events as lines or as protobuf frames, once for all watches. */
import { encodeKubernetes, encodeWatchEvent } from '@tinkerbell/kube-protobuf';
import { RecentMap } from '@tinkerbell/resources';
import type { Change } from '@tinkerbell/store-contract';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export const eventTypes: Readonly<Record<Change['type'], EventType>> = {
  added: 'ADDED',
  modified: 'MODIFIED',
  deleted: 'DELETED',
};

const encoder = new TextEncoder();

/** The bytes of events in one form. */
export class EventLines {
  readonly contentType: string;
  readonly #encode: (type: EventType, object: object) => Uint8Array;
  /** By object and type. The references are weak, so unused lines take no memory. */
  readonly #encoded = new RecentMap<object, Map<EventType, WeakRef<Uint8Array>>>();
  /** A queued line keeps its object, so that the store returns the same object to the next watch. */
  readonly #objects = new RecentMap<Uint8Array, object>();
  /** The last change, which many watches request one after the other. */
  #lastType: EventType | undefined;
  #lastObject: object | undefined;
  #lastLine: Uint8Array = new Uint8Array();

  constructor(contentType: string, encode: (type: EventType, object: object) => Uint8Array) {
    this.contentType = contentType;
    this.#encode = encode;
  }

  /** Returns the same bytes for the same version of an object. Callers must not change them. */
  shared(type: EventType, object: object): Uint8Array {
    if (object === this.#lastObject && type === this.#lastType) return this.#lastLine;
    const line = this.#encoded.get(object)?.get(type)?.deref() ?? this.#kept(type, object);
    this.#lastType = type;
    this.#lastObject = object;
    this.#lastLine = line;
    return line;
  }

  /** Encodes for one watch only. */
  own(type: EventType, object: object): Uint8Array {
    return this.#encode(type, object);
  }

  #kept(type: EventType, object: object): Uint8Array {
    const line = this.own(type, object);
    const lines = this.#encoded.get(object) ?? new Map<EventType, WeakRef<Uint8Array>>();
    this.#encoded.set(object, lines.set(type, new WeakRef(line)));
    this.#objects.set(line, object);
    return line;
  }
}

export const jsonEvents = new EventLines('application/json', (type, object) =>
  encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`),
);

/** For kinds that support protobuf. */
export const protobufEvents = new EventLines(
  'application/vnd.kubernetes.protobuf;stream=watch',
  (type, object) => {
    const bytes = encodeKubernetes(object);
    if (bytes === undefined) throw new Error('a protobuf watch was started for a kind without protobuf');
    return encodeWatchEvent(type, bytes);
  },
);
