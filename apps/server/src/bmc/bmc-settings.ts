/** Settings of the control of BMCs, and of the way to them. */
import type { BmcServiceConfig } from '@tinkerbell/service-bmc';
import type { FlagReader } from '../settings/flag-reader.ts';
import { allowedSources } from '../settings/iso-settings.ts';
import { stackPorts } from '../settings/own-ports.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { DiscImageSettings } from './disc-images.ts';

export interface BmcConnectionSettings {
  /** The limit for each request to a BMC. */
  readonly timeoutMs: number;
  /** PEM file of the authorities of BMCs. Undefined: those of the system. */
  readonly caFile: string | undefined;
  /** A BMC without a pinned certificate may have any, which is then pinned. */
  readonly trustsFirstUse: boolean;
  readonly discImages: DiscImageSettings;
}

/** More would only wait for the processor. */
const AT_ONCE_RANGE = [1, 1000] as const;

export function bmcConnectionSettings(flags: FlagReader): BmcConnectionSettings {
  const caFile = flags.text('bmc-ca-file');
  return {
    timeoutMs: flags.durationMs('rufio-bmc-connect-timeout'),
    caFile: caFile === '' ? undefined : caFile,
    trustsFirstUse: flags.boolean('bmc-trust-first-use'),
    discImages: {
      allowed: allowedSources(flags),
      ownPorts: [flags.port('http-port'), ...stackPorts(flags)],
    },
  };
}

/** Undefined when BMCs are not controlled. */
export function bmcSettings(flags: FlagReader): BmcServiceConfig | undefined {
  if (!flags.boolean('enable-rufio-controller')) return undefined;
  return {
    powerCheckMs: flags.durationMs('rufio-power-check-interval'),
    inventoryMs: flags.boolean('rufio-enable-inventory-collection')
      ? flags.durationMs('rufio-inventory-refresh-interval')
      : undefined,
    pinsFirstCertificate: flags.boolean('bmc-trust-first-use'),
    eventsUrl: eventsUrl(flags),
    atOnce: flags.number('rufio-max-concurrent-reconciles', AT_ONCE_RANGE),
  };
}

/** Only an origin, because everything after it becomes part of each destination. */
function eventsUrl(flags: FlagReader): string | undefined {
  const text = flags.text('bmc-events-url');
  if (text === '') return undefined;
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  throw new SettingsError(
    '--bmc-events-url must be http://HOST:PORT or https://HOST:PORT, without user, password and path',
  );
}
