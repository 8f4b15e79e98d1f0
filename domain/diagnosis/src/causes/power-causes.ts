/** Causes before the first packet: BMC, boot order, relay. */
import type { StagedRecord } from '../boot/boot-records.ts';
import type { Cause } from './cause.ts';
import { evidenceOf, foundIn, silence } from './cause.ts';
import type { Facts } from '../facts.ts';
import { isOfSystem } from '../steps.ts';
import type { TimelineRecord } from '../timeline-record.ts';
import { addressOf, isInNetwork } from '../networks.ts';

/** A problem of the BMC that nothing has overcome. It ends the workflow that waits for the machine. */
function bmcFailure({ records, workflows = [], unfinished }: Facts): TimelineRecord | undefined {
  const at = records.findLastIndex(
    ({ event }) => event === 'bmc-job-failed' || event === 'boot-job-neglected',
  );
  const after = records.slice(at + 1);
  const hasFailed = workflows.length > 0 && after.some(isFailure);
  const isWanted = unfinished.length > 0 || hasFailed;
  return isWanted && !after.some(overcomesBmc) ? records[at] : undefined;
}

function isFailure({ event, details }: TimelineRecord): boolean {
  return event === 'state-changed' && details?.['to'] === 'FAILED';
}

function overcomesBmc(record: TimelineRecord): boolean {
  const { source, event } = record;
  if (source === 'dhcp' || event === 'bmc-job-completed' || event === 'boot-job-completed') return true;
  return (event === 'state-changed' && !isFailure(record)) || event === 'operator-cancel';
}

/** The BMC reported success and kept its old boot device. */
const NOT_APPLIED = /not-applied|the BMC accepted "boot from/;

/** The machine was restarted for a workflow, and an operating system asked for an address instead of the firmware. */
function diskInstead({ records, boot, unfinished }: Facts): readonly TimelineRecord[] {
  const job = records.findLast(({ event }) => event === 'boot-job-completed');
  const after = boot.filter(({ atMs, source }) => source === 'dhcp' && atMs >= (job?.atMs ?? Infinity));
  const isDisk = after.length > 0 && after.every((record: StagedRecord) => isOfSystem(record));
  const isWaiting = unfinished.some(({ status }) => ['PREPARING', 'PENDING'].includes(status?.state ?? ''));
  return isDisk && isWaiting && job !== undefined ? [job, ...after] : [];
}

/** True if the address of the machine is in a network that this server reaches only through a relay, and no relay of it was seen. */
function needsUnseenRelay({ hardware, network }: Facts): boolean {
  const ip = addressOf(hardware);
  if (network === undefined || ip === undefined) return false;
  return [network.serverAddress, ...network.relays].every((other) => !isInNetwork(other, ip));
}

export const powerCauses: readonly Cause[] = [
  {
    id: 'bmc-failed',
    sentence: 'The BMC did not perform the operations that prepare the boot.',
    shows: 'A Job of the BMC failed, or no service has taken it, while a workflow waits for the machine.',
    against: 'A later Job completed, or the machine asked for an address.',
    advice: [
      'tink bmc check MACHINE shows what does not work and what to do.',
      'Then retry the workflow: tink workflow retry WORKFLOW.',
    ],
    certainty: 'certain',
    find: (facts) => {
      const failure = bmcFailure(facts);
      return failure === undefined ? undefined : { evidence: evidenceOf([failure]), sinceMs: failure.atMs };
    },
  },
  {
    id: 'boot-override-ignored',
    sentence: 'The BMC or the firmware ignored that the machine must boot the network.',
    shows:
      'A Job of the BMC completed, and an operating system asked for an address, without firmware before it.',
    against: 'The firmware asked for a boot file.',
    advice: [
      'Put network boot first in the boot order of the firmware.',
      'Check that firmware and BMC use the same mode (UEFI or BIOS): spec.bootOptions, efiBoot.',
      'Update the firmware of the BMC: some ignore the setting for one boot.',
    ],
    certainty: 'likely',
    find: (facts) => {
      const failure = bmcFailure(facts);
      if (failure !== undefined && NOT_APPLIED.test(failure.message)) return foundIn([failure]);
      const found = diskInstead(facts);
      // Until the other system asked for an address, the machine was starting.
      const since = found[1];
      return since === undefined ? undefined : { evidence: evidenceOf(found), sinceMs: since.atMs };
    },
  },
  {
    id: 'relay-absent',
    sentence: 'No request arrives from the network of the machine.',
    shows:
      'The machine was powered on and is silent. No relay has forwarded a request from the network of its address.',
    against:
      'A relay with an address of that network has forwarded requests, or this server is in that network.',
    advice: [
      'Configure the relay (ip helper-address) of the machine’s network to forward to this server.',
      'Check that routers and firewalls pass UDP ports 67 and 68 between the relay and this server.',
    ],
    certainty: 'likely',
    find: (facts) => (needsUnseenRelay(facts) ? silence('power-on')(facts) : undefined),
  },
  {
    id: 'no-netboot-after-power-on',
    sentence: 'The machine was powered on, but did not ask for an address.',
    shows:
      'A Job of the BMC completed, and no packet of the machine arrived within the usual time of its start.',
    against: 'The firmware asked for an address. Large servers test their memory for minutes.',
    advice: [
      'Look at its screen: tink console MACHINE, or the BMC’s page.',
      'Put network boot first in its boot order, on the port whose MAC is in the Hardware.',
      'Check the cable, and that the switch port is in the VLAN of this server.',
      'Make the switch port an edge port (portfast): spanning tree blocks others for 30 s, and many firmwares give up earlier.',
    ],
    certainty: 'likely',
    find: silence('power-on'),
  },
];
