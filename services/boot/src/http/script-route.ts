import { clientAddressOf } from '@tinkerbell/instance-metadata';
import type { ScriptDecision } from '@tinkerbell/netboot';
import {
  decodedPathOf,
  pathNameOf,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
} from '@tinkerbell/platform-contract';
import { decodeUtf8, parseMac, type Mac } from '@tinkerbell/wire';
import { HOOK_IPXE, type BootFiles } from '../boot-files/index.ts';
import { createBootTokens } from '../boot-tokens.ts';
import type { BootConfig, BootDeps } from '../config.ts';
import type { BootMetrics } from '../metrics.ts';
import { methodNotAllowed, notFound, plain, plainText } from './answers.ts';
import { RateGate } from '../rate-gate.ts';
import { macAt } from '../machine-state.ts';
import { createScriptChoice, type Unusable } from './script-choice.ts';

const SCRIPT_NAME = 'auto.ipxe';
const SCRIPT_END = `/${SCRIPT_NAME}`;

/** As with DHCP replies: a looping machine, or thousands at once, must not evict everything else from the bounded journal. */
const SERVED_GATE = { intervalMs: 1_000, keysMax: 500, atOnce: 100 } as const;

interface ScriptRouteInput {
  readonly deps: Pick<BootDeps, 'clock' | 'journal' | 'view' | 'log' | 'bootTokens'>;
  readonly config: Pick<BootConfig, 'hook' | 'netboot' | 'trustedProxies'>;
  readonly metrics: BootMetrics;
  readonly files: Pick<BootFiles, 'ownHookIpxe'>;
}

/** The paths of the documented stack: the root of its file server, and its path at the ingress. */
const HOOK_PATHS = [`/${HOOK_IPXE}`, `/tink-stack/${HOOK_IPXE}`];

/**
 * Serves `/ipxe/script/<mac>/auto.ipxe`. Without a MAC, it serves the machine that has the client's address. In auto-proxy mode
 * machines without Hardware get the static script. `/hook.ipxe` works the same by address, and gives each machine without
 * Hardware the static script.
 */
export function createScriptRoutes({ deps, config, metrics, files }: ScriptRouteInput): HttpRoute[] {
  const { journal, view, log } = deps;
  const decide = createScriptChoice(view, config, createBootTokens(deps, config));
  const gate = new RateGate(deps.clock, SERVED_GATE);
  const kind = { name: 'ipxe-script', access: 'machine' } as const;
  return [
    { ...kind, prefix: '/ipxe/script/', handle: ofMachine },
    ...HOOK_PATHS.map((prefix) => ({ ...kind, prefix, handle: hookIpxe })),
  ];

  function ofMachine(request: HttpRequest, { peer }: HttpContext): Response {
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
    const machine = machineIn(decodedPathOf(request.url));
    if (machine === undefined) return notFound(`only ${SCRIPT_NAME} was found`);
    const address = clientOf(request, peer.address, config.trustedProxies);
    return answer(parseMac(machine) ?? macAt(view, address), address, false);
  }

  async function hookIpxe(request: HttpRequest, { peer }: HttpContext): Promise<Response | undefined> {
    if (!HOOK_PATHS.includes(pathNameOf(request.url))) return undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') return methodNotAllowed();
    const own = await files.ownHookIpxe();
    if (own !== undefined) {
      const text = decodeUtf8(await own.slice(0, own.sizeBytes));
      return text === undefined ? plain(500, `${HOOK_IPXE} is not UTF-8; save it as UTF-8`) : plainText(text);
    }
    const address = clientOf(request, peer.address, config.trustedProxies);
    return answer(macAt(view, address), address, true);
  }

  function answer(mac: Mac | undefined, address: string, isForAll: boolean): Response {
    const decision = decide(mac, address, isForAll);
    report(decision, mac, address);
    return answerOf(decision);
  }

  function report(decision: ScriptDecision | Unusable, mac: Mac | undefined, peer: string): void {
    const isServed = decision.kind === 'script';
    const outcome = isServed ? decision.name : decision.reason;
    const detail = 'message' in decision ? decision.message : outcome;
    metrics.ipxeScripts.add({ outcome });
    log.debug('iPXE script requested', { mac, peer, outcome, detail });
    if (mac === undefined || outcome === 'no-hardware' || !gate.passes(`${mac} ${outcome}`)) return;
    journal.append({
      source: 'http',
      event: isServed ? 'script-served' : 'script-refused',
      machine: mac,
      message: isServed ? `iPXE script served: ${outcome}` : `no iPXE script: ${detail}`,
      details: { outcome },
    });
  }
}

/** Returns the element before the script's name, or undefined for another name. */
function machineIn(path: string | undefined): string | undefined {
  if (path?.endsWith(SCRIPT_END) !== true) return undefined;
  const end = path.length - SCRIPT_END.length;
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
}

/** Behind a trusted proxy, the address that the proxy names. Otherwise the socket's address, whatever a header says. */
function clientOf(request: HttpRequest, peer: string, trustedProxies: BootConfig['trustedProxies']): string {
  const forwardedFor = request.headers.get('x-forwarded-for');
  // A socket's IPv4 address is already written as in Hardware.
  if (forwardedFor === null && !peer.includes(':')) return peer;
  const client = clientAddressOf({ peer, forwardedFor }, trustedProxies);
  return client.ok ? client.text : peer;
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
