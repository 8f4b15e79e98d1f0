/** Faults in the objects and in the server. */
import { fullDisk } from '../disturbances.ts';
import { ERASE, type Fault } from '../fault.ts';
import { holdWithPause } from '../meddling.ts';

export const workflowFaults: readonly Fault[] = [
  {
    name: 'the only workflow is disabled',
    cause: 'workflow-disabled',
    firmware: 'bios',
    isDisabled: true,
    actions: ERASE,
  },
  {
    name: 'the Template does not render',
    inTest: {},
    cause: 'template-not-rendered',
    firmware: 'bios',
    actions: `
      - name: "{{ index .absent 3 }}"
        image: quay.io/tinkerbell/actions/erase:latest
        timeout: 90`,
  },
  { name: 'no workflow names the machine', cause: 'no-workflow', firmware: 'bios' },
  {
    name: 'another workflow, which is paused, holds the machine',
    cause: 'workflow-held',
    firmware: 'bios',
    actions: `${ERASE}${ERASE.replace('name: erase', 'name: erase again')}`,
    meddle: holdWithPause,
  },
  {
    name: 'the disk of the server is full',
    cause: 'server-disk-full',
    firmware: 'bios',
    diskMebibytes: 32,
    disturb: fullDisk,
    actions: ERASE,
  },
];
