/** What an action asks for, in upstream's terms. */
import type { Clock, Log, Random } from '@tinkerbell/platform-contract';
import type { RegistrySettings } from '@tinkerbell/registry-client';

export interface ContainerOrder {
  readonly image: string;
  /** Replaces the image's command, and keeps its entrypoint. Empty: the image's own. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** `source:destination[:options]`. */
  readonly volumes: readonly string[];
  /** `host`, or empty for an own one. */
  readonly pidNamespace: string;
  /** `host` or empty for the machine's, `none` for one without a network. */
  readonly networkNamespace: string;
}

export type OutputStream = 'stdout' | 'stderr';

/** What a runtime needs to run one container. */
export interface ContainerMachine {
  readonly registries: RegistrySettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborts when the container must stop. */
  readonly signal: AbortSignal;
  readonly onLine: (stream: OutputStream, line: string) => void;
  readonly onProgress: (message: string) => void;
}

/** Docker's, and upstream's, time between the stop signal and the end. */
export const STOP_GRACE_MS = 5000;
