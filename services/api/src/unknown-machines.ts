/** `GET /unknown-machines`: machines that asked this server to boot and have no Hardware, most recent first. */
import type { UnknownMachine, UnknownMachines } from '@tinkerbell/enrollment';
import type { Authorizer, HttpContext, HttpRequest } from '@tinkerbell/platform-contract';
import type { View } from '@tinkerbell/store-contract';
import { permit, userOf } from './access/question.ts';
import { json, methodNotAllowed } from './api-response.ts';

/** The path in `nonResourceURLs` of roles. */
export const UNKNOWN_MACHINES = '/unknown-machines';

interface UnknownMachinesDeps {
  readonly authorizer: Authorizer;
  readonly view: View;
  readonly unknownMachines?: Pick<UnknownMachines, 'list'>;
}

export function unknownMachinesAnswer(
  { authorizer, view, unknownMachines }: UnknownMachinesDeps,
  request: HttpRequest,
  context: HttpContext,
): Response {
  permit(authorizer, userOf(context), { asked: { verb: 'get', path: UNKNOWN_MACHINES } });
  if (request.method !== 'GET') return methodNotAllowed(request);
  const unknown = (unknownMachines?.list() ?? []).filter(({ mac }) => view.hardwareByMac(mac).length === 0);
  return json({ items: unknown.map(shown) });
}

function shown({ firstSeenMs, lastSeenMs, ...machine }: UnknownMachine): object {
  return { ...machine, firstSeen: timeOf(firstSeenMs), lastSeen: timeOf(lastSeenMs) };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
