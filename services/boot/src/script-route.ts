import { clientAddressOf, formatIpAddress } from '@tinkerbell/instance-metadata';
import {
  bootsUnknownMachine,
  reservationFor,
  scriptFor,
  staticScriptFor,
  type ReservationResult,
  type ScriptDecision,
} from '@tinkerbell/netboot';
import type { HttpContext, HttpRequest, HttpRoute } from '@tinkerbell/platform-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';
import type { BootConfig, BootDeps } from './config.ts';
import type { Counters } from './counters.ts';
import { methodNotAllowed, notFound, pathElementsOf, plain, plainText } from './http-answers.ts';
import { hasWorkToDo, macAt, unknownHasWorkToDo } from './machine-state.ts';

const SCRIPT_NAME = 'auto.ipxe';

interface ScriptRouteInput {
  readonly deps: Pick<BootDeps, 'journal' | 'view' | 'log'>;
  readonly config: Pick<BootConfig, 'hook' | 'netboot' | 'trustedProxies'>;
  readonly counters: Counters;
}

/** `/ipxe/script/<mac>/auto.ipxe`, or without MAC for the machine that has the client's address. In
 * auto-proxy mode machines without Hardware get the static script. */
export function createScriptRoute({ deps, config, counters }: ScriptRouteInput): HttpRoute {
  const { journal, view, log } = deps;
  return {
    name: 'ipxe-script',
    prefix: '/ipxe/script/',
    async handle(request: HttpRequest, { peer }: HttpContext): Promise<Response> {
      if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
      const elements = pathElementsOf(request.url) ?? [];
      if (elements.at(-1) !== SCRIPT_NAME) return notFound(`only ${SCRIPT_NAME} is here`);
      const address = clientOf(request, peer.address);
      const mac = parseMac(elements.at(-2) ?? '') ?? macAt(view, address);
      const decision = decide(mac);
      report(decision, mac, address);
      return answerOf(decision);
    },
  };

  /** Behind a trusted proxy the address it names; else the socket's, whatever a header says. */
  function clientOf(request: HttpRequest, peer: string): string {
    const sender = { peer, forwardedFor: request.headers.get('x-forwarded-for') };
    const client = clientAddressOf(sender, config.trustedProxies);
    return client.ok ? formatIpAddress(client.address) : peer;
  }

  function report(decision: ScriptDecision | Unusable, mac: Mac | undefined, peer: string): void {
    const isServed = decision.kind === 'script';
    const outcome = isServed ? decision.name : decision.reason;
    const detail = 'message' in decision ? decision.message : outcome;
    counters.add('ipxe_script_requests_total', { outcome });
    log.debug('iPXE script asked for', { mac, peer, outcome, detail });
    if (mac === undefined || outcome === 'no-hardware') return;
    journal.append({
      source: 'http',
      event: isServed ? 'script-served' : 'script-refused',
      machine: mac,
      message: isServed ? `iPXE script served: ${outcome}` : `no iPXE script: ${detail}`,
      details: { outcome },
    });
  }

  function decide(mac: Mac | undefined): ScriptDecision | Unusable {
    const settings = { hook: config.hook, bootLocalWhenIdle: config.netboot.bootLocalWhenIdle };
    const reservation = mac === undefined ? UNKNOWN : reservationFor(view.hardwareByMac(mac), mac);
    if (reservation.ok) {
      const machineState = { hasWorkToDo: hasWorkToDo(view, reservation.value) };
      return scriptFor({ reservation: reservation.value, machineState, settings });
    }
    if (bootsUnknownMachine(reservation, config.netboot)) {
      return staticScriptFor({ machineState: { hasWorkToDo: unknownHasWorkToDo(view, mac) }, settings });
    }
    return { kind: 'unusable', reason: reservation.reason, message: reservation.message };
  }
}

interface Unusable {
  readonly kind: 'unusable';
  readonly reason: string;
  readonly message: string;
}

const UNKNOWN: ReservationResult = {
  ok: false,
  reason: 'no-hardware',
  message: 'no Hardware has this address',
};

function answerOf(decision: ScriptDecision | Unusable): Response {
  switch (decision.kind) {
    case 'script':
      return plainText(decision.text);
    case 'refused':
      return notFound('this machine may not netboot');
    case 'invalid':
      return plain(500, decision.message);
    case 'unusable':
      return notFound(decision.message);
    default:
      return decision satisfies never;
  }
}
