/** Keeps the certificates of our own authority good for as long as the server runs; the gateway notices new files by itself. */
import type { Clock, Log } from '@tinkerbell/platform-contract';
import { ensureCertificate } from './authority.ts';

const LOOK_MS = 3_600_000;

interface KeptCertificates {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: string;
  readonly names: readonly string[];
}

/** Now, and each hour until `signal`. @throws Error when they cannot be made now. */
export function keepCertificates(kept: KeptCertificates, signal: AbortSignal): void {
  const { clock, log, directory, names } = kept;
  ensureCertificate(directory, names, clock.nowMs());
  const look = (): void => {
    try {
      if (ensureCertificate(directory, names, clock.nowMs()))
        log.info('certificates of the gateway were renewed', { directory });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error('certificates of the gateway cannot be renewed', { directory, reason });
    }
    cancel = clock.schedule(LOOK_MS, look);
  };
  let cancel = clock.schedule(LOOK_MS, look);
  signal.addEventListener('abort', () => cancel(), { once: true });
}
