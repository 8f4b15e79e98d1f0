import { distributionStatus, encodeErrors, OciError, type DistributionErrorCode } from '@tinkerbell/oci';
import { PlatformError, WholeResponse } from '@tinkerbell/platform-contract';

/** Codes of our own, for what the specification does not name. */
const ownStatus = { STORAGE_FULL: 507, UNAVAILABLE: 503, UPSTREAM_UNAVAILABLE: 502 } as const;
const statusOf = { ...distributionStatus, ...ownStatus };

export type RegistryErrorCode = DistributionErrorCode | keyof typeof ownStatus;

interface Details {
  /** Default: the status of the code. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is answered with an error of the distribution specification. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  readonly code: RegistryErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RegistryErrorCode, message: string, { status, headers = {} }: Details = {}) {
    super(message);
    this.code = code;
    this.status = status ?? statusOf[code];
    this.headers = headers;
  }
}

export function errorResponse({ code, message, status, headers }: RegistryError): Response {
  return new WholeResponse(encodeErrors([{ code, message }]), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Returns undefined for a failure that is a bug. */
export function registryErrorOf(thrown: unknown): RegistryError | undefined {
  if (thrown instanceof RegistryError) return thrown;
  if (thrown instanceof OciError) return new RegistryError('MANIFEST_INVALID', thrown.message);
  if (!(thrown instanceof PlatformError)) return undefined;
  if (thrown.code === 'disk-full') return new RegistryError('STORAGE_FULL', thrown.message);
  return new RegistryError('UNAVAILABLE', 'the files of the registry are temporarily unreadable', {
    headers: { 'retry-after': '5' },
  });
}
