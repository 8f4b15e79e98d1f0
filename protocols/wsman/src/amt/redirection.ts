/** Whether a machine with AMT offers its serial console and takes drives (Intel AMT SDK, "AMT_RedirectionService"). */
import type { Member, WsmanOperation } from '../envelope.ts';
import { childText, type XmlElement } from '../xml/xml-element.ts';

/** `EnabledState`: nothing, drives (IDER), the serial console (SOL), or both. */
const STATES = { ider: '32769', sol: '32770', both: '32771' } as const;
const OTHER = { ider: STATES.sol, sol: STATES.ider } as const;

/** Returns the call that switches one of them on, and leaves the other one as it is. Undefined: it is on. */
export function redirectionRequest(service: XmlElement, wanted: 'ider' | 'sol'): WsmanOperation | undefined {
  const state = childText(service, 'EnabledState');
  if (state === STATES[wanted] || state === STATES.both) return undefined;
  const value = state === OTHER[wanted] ? STATES.both : STATES[wanted];
  return { kind: 'invoke', method: 'RequestStateChange', members: [{ name: 'RequestedState', value }] };
}

/** Returns the members that make the firmware listen for sessions. Undefined: it does. */
export function listenerSettings(service: XmlElement): readonly Member[] | undefined {
  if (childText(service, 'ListenerEnabled') === 'true') return undefined;
  return service.children
    .filter(({ children }) => children.length === 0)
    .map(({ name, text }) => ({ name, value: name === 'ListenerEnabled' ? 'true' : text }));
}
