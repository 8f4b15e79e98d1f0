/** What the current bundle of a program was made from, and where it is. */
export interface BundleIndex {
  /** The checkout, absolute: bundles contain paths. */
  readonly root: string;
  /** Below the folder of all bundles. */
  readonly folder: string;
  /** Path below the checkout, size in bytes and time of the last change of each source. */
  readonly inputs: readonly (readonly [path: string, size: number, mtimeMs: number])[];
}

export const checkout: string;
export function bundlesOf(root: string): string;
export function bundledProgram(name: string, root?: string): string | undefined;
