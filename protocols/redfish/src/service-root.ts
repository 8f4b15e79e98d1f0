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
  readonly accountService: string | undefined;
  readonly eventService: string | undefined;
  /** With this query a collection has its members as whole resources. */
  readonly expandQuery: string | undefined;
}

export function serviceRootOf(resource: RedfishObject): ServiceRoot {
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
    accountService: linkIn(resource, 'AccountService'),
    eventService: linkIn(resource, 'EventService'),
    expandQuery: expandQueryOf(resource),
  };
}

/** Section "The $expand query parameter". A period leaves out the members of Links. The default is one level. */
function expandQueryOf(resource: RedfishObject): string | undefined {
  const expand = objectIn(objectIn(resource, 'ProtocolFeaturesSupported'), 'ExpandQuery');
  if (booleanIn(expand, 'NoLinks') === true) return '$expand=.';
  return booleanIn(expand, 'ExpandAll') === true ? '$expand=*' : undefined;
}
