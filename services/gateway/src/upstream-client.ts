/** Asking one endpoint of an upstream. */
import type { Readable } from 'node:stream';
import type { Departure } from './departure.ts';
import type { HeaderFields } from './header-fields.ts';

export interface UpstreamRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly scheme: 'http' | 'https';
  readonly authority: string;
  readonly fields: HeaderFields;
  readonly body?: Readable;
  /** When it happens the request is given up. */
  readonly gone: Departure;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly fields: HeaderFields;
  /** Absent: the header fields were all there is. */
  readonly body?: Readable;
  /** After the end of the body. */
  readonly trailers: () => HeaderFields | undefined;
  /** True when the body has ended although not everything was there. */
  readonly isCut: () => boolean;
}

export interface UpstreamClient {
  /** Rejects with an UpstreamFailure. */
  ask(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Lets what is under way end. */
  close(): void;
}

export class UpstreamFailure extends Error {
  /** Nothing reached the upstream, or asking again does no harm. */
  readonly isRepeatable: boolean;

  constructor(message: string, isRepeatable: boolean) {
    super(message);
    this.isRepeatable = isRepeatable;
  }
}

/** Methods that change nothing (RFC 9110 9.2.1): asked twice, they do no harm. */
export function isSafe({ method, body }: UpstreamRequest): boolean {
  return body === undefined && ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

export const CONNECT_TIMEOUT_MS = 5000;
