/** The shape that all objects share, following the Kubernetes API conventions. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The fields that a client has set (meta/v1 ManagedFieldsEntry). */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** RFC 3339. */
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

export interface ObjectMeta {
  readonly name: string;
  /** Absent in JSON for cluster-scoped objects, which are few. All others have one. */
  readonly namespace: string;
  readonly generateName?: string;
  /** Assigned by the store at creation. */
  readonly uid?: string;
  /** The store's revision of the last write, as text. */
  readonly resourceVersion?: string;
  /** Increases by one with every change of the spec. */
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

export interface Resource<Spec = unknown, Status = unknown> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Spec;
  readonly status?: Status;
}
