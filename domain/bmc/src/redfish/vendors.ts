/**
 * How the Redfish services of vendors differ, as data. The driver has no other knowledge of vendors. What an answer of a service
 * reveals, such as a missing parameter, is not listed here.
 */
import type { PowerOperation } from '../machine-state.ts';

export type RedfishVendorName = 'dell' | 'hpe' | 'supermicro' | 'lenovo' | 'openbmc' | 'generic';

/** Values of the parameter ResetType (schema Resource). */
export type ResetType =
  | 'On'
  | 'ForceOn'
  | 'ForceOff'
  | 'GracefulShutdown'
  | 'GracefulRestart'
  | 'ForceRestart'
  | 'PowerCycle'
  | 'PushPowerButton';

export interface RedfishVendor {
  readonly name: RedfishVendorName;
  /** For each operation the sequences of resets that perform it. The first one whose resets are all allowed is used. */
  readonly power: Readonly<Record<PowerOperation, readonly (readonly ResetType[])[]>>;
  /** Which resource has the virtual drives, in the order in which they are tried. */
  readonly mediaOf: readonly ('system' | 'manager')[];
  /** `always`: the service refuses a change without If-Match. `when-asked`: after a refusal with status 412 or 428. */
  readonly ifMatch: 'always' | 'when-asked';
  /** When a change of the boot source includes BootSourceOverrideMode. */
  readonly writesMode: 'when-different' | 'always' | 'never';
  /** Names of the virtual CD drive as a boot source, best first. */
  readonly cdTargets: readonly string[];
}

export interface RedfishIdentity {
  /** `Vendor` and `Product` of the service root, and `Manufacturer` of the system. */
  readonly names: readonly (string | undefined)[];
  /** Members of `Oem` of the service root. */
  readonly oem: readonly string[];
}

/** The meaning of each value is in the schema Resource, ResetType. */
const power: RedfishVendor['power'] = {
  // The power button of a machine that is off turns it on.
  on: [['On'], ['ForceOn'], ['PushPowerButton']],
  off: [['ForceOff']],
  soft: [['GracefulShutdown'], ['PushPowerButton']],
  cycle: [['PowerCycle'], ['ForceOff', 'On'], ['ForceOff', 'ForceOn']],
  reset: [['ForceRestart'], ['GracefulRestart']],
};

const generic: RedfishVendor = {
  name: 'generic',
  power,
  // Schema VirtualMediaCollection: in Managers before 2020.4, in Systems since.
  mediaOf: ['system', 'manager'],
  ifMatch: 'when-asked',
  writesMode: 'when-different',
  cdTargets: ['Cd', 'UsbCd'],
};

const vendors: readonly (RedfishVendor & { readonly pattern: RegExp })[] = [
  {
    ...generic,
    name: 'dell',
    pattern: /\bdell\b/i,
    // iDRAC 9 has drives in Systems since 6.00, where several work at once (IdracRedfishSupport 0.0.5), and in Managers before.
  },
  {
    ...generic,
    name: 'hpe',
    pattern: /\b(?:hpe?|hewlett.packard(?: enterprise)?)\b/i,
    // iLO 4 has no GracefulShutdown. Its PushPowerButton is a short press, which shuts down, as the generic order expects.
    mediaOf: ['manager', 'system'],
    // "BootSourceOverrideMode is not writable", and the whole request fails (ansible community.general issue 3509).
    writesMode: 'never',
  },
  {
    ...generic,
    name: 'supermicro',
    pattern: /\bsuper\s?micro\b/i,
    mediaOf: ['manager', 'system'],
    // A change without the mode sets it to its default (DMTF Redfishtool pull request 106).
    writesMode: 'always',
    // X11 and X12 show virtual media as a USB CD, and do not boot from it as `Cd` (OpenStack sushy, system.py).
    cdTargets: ['UsbCd', 'Cd'],
  },
  {
    ...generic,
    name: 'lenovo',
    pattern: /\blenovo\b/i,
    // XCC answers 412, and the AMI firmware of SR655 428 (community.general issue 11261, gofish issue 171).
    ifMatch: 'always',
  },
  {
    ...generic,
    name: 'openbmc',
    pattern: /\bopen\s?bmc\b/i,
    // bmcweb has VirtualMedia only in Managers (redfish-core/lib/virtual_media.hpp).
    mediaOf: ['manager', 'system'],
  },
];

/** Returns the first vendor that a name or an extension points to. The names of `Oem` are those of DSP0266, section "OEM". */
export function redfishVendorOf({ names, oem }: RedfishIdentity): RedfishVendor {
  const texts = [...oem, ...names.filter((name) => name !== undefined)];
  return vendors.find(({ pattern }) => texts.some((text) => pattern.test(text))) ?? generic;
}
