/** The manifests that register BMCs which a search has found. */
import type { FoundBmc } from '@tinkerbell/engine-bmc';
import { apiVersionOf, bmcMachineKind } from '@tinkerbell/resources';

const SECRET = 'bmc-login';
const STANDARD_PORTS = { ipmi: 623, redfish: 443 };

interface Place {
  readonly namespace: string;
  readonly ports: { readonly ipmi: number; readonly redfish: number };
}

/** One Secret for all, and a Machine for each. Certificates are verified: pin them, or start with `--bmc-trust-first-use`. */
export function bmcManifests(found: readonly FoundBmc[], place: Place): readonly object[] {
  if (found.length === 0) return [];
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: SECRET, namespace: place.namespace },
    // `tink apply` refuses these until they have been edited.
    stringData: { username: 'REPLACE-WITH-THE-USERNAME', password: 'REPLACE-WITH-THE-PASSWORD' },
  };
  return [secret, ...found.map((bmc) => machineOf(bmc, place))];
}

function machineOf({ address, hasIpmi, redfish }: FoundBmc, { namespace, ports }: Place): object {
  const preferredOrder = [...(redfish === undefined ? [] : ['gofish']), ...(hasIpmi ? ['ipmitool'] : [])];
  const providerOptions = {
    preferredOrder,
    ...(redfish === undefined || ports.redfish === STANDARD_PORTS.redfish
      ? {}
      : { redfish: { port: ports.redfish } }),
    ...(!hasIpmi || ports.ipmi === STANDARD_PORTS.ipmi ? {} : { ipmitool: { port: ports.ipmi } }),
  };
  return {
    apiVersion: apiVersionOf(bmcMachineKind),
    kind: bmcMachineKind.kind,
    metadata: { name: `bmc-${address.replaceAll('.', '-')}`, namespace },
    spec: {
      connection: {
        host: address,
        insecureTLS: false,
        authSecretRef: { name: SECRET, namespace },
        providerOptions,
      },
    },
  };
}
