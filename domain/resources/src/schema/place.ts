/** Where a value stands, as steps that know the step before: a path costs nothing until somebody reads it. */
export type Path = readonly (string | number)[];

export interface Place {
  readonly within: Place | undefined;
  readonly step: string | number;
}

export function pathOf(place: Place | undefined): Path {
  const steps: (string | number)[] = [];
  for (let one = place; one !== undefined; one = one.within) steps.push(one.step);
  return steps.toReversed();
}
