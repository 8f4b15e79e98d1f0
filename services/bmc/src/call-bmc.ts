import type { PinnedConnection } from '@tinkerbell/bmc';
import { BmcError, type Call } from '@tinkerbell/engine-bmc';
import type { Reconciling } from './config.ts';

export interface CountedCall<Result> extends Call<Result> {
  /** The kind of call, for metrics: `power`, `boot-device`. */
  readonly kind:
    | 'power-state'
    | 'power'
    | 'boot-device'
    | 'virtual-media'
    | 'inventory'
    | 'password'
    | 'events';
}

/** Calls the BMC, and counts the call and its outcome: `ok`, or the code of the failure. */
export async function callBmc<Result>(
  { connections, metrics, clock }: Pick<Reconciling, 'connections' | 'metrics' | 'clock'>,
  connection: PinnedConnection,
  call: CountedCall<Result>,
): Promise<Result> {
  const startedMs = clock.monotonicMs();
  const ended = (outcome: string): void => {
    metrics.operations.add({ operation: call.kind, outcome });
    metrics.seconds.observe({ operation: call.kind }, (clock.monotonicMs() - startedMs) / 1000);
  };
  try {
    const result = await connections.use(connection, call);
    ended('ok');
    return result;
  } catch (thrown) {
    if (thrown instanceof BmcError) ended(thrown.code);
    throw thrown;
  }
}
