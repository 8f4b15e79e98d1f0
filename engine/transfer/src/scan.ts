/** Reads a store from end to end. */
import { createHash } from 'node:crypto';
import { builtInKinds, collectionOf, isRecord, kinds } from '@tinkerbell/resources';
import {
  eachPage as pagesOf,
  workflowCollection,
  type Store,
  type StoredObject,
} from '@tinkerbell/store-contract';
import { comparableText } from './comparable.ts';
import { isMarker } from './marker.ts';
import type { KindReport, TransferPlace } from './transfer-place.ts';

const PAGE = 200;
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const ACTIVE = new Set(['RUNNING']);
/** The collections in the order of the copy: owners come before the objects they own. */
const FIRST = ['namespaces', DEFINITIONS, 'configmaps', 'secrets'];
/** The collections of a cluster that belong to Tinkerbell. The others belong to the cluster. */
const ofTinkerbell: readonly string[] = kinds.map(collectionOf);

export interface Scan {
  readonly kinds: readonly KindReport[];
  readonly running: readonly string[];
}

/** The collections that can contain Tinkerbell's objects on both sides. */
export async function collectionsToCopy(from: TransferPlace, to: TransferPlace): Promise<readonly string[]> {
  if (from.isCluster === true || to.isCluster === true) return ['secrets', ...ofTinkerbell];
  const known = builtInKinds.map(collectionOf);
  const defined: string[] = [];
  for await (const { object } of eachObject(from.store, DEFINITIONS)) defined.push(object.metadata.name);
  return [...new Set([...FIRST, ...known, ...defined])];
}

/** Omits the marker of a transfer. A cluster's Secrets are included when a BMC Machine names them. */
export async function* eachObject(
  store: Store,
  collection: string,
): AsyncGenerator<StoredObject, void, undefined> {
  for await (const page of eachPage(store, collection)) yield* page;
}

export async function* eachPage(
  store: Store,
  collection: string,
): AsyncGenerator<readonly StoredObject[], void, undefined> {
  for await (const page of pagesOf(store, { collection, limit: PAGE })) {
    const items = page.filter(({ key }) => !isMarker(key));
    if (items.length > 0) yield items;
  }
}

export async function scan(
  { store }: TransferPlace,
  collections: readonly string[],
  options: { readonly isCluster: boolean; readonly isOurs: (stored: StoredObject) => boolean },
): Promise<Scan> {
  const reports: KindReport[] = [];
  const running: string[] = [];
  for (const collection of collections) {
    const hash = createHash('sha256');
    let count = 0;
    for await (const stored of eachObject(store, collection)) {
      if (!options.isOurs(stored)) continue;
      count += 1;
      hash.update(comparableText(stored.object, options.isCluster)).update('\n');
      running.push(...runningActions(stored));
    }
    if (count > 0) reports.push({ collection, count, digest: hash.digest('hex') });
  }
  return { kinds: reports, running };
}

/** Returns the actions of a Workflow that an agent is performing. */
function runningActions({ key, object }: StoredObject): readonly string[] {
  if (key.collection !== workflowCollection.name || !isRecord(object.status)) return [];
  return recordsIn(object.status['tasks'])
    .flatMap((task) => recordsIn(task['actions']))
    .filter(({ state }) => ACTIVE.has(String(state)))
    .map(({ name }) => `${key.namespace}/${key.name}: ${String(name)}`);
}

/** Returns `namespace/name` of the Secrets that BMC Machines name. */
export async function secretsNamed(store: Store): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { object } of eachObject(store, 'machines.bmc.tinkerbell.org')) {
    const connection = isRecord(object.spec) ? object.spec['connection'] : undefined;
    const reference = isRecord(connection) ? connection['authSecretRef'] : undefined;
    if (isRecord(reference)) names.add(`${String(reference['namespace'])}/${String(reference['name'])}`);
  }
  return names;
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
