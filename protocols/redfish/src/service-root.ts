/** The schema ServiceRoot: the entry to all resources. */
import { linkIn } from './links.ts';
import { booleanIn, objectIn, textIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';

/** The only path that clients may know in advance (DSP0266, section "Redfish-defined URIs"). The slash avoids a redirect. */
export const SERVICE_ROOT_PATH = '/redfish/v1/';

export interface ServiceRoot {
  readonly version: string | undefined;
  readonly vendor: string | undefined;
  readonly product: string | undefined;
  /** Names of the vendors that extend the service. */
  readonly oem: readonly string[];
  readonly systems: string | undefined;
  readonly managers: string | undefined;
  readonly chassis: string | undefined;
  readonly sessions: string | undefined;
  readonly sessionService: string | undefined;
  /** `$expand=.` returns the members of a collection with it. */
  readonly canExpand: boolean;
}

export function serviceRootOf(resource: RedfishObject): ServiceRoot {
  const expand = objectIn(objectIn(resource, 'ProtocolFeaturesSupported'), 'ExpandQuery');
  return {
    version: textIn(resource, 'RedfishVersion'),
    vendor: textIn(resource, 'Vendor'),
    product: textIn(resource, 'Product'),
    oem: Object.keys(objectIn(resource, 'Oem') ?? {}),
    systems: linkIn(resource, 'Systems'),
    managers: linkIn(resource, 'Managers'),
    chassis: linkIn(resource, 'Chassis'),
    sessions: linkIn(objectIn(resource, 'Links'), 'Sessions'),
    sessionService: linkIn(resource, 'SessionService'),
    canExpand: booleanIn(expand, 'NoLinks') === true || booleanIn(expand, 'ExpandAll') === true,
  };
}
