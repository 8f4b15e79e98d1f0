/** Operations of a BMC, as Jobs that the server carries out, as `tink power` and `tink boot-device` create them. */
import type { Hardware } from '@tinkerbell/resources';
import { bmcJobs, pathOf } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';

export interface WantedJob {
  /** The start of its name: `power-off`. */
  readonly word: string;
  readonly tasks: readonly object[];
}

const SUFFIX_BYTES = 4;
const NAME_MAX = 200;

/** Resolves with the name of the Job. Rejects with an ApiFailure. */
export async function createJob({ metadata, spec }: Hardware, { word, tasks }: WantedJob): Promise<string> {
  const { namespace, name: machine } = metadata;
  const suffix = Array.from(crypto.getRandomValues(new Uint8Array(SUFFIX_BYTES)), hex).join('');
  const name = `${`${word}-${machine}`.slice(0, NAME_MAX)}-${suffix}`;
  await sendForJson(pathOf(bmcJobs, namespace), {
    method: 'POST',
    body: {
      apiVersion: 'bmc.tinkerbell.org/v1alpha1',
      kind: 'Job',
      metadata: { name, namespace },
      spec: { machineRef: { name: spec?.bmcRef?.name ?? '', namespace }, tasks },
    },
  });
  return name;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

interface BmcOperation {
  /** As Jobs and `tink` call it. */
  readonly word: string;
  readonly title: string;
  readonly help: string;
}

export const powerOperations: readonly BmcOperation[] = [
  { word: 'on', title: 'Power on', help: 'Switches the machine on' },
  { word: 'off', title: 'Power off', help: 'Switches the machine off at once, without its operating system' },
  { word: 'soft', title: 'Shut down', help: 'Asks the operating system to shut down' },
  { word: 'cycle', title: 'Power cycle', help: 'Switches the machine off and on again' },
  { word: 'reset', title: 'Reset', help: 'Restarts the machine at once, without its operating system' },
];

export const bootDevices: readonly BmcOperation[] = [
  { word: 'pxe', title: 'Network', help: 'PXE or HTTP boot' },
  { word: 'disk', title: 'Disk', help: 'The first disk' },
  { word: 'bios', title: 'Firmware setup', help: 'The menu of the firmware' },
  { word: 'cdrom', title: 'CD', help: 'A CD, also a virtual one' },
  { word: 'safe', title: 'Disk, safe mode', help: 'The first disk, in safe mode' },
];

/** The title of a power operation. One that is unknown here is its own title. */
export function powerTitle(word: string): string {
  return powerOperations.find((one) => one.word === word)?.title ?? `Power ${word}`;
}
