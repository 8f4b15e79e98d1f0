/** The place of a value, as steps that refer to the previous step. The path is built only when it is read. */
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
