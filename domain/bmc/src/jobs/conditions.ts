/** The conditions of Machines, Jobs and Tasks: one of each type. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

export function holds(
  status: { readonly conditions?: readonly Condition[] } | undefined,
  type: string,
): boolean {
  return (status?.conditions ?? []).some((one) => one.type === type && one.status === 'True');
}

/** Replaces the condition of the same type, or adds it. */
export function withCondition<Kind extends Condition>(
  conditions: readonly Kind[] | undefined,
  condition: Kind,
): Kind[] {
  const others = (conditions ?? []).filter(({ type }) => type !== condition.type);
  return [...others, condition];
}

/** Completed or Failed: nothing changes it any more. */
export function hasEnded(status: { readonly conditions?: readonly Condition[] } | undefined): boolean {
  return holds(status, 'Completed') || holds(status, 'Failed');
}
