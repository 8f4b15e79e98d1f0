/** Operations of a resource (DSP0266, section "Actions", and the schema ActionInfo). */
import { pathOf } from './links.ts';
import { memberOf, objectIn, objectsIn, textIn, textsIn } from './members.ts';
import type { RedfishObject } from './redfish-json.ts';

export interface RedfishAction {
  readonly target: string;
  /** A resource with the allowed values, for services that do not list them in the action. */
  readonly actionInfo: string | undefined;
  readonly fields: RedfishObject;
}

/** Returns the action `#name` of a resource. Undefined: the service does not have it, or its target is not a path. */
export function actionOf(resource: RedfishObject, name: string): RedfishAction | undefined {
  const fields = objectIn(objectIn(resource, 'Actions'), `#${name}`);
  const target = pathOf(memberOf(fields, 'target'));
  if (fields === undefined || target === undefined) return undefined;
  return { target, actionInfo: pathOf(memberOf(fields, '@Redfish.ActionInfo')), fields };
}

/** The allowed values of a member or of a parameter of an action. Undefined: the service does not list them. */
export function allowedIn(holder: RedfishObject | undefined, name: string): readonly string[] | undefined {
  return textsIn(holder, `${name}@Redfish.AllowableValues`);
}

/** The allowed values of a parameter, from an ActionInfo resource. */
export function allowedByActionInfo(info: RedfishObject, parameter: string): readonly string[] | undefined {
  const found = objectsIn(info, 'Parameters').find((one) => textIn(one, 'Name') === parameter);
  return textsIn(found, 'AllowableValues');
}
