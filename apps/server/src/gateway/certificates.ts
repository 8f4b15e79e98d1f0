/** Renews the certificates of our own authority while the server runs. The gateway detects new files. */
import { messageOf, repeat, type Clock, type Log } from '@tinkerbell/platform-contract';
import { ensureCertificate } from './authority.ts';

const CHECK_MS = 3_600_000;

interface KeptCertificates {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: string;
  readonly names: readonly string[];
}

/** Checks now and every hour until `signal`. @throws Error if the certificates cannot be created now. */
export function keepCertificates(kept: KeptCertificates, signal: AbortSignal): void {
  const { clock, log, directory, names } = kept;
  ensureCertificate(directory, names, clock.nowMs());
  repeat(clock, { everyMs: CHECK_MS, signal }, () => {
    try {
      if (ensureCertificate(directory, names, clock.nowMs()))
        log.info('certificates of the gateway were renewed', { directory });
    } catch (error) {
      const reason = messageOf(error);
      log.error('cannot renew the certificates of the gateway', { directory, reason });
    }
  });
}
