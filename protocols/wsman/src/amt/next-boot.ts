/**
 * What the firmware reports of the next boot (Intel AMT SDK, "Get the Boot Configuration for the next Boot" and "Get Boot Details for a
 * Boot Configuration Setting Instance").
 */
import { className } from '../envelope.ts';
import { childOf, childText, findElement, type XmlElement } from '../xml/xml-element.ts';
import { bootSourceOf, IDER_DEVICE, type AmtBootSource } from './boot.ts';
import { urlInParameters } from './uefi-boot-parameters.ts';

/** `IsNext` of CIM_ElementSettingData: the configuration applies to the next boot, and to no other one. */
const NEXT_SINGLE_USE = '3';

/** `setup`: the menu of the firmware. `redirected-cd`: the drive of a session. `unknown`: a source that this client does not know. */
export type AmtNextBoot =
  | { readonly kind: 'as-usual' | 'setup' | 'redirected-cd' | 'unknown' }
  | { readonly kind: 'source'; readonly source: AmtBootSource; readonly url: string | undefined };

/** `associations`: all instances of CIM_ElementSettingData. */
export function isNextBoot(associations: readonly XmlElement[]): boolean {
  return associations.some(
    (one) =>
      childText(one, 'IsNext') === NEXT_SINGLE_USE &&
      referenceIn(childOf(one, 'SettingData')).className === 'CIM_BootConfigSetting',
  );
}

/** Of a configuration that applies to the next boot. `components`: all instances of CIM_OrderedComponent. */
export function nextBootOf(components: readonly XmlElement[], settings: XmlElement): AmtNextBoot {
  const [first] = components
    .map((one) => ({
      ...referenceIn(childOf(one, 'PartComponent')),
      place: Number(childText(one, 'AssignedSequence') ?? 0),
    }))
    // 0: not used.
    .filter((part) => part.className === 'CIM_BootSourceSetting' && part.place > 0)
    .toSorted((left, right) => left.place - right.place);
  if (first === undefined) return { kind: kindWithoutSource(settings) };
  const source = bootSourceOf(first.instanceId);
  if (source === undefined) return { kind: 'unknown' };
  return { kind: 'source', source, url: source === 'https' ? urlIn(settings) : undefined };
}

function kindWithoutSource(settings: XmlElement): Exclude<AmtNextBoot['kind'], 'source'> {
  if (childText(settings, 'UseIDER') === 'true')
    return childText(settings, IDER_DEVICE.name) === IDER_DEVICE.cd ? 'redirected-cd' : 'unknown';
  return childText(settings, 'BIOSSetup') === 'true' ? 'setup' : 'as-usual';
}

/** Whether the firmware boots from URLs. `disabled`: it could, and the settings of the firmware forbid it. */
export function httpsBootSupport(settings: XmlElement): 'enabled' | 'disabled' | 'absent' {
  const enabled = childText(settings, 'UEFIHTTPSBootEnabled');
  if (enabled === undefined) return 'absent';
  return enabled === 'true' ? 'enabled' : 'disabled';
}

/** Undefined: the firmware does not show the parameters, or they cannot be read. */
function urlIn(settings: XmlElement): string | undefined {
  try {
    return urlInParameters(Uint8Array.fromBase64(childText(settings, 'UefiBootParametersArray') ?? ''));
  } catch {
    return undefined;
  }
}

function referenceIn(reference: XmlElement | undefined) {
  const resource = reference && findElement(reference, 'ResourceURI')?.text;
  const selector = reference && findElement(reference, 'Selector')?.text;
  return { className: className(resource ?? ''), instanceId: selector ?? '' };
}
