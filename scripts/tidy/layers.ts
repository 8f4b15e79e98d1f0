/** Layers of ARCHITECTURE.md: a package imports from its own layer and those below. */
const layers: readonly (readonly [pattern: RegExp, layer: number])[] = [
  [/^protocols\/wire$/, 0],
  [/^(protocols|languages)\//, 1],
  [/^domain\//, 2],
  [/^(store|platform)\/contract$|^platform\/metrics$|^api$/, 3],
  // The action oci2disk pulls, which needs nothing above the contract.
  [/^engine\/|^platform\/registry-client$/, 4],
  [/^(services|actions)\//, 5],
  [/^(store|platform)\//, 6],
  [/^(apps|sim|sandbox|site|bench|test|hook|packaging)(\/|$)/, 7],
];

/** Throws for a folder that no layer holds: a new top folder needs a place in the list. */
export function layerOf(folder: string): number {
  const found = layers.find(([pattern]) => pattern.test(folder));
  if (found === undefined)
    throw new Error(`${folder} is in no layer; add it to scripts/tidy/layers.ts and ARCHITECTURE.md`);
  return found[1];
}
