import type { Problem } from './problem.ts';
import type { Resource } from './resource.ts';
import type { Schema } from './schema.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: 'string' | 'date' | 'integer' | 'boolean' | 'number';
  readonly description?: string;
  readonly format?: string;
  /** Columns with 0 are always shown, those with 1 only in wide output. */
  readonly priority?: number;
}

type Json = Readonly<Record<string, unknown>>;

/** The properties of a kind that the API, the store and the CLI use. */
export interface Kind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** `tinkerbell` when absent. */
  readonly categories?: readonly string[];
  readonly listKind?: string;
  /** Namespaced when absent. */
  readonly scope?: 'Cluster';
  /** One sentence for `explain` and the CRD. */
  readonly description: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly printerColumns: readonly PrinterColumn[];
  readonly spec?: Schema;
  /** Present when status is a subresource. */
  readonly status?: Schema;
  /** Fields of the object besides metadata, spec and status, such as `data` of a Secret. */
  readonly fields?: Readonly<Record<string, Schema>>;
  /** The schema of the whole object, when the kind is from a CustomResourceDefinition. */
  readonly schema?: Schema;
  /** For a kind with several versions: the version of stored objects. */
  readonly storedAs?: Kind;
  /** Rewrites a client's object before it is validated: `stringData` into `data`. */
  readonly prepare?: (submitted: Json) => Json;
  /**
   * Rules that the schema cannot express. The object is valid by the schema of the kind, so a kind may take it as its own type.
   * `before` is absent at creation.
   */
  rules?(object: Resource & Json, before: (Resource & Json) | undefined): readonly Problem[];
}

/** Returns `tinkerbell.org/v1alpha1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/**
 * Returns `hardware.tinkerbell.org` or `secrets`: the name of a collection in the store, and of a resource in
 * messages.
 */
export function collectionOf({ plural, group }: Pick<Kind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/**
 * Returns `/apis/tinkerbell.org/v1alpha1` or `/api/v1`, where the kinds of a group and version are served.
 */
export function rootPathOf(kind: Pick<Kind, 'group' | 'version'>): string {
  return `${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;
}
