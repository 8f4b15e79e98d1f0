/** The schema VirtualMedia: a drive whose contents come over the network. */
import { actionOf, type RedfishAction } from './action.ts';
import { idOf } from './links.ts';
import { booleanIn, textIn, textsIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';

export interface VirtualMedia {
  readonly path: string | undefined;
  readonly id: string | undefined;
  /** `CD`, `DVD`, `Floppy`, `USBStick`. */
  readonly types: readonly string[];
  readonly image: string | undefined;
  /** Undefined: the service does not report it. */
  readonly isInserted: boolean | undefined;
  readonly insert: RedfishAction | undefined;
  readonly eject: RedfishAction | undefined;
}

export function virtualMediaOf(resource: RedfishObject): VirtualMedia {
  return {
    path: idOf(resource),
    id: textIn(resource, 'Id'),
    types: textsIn(resource, 'MediaTypes') ?? [],
    image: textIn(resource, 'Image'),
    isInserted: booleanIn(resource, 'Inserted'),
    insert: actionOf(resource, 'VirtualMedia.InsertMedia'),
    eject: actionOf(resource, 'VirtualMedia.EjectMedia'),
  };
}
