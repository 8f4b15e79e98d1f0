/** Events of watches as lines, each encoded once for all who watch. */
import type { Change } from '@tinkerbell/store-contract';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

export const eventTypes: Readonly<Record<Change['type'], EventType>> = {
  added: 'ADDED',
  modified: 'MODIFIED',
  deleted: 'DELETED',
};

const encoder = new TextEncoder();

/** By object and type: nothing here keeps a line in memory that nobody waits for. */
const encoded = new WeakMap<object, Map<EventType, WeakRef<Uint8Array>>>();
/** A line that somebody waits for keeps its object, so that the store finds the same one again for the next watch. */
const objects = new WeakMap<Uint8Array, object>();

/** Of the last change, which many watches ask for one after the other. */
let lastType: EventType | undefined;
let lastObject: object | undefined;
let lastLine: Uint8Array = new Uint8Array();

/** The same bytes for everybody who asks for the same version of an object; nobody changes them. */
export function sharedLine(type: EventType, object: object): Uint8Array {
  if (object === lastObject && type === lastType) return lastLine;
  const line = encoded.get(object)?.get(type)?.deref() ?? encode(type, object);
  [lastType, lastObject, lastLine] = [type, object, line];
  return line;
}

function encode(type: EventType, object: object): Uint8Array {
  const line = eventLine(type, object);
  const lines = encoded.get(object) ?? new Map<EventType, WeakRef<Uint8Array>>();
  encoded.set(object, lines.set(type, new WeakRef(line)));
  objects.set(line, object);
  return line;
}

/** For one watch alone. */
export function eventLine(type: EventType, object: object): Uint8Array {
  return encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}
