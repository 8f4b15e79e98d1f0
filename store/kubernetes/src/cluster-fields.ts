/** Determines from the API server's answers which of Tinkerbell's added fields this cluster accepts. */
import type { Log } from '@tinkerbell/platform-contract';
import { collectionOf, kinds, type Resource } from '@tinkerbell/resources';
import type { Answer } from './cluster-client.ts';
import { isPlaced, withFieldsPlaced } from './field-placement.ts';
import { messageIn } from './refused.ts';

/** Unknown fields are then an error, and are not dropped. Core kinds belong to the cluster. */
const STRICT = '?fieldValidation=Strict';
const ownCollections = new Set(kinds.map(collectionOf));

export class ClusterFields {
  readonly #log: Log;
  /** Collections that have upstream's CRDs. */
  readonly #upstream = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** A query to append to the path of a write. */
  query(collection: string): string {
    return ownCollections.has(collection) ? STRICT : '';
  }

  /** Returns the object in the form that the API server accepts. */
  placed(collection: string, object: Resource): Resource {
    return this.#upstream.has(collection) ? withFieldsPlaced(collection, object) : object;
  }

  /** From now on, the added fields go where upstream's CRDs have room for them. */
  isUpstreams(collection: string): void {
    if (this.#upstream.has(collection)) return;
    this.#upstream.add(collection);
    this.#log.info(
      "the cluster has upstream's CRD; our added fields are stored in a condition or annotation",
      { collection },
    );
  }

  /** Returns true when the answer is about added fields that have another place. The write must then be repeated. */
  learns(collection: string, answer: Answer): boolean {
    if (this.#upstream.has(collection) || !isPlaced(collection) || !isAboutFields(answer)) return false;
    this.isUpstreams(collection);
    return true;
  }
}

/** The API server does not know a field, and has written nothing. */
export function isAboutFields({ status, body }: Answer): boolean {
  return status === 400 && /unknown field/.test(messageIn(body));
}
