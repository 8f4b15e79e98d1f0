import { EC2_VERSIONS } from '@tinkerbell/instance-metadata';
import {
  pathElementsOf,
  pathNameOf,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { answerForSession } from './agent-session.ts';
import { pathUnknown, responseTo } from './answer.ts';
import type { MetadataConfig, MetadataDeps } from './config.ts';
import {
  answerDiskLayout,
  createConfigEndpoint,
  createEc2Endpoint,
  createInstanceEndpoint,
  createNocloudEndpoint,
  phoneHomeEndpoint,
  type Endpoint,
} from './endpoints.ts';
import { createRequestTimeline, type RequestTimeline } from './request-timeline.ts';
import { createSessionGate } from './session-gate.ts';
import { visitorOf } from './visitor.ts';

/**
 * Instance metadata: EC2's tree, NoCloud's documents, rootio's disk layout, and the call of a machine that is ready. A
 * machine is known by the address it asks from, and is told nothing about any other. Answers from the view alone.
 */
export function createMetadataService(deps: MetadataDeps, config: MetadataConfig): Service {
  const timeline = createRequestTimeline(deps);
  const ended = Promise.withResolvers<void>();
  return {
    name: 'metadata',
    routes: routesFor(deps, config, timeline),
    async start(signal) {
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health() {
      const counters = timeline.counters();
      if (deps.view.ready()) return { ready: true, counters };
      return { ready: false, reason: 'the view of the store is not filled yet', counters };
    },
  };
}

const IGNITION = { kind: 'ignition', contentType: 'application/vnd.coreos.ignition+json' } as const;
const TALOS = { kind: 'talos', contentType: 'application/yaml' } as const;

function routesFor(deps: MetadataDeps, config: MetadataConfig, timeline: RequestTimeline): HttpRoute[] {
  const gate = createSessionGate(deps, config);
  const ec2 = createEc2Endpoint(gate);
  const endpoints: readonly (readonly [name: string, path: string, endpoint: Endpoint])[] = [
    ...EC2_VERSIONS.map((version) => ['metadata-ec2', `/${version}`, ec2] as const),
    ['metadata-nocloud', '/nocloud', createNocloudEndpoint(deps.view, gate)],
    ['metadata-ignition', '/ignition', createConfigEndpoint(deps.view, gate, IGNITION)],
    ['metadata-talos', '/talos', createConfigEndpoint(deps.view, gate, TALOS)],
    ['metadata-disk-layout', '/metadata', answerDiskLayout],
    ['metadata-phone-home', '/phone-home', phoneHomeEndpoint],
    ...(config.instanceEndpoint
      ? ([['metadata-instance', '/tootles/instanceID', createInstanceEndpoint(deps.view)]] as const)
      : []),
  ];
  return endpoints.map(([name, prefix, endpoint]) => ({
    name,
    prefix,
    handle: async (request: HttpRequest, context: HttpContext) => {
      const pathname = pathNameOf(request.url);
      if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) return undefined;
      const { answer, visitor } = await answerAt({ request, context, endpoint, prefix });
      timeline.record(answer, { path: pathname, ...(visitor === undefined ? {} : { visitor }) });
      return responseTo(answer);
    },
  }));

  async function answerAt(at: {
    readonly request: HttpRequest;
    readonly context: HttpContext;
    readonly endpoint: Endpoint;
    readonly prefix: string;
  }) {
    const { request, context, endpoint, prefix } = at;
    const visit = visitorOf(request, context.peer, {
      view: deps.view,
      trustedProxies: config.trustedProxies,
    });
    if (!visit.ok) {
      const text = `${visit.error}\n`;
      return { answer: { kind: 'unknown-path', outcome: 'address-unparsable', text } as const };
    }
    const { visitor } = visit;
    const elements = pathElementsOf(request.url);
    if (elements === undefined) return { answer: pathUnknown, visitor };
    const path = elements.slice(prefix.split('/').length - 1);
    const answer = await endpoint({ request, path, visitor });
    return { answer: await answerForSession(deps, config, { request, visitor, answer }), visitor };
  }
}
