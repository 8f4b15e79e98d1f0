/** A machine that is off, and that its BMC boots. */
export interface BmcCase {
  readonly name: string;
  /** Rejects when anything went wrong. It moves the process into a network of its own, so that one case can run in a process. */
  readonly run: (extent: Extent) => Promise<void>;
}

/**
 * `short`, in `npm test`: until that has happened which only this way to boot has. `whole`, in `npm run e2e -- bmc`: the disk is installed,
 * boots, and is used.
 */
export type Extent = 'short' | 'whole';
