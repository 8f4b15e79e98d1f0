import { clientAddressOf } from '@tinkerbell/instance-metadata';
import type { ScriptDecision } from '@tinkerbell/netboot';
import {
  pathElementsOf,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
} from '@tinkerbell/platform-contract';
import { parseMac, type Mac } from '@tinkerbell/wire';
import { createBootTokens } from './boot-tokens.ts';
import type { BootConfig, BootDeps } from './config.ts';
import type { Counters } from './counters.ts';
import { methodNotAllowed, notFound, plain, plainText } from './http-answers.ts';
import { createRateGate } from './rate-gate.ts';
import { macAt } from './machine-state.ts';
import { createScriptChoice, type Unusable } from './script-choice.ts';

const SCRIPT_NAME = 'auto.ipxe';

/** As with DHCP replies: a machine that loops, or thousands at once, must not push all else out of the bounded journal. */
const SERVED_GATE = { intervalMs: 1_000, keysMax: 500, atOnce: 100 } as const;

interface ScriptRouteInput {
  readonly deps: Pick<BootDeps, 'clock' | 'journal' | 'view' | 'log' | 'bootTokens'>;
  readonly config: Pick<BootConfig, 'hook' | 'netboot' | 'trustedProxies'>;
  readonly counters: Counters;
}

/** `/ipxe/script/<mac>/auto.ipxe`, or without MAC for the machine that has the client's address. In
 * auto-proxy mode machines without Hardware get the static script. */
export function createScriptRoute({ deps, config, counters }: ScriptRouteInput): HttpRoute {
  const { journal, view, log } = deps;
  const decide = createScriptChoice(view, config, createBootTokens(deps, config));
  const mayWrite = createRateGate(deps.clock, SERVED_GATE);
  return {
    name: 'ipxe-script',
    prefix: '/ipxe/script/',
    async handle(request: HttpRequest, { peer }: HttpContext): Promise<Response> {
      if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
      const elements = pathElementsOf(request.url) ?? [];
      if (elements.at(-1) !== SCRIPT_NAME) return notFound(`only ${SCRIPT_NAME} is here`);
      const address = clientOf(request, peer.address);
      const mac = parseMac(elements.at(-2) ?? '') ?? macAt(view, address);
      const decision = decide(mac, address);
      report(decision, mac, address);
      return answerOf(decision);
    },
  };

  /** Behind a trusted proxy the address it names; else the socket's, whatever a header says. */
  function clientOf(request: HttpRequest, peer: string): string {
    const forwardedFor = request.headers.get('x-forwarded-for');
    // An IPv4 address of a socket is already written as Hardware has it.
    if (forwardedFor === null && !peer.includes(':')) return peer;
    const client = clientAddressOf({ peer, forwardedFor }, config.trustedProxies);
    return client.ok ? client.text : peer;
  }

  function report(decision: ScriptDecision | Unusable, mac: Mac | undefined, peer: string): void {
    const isServed = decision.kind === 'script';
    const outcome = isServed ? decision.name : decision.reason;
    const detail = 'message' in decision ? decision.message : outcome;
    counters.add('ipxe_script_requests_total', { outcome });
    log.debug('iPXE script asked for', { mac, peer, outcome, detail });
    if (mac === undefined || outcome === 'no-hardware' || !mayWrite(`${mac} ${outcome}`)) return;
    journal.append({
      source: 'http',
      event: isServed ? 'script-served' : 'script-refused',
      machine: mac,
      message: isServed ? `iPXE script served: ${outcome}` : `no iPXE script: ${detail}`,
      details: { outcome },
    });
  }
}

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
