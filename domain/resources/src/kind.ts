import type { Schema } from './schema.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: 'string' | 'date' | 'integer' | 'boolean';
  /** 0 is always shown, 1 only in wide output. */
  readonly priority?: number;
}

/** What the API, the store and the CLI know about a kind. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** One sentence for `explain` and the CRD. */
  readonly description: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly printerColumns: readonly PrinterColumn[];
  readonly spec: Schema;
  readonly status: Schema;
}

/** `tinkerbell.org/v1alpha1` */
export function apiVersionOf(kind: Kind): string {
  return `${kind.group}/${kind.version}`;
}

/** `hardware.tinkerbell.org`: how the store names a collection. */
export function collectionOf(kind: Kind): string {
  return `${kind.plural}.${kind.group}`;
}
