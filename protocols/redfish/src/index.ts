export { isObject, parseRedfishJson, type RedfishObject } from './redfish-json.ts';
export { booleanIn, memberOf, numberIn, objectIn, objectsIn, textIn, textsIn } from './members.ts';
export { idOf, linkIn, linksIn, pathOf, pathOfLocation } from './links.ts';
export { messagesOf, type RedfishMessage } from './redfish-error.ts';
export { actionOf, allowedByActionInfo, allowedIn, type RedfishAction } from './action.ts';
export { SERVICE_ROOT_PATH, serviceRootOf, type ServiceRoot } from './service-root.ts';
export { collectionOf, type CollectionPage } from './collection.ts';
export {
  bootOfSettings,
  computerSystemOf,
  type BootOverride,
  type ComputerSystem,
} from './computer-system.ts';
export { virtualMediaOf, type VirtualMedia } from './virtual-media.ts';
export {
  eventDestinationOf,
  eventServiceOf,
  RECEIVED_EVENTS_MAX,
  receivedEventsOf,
  subscriptionBody,
  type EventService,
  type RedfishEvent,
} from './event-service.ts';
export { taskOf, type RedfishTask, type TaskOutcome } from './task.ts';
export {
  decodeSsdpAnswer,
  encodeSsdpSearch,
  SSDP_GROUP_IPV4,
  SSDP_GROUP_IPV6,
  SSDP_PORT,
  type RedfishService,
} from './ssdp.ts';
