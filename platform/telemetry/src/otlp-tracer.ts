/** Sends traces by OTLP over gRPC. The SDK is loaded only here, so a server without a collector does not pay for its memory. */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as SdkSpan,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock, Log, Span, SpanContext, SpanOptions, Tracer } from '@tinkerbell/platform-contract';
import { MachineTraces } from './machine-traces.ts';

export interface OtlpOptions {
  /** The URL of the collector: `http://` without TLS, `https://` with TLS. */
  readonly url: string;
  readonly version: string;
}

export interface CollectedTracer extends Tracer {
  /** Sends the remaining spans, for at most the time that one export may take. */
  close(): Promise<void>;
}

/**
 * The number of spans buffered while the collector is slow or unreachable. Further spans are dropped. A span takes about 1 KiB.
 */
const QUEUE_MAX = 8192;
const BATCH_MAX = 512;
const EVERY_MS = 1000;
const EXPORT_MS = 5000;

export function createOtlpTracer(
  deps: { readonly clock: Clock; readonly log: Log },
  options: OtlpOptions,
): CollectedTracer {
  const exporter = new OTLPTraceExporter({ url: options.url, timeoutMillis: EXPORT_MS });
  const processor = new BatchSpanProcessor({
    exporter: toldOnce(exporter, options.url, deps.log),
    maxQueueSize: QUEUE_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: EXPORT_MS,
  });
  const resource = resourceFromAttributes({
    'service.name': 'tinkerbell',
    'service.version': options.version,
  });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const sdk = provider.getTracer('tinkerbell', options.version);
  const machines = new MachineTraces(deps.clock);
  return {
    isOn: true,
    startSpan(name, given = {}) {
      const { machine, beginsBoot = false } = given;
      const parent =
        given.parent ?? (machine === undefined ? undefined : machines.parentOf(machine, beginsBoot));
      const span = sdk.startSpan(name, sdkOptions(deps.clock, given), contextOf(parent));
      if (parent === undefined && machine !== undefined) machines.begun(machine, span.spanContext());
      return spanOf(span);
    },
    async close() {
      // An unreachable collector must not prevent the shutdown.
      await provider.shutdown().catch(() => undefined);
    },
  };
}

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

function sdkOptions(clock: Clock, { kind = 'internal', agoMs = 0, machine, attributes }: SpanOptions) {
  return {
    kind: kinds[kind],
    attributes: { ...attributes, ...(machine === undefined ? {} : { 'machine.mac': machine }) },
    ...(agoMs === 0 ? {} : { startTime: new Date(clock.nowMs() - agoMs) }),
  };
}

function contextOf(parent: SpanContext | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

function spanOf(span: SdkSpan): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    context: { traceId, spanId },
    setAttribute: (name, value) => void span.setAttribute(name, value),
    fail: (message) => void span.setStatus({ code: SpanStatusCode.ERROR, message }),
    end: () => span.end(),
  };
}

/** Logs when the collector becomes unreachable and when it is back, not for each batch. */
function toldOnce(exporter: SpanExporter, url: string, log: Log): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        // The SDK's core package defines the codes but is not a dependency. A failure includes its error.
        const failed = result.error !== undefined;
        if (failed && !isAway)
          log.warn('the trace collector does not accept traces', {
            url,
            reason: result.error?.message ?? '',
          });
        if (!failed && isAway) log.info('the trace collector accepts traces again', { url });
        isAway = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
