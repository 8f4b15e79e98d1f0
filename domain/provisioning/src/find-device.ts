/** Finds the machine that a caller names. */
import type { Hardware } from '@tinkerbell/resources';
import { refuse, type Result } from './failure.ts';

type Match = (hardware: Hardware, device: string) => boolean;

/** The ways to find a machine, in order. The first one that matches any machine decides. */
const matches: readonly (readonly [what: string, match: Match])[] = [
  ['name', ({ metadata }, device) => metadata.name === device],
  ['metadata.instance.id', ({ spec }, device) => spec?.metadata?.instance?.id === device],
  ['MAC', ({ spec }, device) => (spec?.interfaces ?? []).some(({ dhcp }) => dhcp?.mac === macOf(device))],
  ['agentID', ({ spec }, device) => spec?.agentID === device],
];

/** `hardware` is all of one namespace. More than one match is an operator's mistake, which the error reports. */
export function findDevice(device: string, hardware: readonly Hardware[]): Result<Hardware> {
  for (const [what, match] of matches) {
    const [found, ...more] = hardware.filter((one) => match(one, device));
    if (found === undefined) continue;
    if (more.length === 0) return { ok: true, value: found };
    const names = [found, ...more].map(({ metadata }) => metadata.name).toSorted();
    return refuse(
      'failed-precondition',
      `device_id: the ${what} ${device} is of more than one Hardware: ${names.join(', ')}; use a name`,
      'device_id',
    );
  }
  return refuse(
    'not-found',
    `device_id: no Hardware has the name, metadata.instance.id, MAC or agentID ${device}`,
    'device_id',
  );
}

/** As Hardware has it, of `52-54-00-AB-CD-EF` too. */
function macOf(device: string): string {
  return device.toLowerCase().replaceAll('-', ':');
}
