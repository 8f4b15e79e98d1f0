/** How the events of a BMC reach its Machine, and who may send them. */

/**
 * The SHA-256 of the credential that the BMC repeats in each event, on the Machine. The credential itself is stored at the BMC only.
 */
export const EVENTS_ANNOTATION = 'tinkerbell.org/bmc-events-sha256';

/** Where BMCs send their events. The namespace and the name of a Machine follow. */
export const EVENTS_PATH = '/bmc-events/';

/** The destination of the events of a Machine. `serverUrl` ends without a slash. */
export function eventDestinationFor(serverUrl: string, machine: string): string {
  return `${serverUrl}${EVENTS_PATH}${machine}`;
}

export interface SubscriptionState<Listed> {
  /** What the BMC lists. */
  readonly listed: readonly Listed[];
  /** As `namespace/name`. */
  readonly machine: string;
  /** Undefined: the BMC must send no events. */
  readonly destination: string | undefined;
  /** The annotation. */
  readonly sha256: string | undefined;
}

export interface SubscriptionStep<Listed> {
  readonly removes: readonly Listed[];
  readonly creates: boolean;
}

/**
 * Keeps one subscription for a Machine: that with the right destination and credential. A BMC that does not show the credential has it.
 * Others of the same Machine are left from an earlier address of the server, or from another credential.
 */
export function subscriptionStepFor<Listed extends { destination: string; context: string | undefined }>(
  { listed, machine, destination, sha256 }: SubscriptionState<Listed>,
  hash: (text: string) => string,
): SubscriptionStep<Listed> {
  const own = listed.filter((one) => one.destination.endsWith(`${EVENTS_PATH}${machine}`));
  const right = own.find(
    (one) =>
      sha256 !== undefined &&
      one.destination === destination &&
      (one.context === undefined || hash(one.context) === sha256),
  );
  return {
    removes: own.filter((one) => one !== right),
    creates: destination !== undefined && right === undefined,
  };
}
