/** Traces record what happened for one boot of a machine, or for one request, and how long each step took. */

/** The position of a span in its trace (W3C Trace Context), in lower-case hexadecimal. */
export interface SpanContext {
  /** The trace id, 32 digits. */
  readonly traceId: string;
  /** The span id, 16 digits. */
  readonly spanId: string;
}

export type SpanAttribute = string | number | boolean;
/** Attributes never hold a secret: they are sent to a collector that others read. */
export type SpanAttributes = Readonly<Record<string, SpanAttribute | undefined>>;

export interface SpanOptions {
  /** The span that caused this one. */
  readonly parent?: SpanContext | undefined;
  /**
   * For a span without a parent: the MAC of the machine. The span joins the trace of the machine's current boot, or starts one.
   */
  readonly machine?: string | undefined;
  /** The span is the first step of a boot. A repetition within a minute does not start another boot. */
  readonly beginsBoot?: boolean;
  readonly kind?: 'internal' | 'server' | 'client';
  /** The span began this many milliseconds ago. */
  readonly agoMs?: number;
  readonly attributes?: SpanAttributes;
}

export interface Span {
  readonly context: SpanContext;
  setAttribute(name: string, value: SpanAttribute): void;
  /** `message` is written for people and holds no secret. */
  fail(message: string): void;
  end(): void;
}

export interface Tracer {
  /** False without a collector. Callers can then skip preparing the attributes of a span. */
  readonly isOn: boolean;
  startSpan(name: string, options?: SpanOptions): Span;
}

const nobody: Span = {
  context: { traceId: '0'.repeat(32), spanId: '0'.repeat(16) },
  setAttribute: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

/** The tracer that is used when no collector is configured. */
export const noTracer: Tracer = { isOn: false, startSpan: () => nobody };

/**
 * Parses the header `traceparent`. Returns undefined when it is invalid or has all-zero ids. A newer version is read as far as
 * its format is known.
 */
export function parseTraceparent(text: string | null | undefined): SpanContext | undefined {
  const match = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(?:-.*)?$/.exec(text ?? '');
  const [, traceId = '', spanId = ''] = match ?? [];
  if (match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId };
}

/** Returns the header `traceparent` (W3C Trace Context, section 3.2), with the sampled flag set. */
export function traceparentOf({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}
