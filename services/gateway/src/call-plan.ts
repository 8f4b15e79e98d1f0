import type { Log, VerifiedToken } from '@tinkerbell/platform-contract';
import type { LiveRoute, RouteTable } from './route-table.ts';
import type { TracedBlock } from './traced-block.ts';

/**
 * What a call of gRPC has in common with all calls of its connection that have the same header fields. It is decided once, and holds while
 * the table of routes and the token do.
 */
export interface CallPlan {
  readonly table: RouteTable;
  readonly route: LiveRoute;
  readonly address: string;
  /** Absent: the route needs no token. */
  readonly verified: VerifiedToken | undefined;
  /** What the upstream gets. */
  readonly block: TracedBlock;
  /** Adds what is the same in the lines of all these calls. */
  readonly log: Log;
}
