/** Traces: what happened for one boot of a machine, or one request, with how long each step took. */

/** The place of a step in its trace (W3C Trace Context). Lower-case hexadecimal. */
export interface SpanContext {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
}

export type SpanAttribute = string | number | boolean;
/** Never a secret: they leave for a collector that others read. */
export type SpanAttributes = Readonly<Record<string, SpanAttribute | undefined>>;

export interface SpanOptions {
  /** Who caused it. */
  readonly parent?: SpanContext | undefined;
  /** Without a parent: the MAC of the machine, whose trace of its present boot it joins, or begins. */
  readonly machine?: string | undefined;
  /** It is the first step of a boot; one that repeats it within a minute is not. */
  readonly beginsBoot?: boolean;
  readonly kind?: 'internal' | 'server' | 'client';
  /** It began so many milliseconds ago. */
  readonly agoMs?: number;
  readonly attributes?: SpanAttributes;
}

export interface Span {
  readonly context: SpanContext;
  setAttribute(name: string, value: SpanAttribute): void;
  /** `message` is for people, and holds no secret. */
  fail(message: string): void;
  end(): void;
}

export interface Tracer {
  /** False when nobody collects: what a span would tell need not be put together then. */
  readonly isOn: boolean;
  startSpan(name: string, options?: SpanOptions): Span;
}

const nobody: Span = {
  context: { traceId: '0'.repeat(32), spanId: '0'.repeat(16) },
  setAttribute: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** Where no collector is named. */
export const noTracer: Tracer = { isOn: false, startSpan: () => nobody };

/** The header `traceparent`; undefined when it is none, or one of nothing. A newer version is read as far as it is known. */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const match = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/.exec(text ?? '');
  const [, traceId = '', spanId = ''] = match ?? [];
  if (match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId };
}

/** The header `traceparent` (W3C Trace Context, section 3.2), sampled. */
export function traceparentOf({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}
