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

export const powerOperations = ['on', 'off', 'soft', 'cycle', 'reset'] as const;
export const bootDevices = ['pxe', 'disk', 'bios', 'cdrom', 'safe'] as const;
