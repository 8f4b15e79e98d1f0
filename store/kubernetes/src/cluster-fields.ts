/** Which fields of ours the API server of this cluster takes, as its own answers tell. */
import type { Log } from '@tinkerbell/platform-contract';
import { collectionOf, kinds, type Resource } from '@tinkerbell/resources';
import type { Answer } from './cluster-client.ts';
import { isPlaced, withFieldsPlaced } from './field-placement.ts';
import { messageIn } from './refused.ts';

/** Fields that it does not know are then an error, and not dropped. Core kinds are the cluster's own. */
const STRICT = '?fieldValidation=Strict';
const ownCollections = new Set(kinds.map(collectionOf));

export class ClusterFields {
  readonly #log: Log;
  /** Collections whose CRDs are upstream's. */
  readonly #upstream = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** To be added to the path of a write. */
  query(collection: string): string {
    return ownCollections.has(collection) ? STRICT : '';
  }

  /** As the API server takes it. */
  placed(collection: string, object: Resource): Resource {
    return this.#upstream.has(collection) ? withFieldsPlaced(collection, object) : object;
  }

  /** From now on, fields of ours go where upstream's CRDs have room for them. */
  isUpstreams(collection: string): void {
    if (this.#upstream.has(collection)) return;
    this.#upstream.add(collection);
    this.#log.info("the cluster has upstream's CRD; fields of ours are kept beside its own", { collection });
  }

  /** True when the answer is about fields of ours that have another place: the write is to be tried anew. */
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
