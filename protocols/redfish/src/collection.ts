/** Resource collections, which a service may send in pages (DSP0266, section "Resource collection responses"). */
import { pathOf } from './links.ts';
import { memberOf, objectsIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';

export interface CollectionPage {
  /** References, or whole resources when the service expanded them. */
  readonly members: readonly RedfishObject[];
  /** The path of the next page. */
  readonly next: string | undefined;
}

export function collectionOf(resource: RedfishObject): CollectionPage {
  return {
    members: objectsIn(resource, 'Members'),
    next: pathOf(memberOf(resource, 'Members@odata.nextLink')),
  };
}
