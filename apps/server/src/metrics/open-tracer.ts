/** Traces, where a collector is named: by flag, or as every program with OpenTelemetry takes it from the environment. */
import { noTracer, type Clock, type Log, type Tracer } from '@tinkerbell/platform-contract';
import { SettingsError } from '../settings/settings-error.ts';

export interface TracingSettings {
  /** `host:port`, or a URL that says whether there is TLS; empty: as the environment says. */
  readonly endpoint: string;
  /** No TLS to a `host:port`. */
  readonly isInsecure: boolean;
}

const ENVIRONMENT = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** Closed by `cleanup`, after what is left was sent. Throws a SettingsError that names flag or variable. */
export async function openTracer(
  { endpoint, isInsecure }: TracingSettings,
  deps: { readonly clock: Clock; readonly log: Log; readonly version: string },
  cleanup: AsyncDisposableStack,
): Promise<Tracer> {
  const url = collectorUrl({ endpoint, isInsecure }, process.env);
  if (url === undefined) return noTracer;
  const { createOtlpTracer } = await import('@tinkerbell/platform-telemetry/traces');
  const tracer = createOtlpTracer(deps, { url, version: deps.version });
  cleanup.defer(() => tracer.close());
  return tracer;
}

/** Undefined when no collector is named. */
export function collectorUrl(
  { endpoint, isInsecure }: TracingSettings,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const variable = ENVIRONMENT.find((name) => (environment[name] ?? '') !== '');
  const [given, source] =
    endpoint === '' && variable !== undefined
      ? [environment[variable] ?? '', variable]
      : [endpoint, '--otel-endpoint'];
  if (given === '') return undefined;
  const url = URL.parse(/^https?:\/\//.test(given) ? given : `${isInsecure ? 'http' : 'https'}://${given}`);
  if (url === null || url.hostname === '' || url.username !== '' || url.password !== '')
    throw new SettingsError(
      `${source} must be host:port or an http or https URL of the collector, not ${JSON.stringify(given)}`,
    );
  return url.origin;
}
