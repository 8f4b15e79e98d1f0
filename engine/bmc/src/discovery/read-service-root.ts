/** Asks one address for the service root of Redfish, which needs no login (DSP0266). */
import { EndpointError, type EndpointHttp } from '@tinkerbell/platform-contract';
import { parseRedfishJson, SERVICE_ROOT_PATH, serviceRootOf, textIn } from '@tinkerbell/redfish';

export interface FoundRedfish {
  readonly version?: string;
  readonly vendor?: string;
  readonly product?: string;
  /** Stays the same when the address changes. */
  readonly uuid?: string;
}

/** A service root has 1 to 3 KB. */
const BYTES_MAX = 64 * 1024;

/** Returns undefined for a host without Redfish. Nothing secret is sent, so any certificate will do. */
export async function readServiceRoot(
  http: EndpointHttp,
  host: { readonly address: string; readonly port: number },
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<FoundRedfish | undefined> {
  const url = new URL(`https://${host.address}:${host.port}${SERVICE_ROOT_PATH}`);
  try {
    const trust = { kind: 'any' } as const;
    const answer = await http.request(url, { method: 'GET', trust, bytesMax: BYTES_MAX, ...limits });
    const resource = answer.status === 200 ? parseRedfishJson(answer.body) : undefined;
    if (resource?.ok !== true) return undefined;
    const { version, vendor, product, oem } = serviceRootOf(resource.value);
    if (version === undefined) return undefined;
    return withoutUndefined({
      version,
      vendor: vendor ?? oem[0],
      product,
      uuid: textIn(resource.value, 'UUID'),
    });
  } catch (thrown) {
    if (thrown instanceof EndpointError && thrown.code !== 'aborted') return undefined;
    throw thrown;
  }
}

function withoutUndefined(fields: Readonly<Record<keyof FoundRedfish, string | undefined>>): FoundRedfish {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
