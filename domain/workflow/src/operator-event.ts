/** The operations of an operator on a workflow. Each is written to `status.operations` with the user and the reason. */

/** An action by name or id. The task is needed only where two tasks have an action of that name. */
export interface ActionName {
  readonly task?: string | undefined;
  readonly action: string;
}

interface Operator {
  readonly who: string;
  /** May be empty. */
  readonly why: string;
}

/** The fields that `edit` may change. Absent fields stay unchanged. */
export interface ActionEdit {
  readonly image?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly volumes?: readonly string[] | undefined;
  /** Seconds. 0 means no timeout. */
  readonly timeout?: number | undefined;
  readonly pid?: string | undefined;
  readonly namespaces?: { readonly network?: string; readonly pid?: string } | undefined;
}

export type OperatorEvent =
  /** No further action is assigned. The running action may finish. */
  | ({ readonly kind: 'pause' } & Operator)
  | ({ readonly kind: 'resume' } & Operator)
  | ({ readonly kind: 'cancel' } & Operator)
  | ({
      readonly kind: 'retry';
      /** `failed`: the point where it stopped, which is an action or a boot phase. */
      readonly from: 'failed' | 'start' | ActionName;
      /** The value of `needsPreparation` for the workflow. */
      readonly needsPreparation: boolean;
    } & Operator)
  | ({ readonly kind: 'skip' } & ActionName & Operator)
  | ({ readonly kind: 'breakpoint'; readonly set: boolean } & ActionName & Operator)
  | ({ readonly kind: 'edit' } & ActionName & ActionEdit & Operator);

export type OperatorVerb = OperatorEvent['kind'];

export const operatorVerbs: readonly OperatorVerb[] = [
  'pause',
  'resume',
  'cancel',
  'retry',
  'skip',
  'breakpoint',
  'edit',
];
