import { EC2_VERSIONS } from '@tinkerbell/instance-metadata';
import {
  decodedPathOf,
  pathNameOf,
  whenReady,
  type Awaitable,
  type HttpContext,
  type HttpRequest,
  type HttpRoute,
  type Service,
} from '@tinkerbell/platform-contract';
import { MetricSet } from '@tinkerbell/platform-metrics';
import { answerForSession } from './agent-session.ts';
import { pathUnknown, responseTo, type Answer } from './answer.ts';
import { CONFIG_KINDS } from './config-documents.ts';
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
import { createMetadataMetrics } from './metrics.ts';
import { createRequestTimeline, type RequestTimeline } from './request-timeline.ts';
import { createSessionGate } from './session-gate.ts';
import { visitorOf, type Visitor } from './visitor.ts';

/**
 * Instance metadata: EC2's tree, NoCloud's documents, the configuration of installers, rootio's disk layout, and the call of a machine that is ready. A machine is
 * identified by its source address, and gets no data of any other machine. Answers come only from the view.
 */
export function createMetadataService(deps: MetadataDeps, config: MetadataConfig): Service {
  const set = new MetricSet();
  const timeline = createRequestTimeline(deps, createMetadataMetrics(set));
  const ended = Promise.withResolvers<void>();
  return {
    name: 'metadata',
    routes: routesFor(deps, config, timeline),
    metrics: set,
    async start(signal) {
      if (signal.aborted) ended.resolve();
      else signal.addEventListener('abort', () => ended.resolve(), { once: true });
    },
    stopped: () => ended.promise,
    health() {
      if (deps.view.ready()) return { ready: true };
      return { ready: false, reason: 'the view of the store is not filled yet' };
    },
  };
}

function routesFor(deps: MetadataDeps, config: MetadataConfig, timeline: RequestTimeline): HttpRoute[] {
  const { trustedProxies } = config;
  const gate = createSessionGate(deps, config);
  const ec2 = createEc2Endpoint(gate);
  const endpoints: readonly (readonly [name: string, path: string, endpoint: Endpoint])[] = [
    ...EC2_VERSIONS.map((version) => ['metadata-ec2', `/${version}`, ec2] as const),
    ['metadata-nocloud', '/nocloud', createNocloudEndpoint(deps.view, gate)],
    ...CONFIG_KINDS.map(
      (kind) => [`metadata-${kind}`, `/${kind}`, createConfigEndpoint(deps.view, gate, kind)] as const,
    ),
    ['metadata-disk-layout', '/metadata', answerDiskLayout],
    ['metadata-phone-home', '/phone-home', phoneHomeEndpoint],
    ...(config.instanceEndpoint
      ? ([['metadata-instance', '/tootles/instanceID', createInstanceEndpoint(deps.view)]] as const)
      : []),
  ];
  return endpoints.map(([name, prefix, endpoint]) => {
    const directory = `${prefix}/`;
    return {
      name,
      prefix,
      access: 'machine',
      handle: (request: HttpRequest, context: HttpContext) => {
        const path = pathNameOf(request.url);
        if (path !== prefix && !path.startsWith(directory)) return undefined;
        const visit = visitorOf(request, context.peer, { view: deps.view, trustedProxies });
        const visitor = visit.ok ? visit.visitor : undefined;
        const answer = visit.ok
          ? answerAt(endpoint, directory, { request, visitor: visit.visitor })
          : ({ kind: 'unknown-path', outcome: 'address-unparsable', text: `${visit.error}\n` } as const);
        return whenReady(answer, (found: Answer) => {
          timeline.record(found, { path, visitor });
          return responseTo(found);
        });
      },
    };
  });

  function answerAt(
    endpoint: Endpoint,
    directory: string,
    { request, visitor }: { readonly request: HttpRequest; readonly visitor: Visitor },
  ): Awaitable<Answer> {
    const path = decodedPathOf(request.url);
    if (path === undefined) return pathUnknown;
    const answer = endpoint({ request, path: path.slice(directory.length), visitor });
    return whenReady(answer, (found) => answerForSession(deps, config, { request, visitor, answer: found }));
  }
}
