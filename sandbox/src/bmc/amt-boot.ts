/** The next boot of a simulated machine with Intel AMT: its settings, its boot source, and the associations that report them. */
import type { BootFlags } from '@tinkerbell/ipmi';
import { className, urlInParameters, xmlText, type XmlElement } from '@tinkerbell/wsman';
import {
  BOOT_SETTINGS,
  BOOT_SOURCES,
  HTTPS_SOURCE,
  READ_ONLY_SETTINGS,
  type AmtMembers,
} from './amt-instances.ts';
import type { AmtLies } from './amt-lies.ts';
import type { RedfishSimulatedMachine } from './redfish-machine.ts';

const CIM = 'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2';
/** The return value for a parameter that is not known. */
const INVALID = 5;
const ROLES = { nextBoot: '1', none: '32768' } as const;

export class AmtBoot {
  readonly #machine: RedfishSimulatedMachine;
  readonly #lies: AmtLies;
  #settings: AmtMembers = BOOT_SETTINGS;
  #source: string | undefined;

  constructor(machine: RedfishSimulatedMachine, lies: AmtLies) {
    this.#machine = machine;
    this.#lies = lies;
  }

  /** The members of AMT_BootSettingData. */
  get settings(): AmtMembers {
    const { httpsBoot, hidesUrl } = this.#lies;
    return this.#settings
      .filter(([name]) => httpsBoot !== 'absent' || !name.startsWith('UEFI'))
      .map(([name, value]) => {
        const isHidden = name === 'UefiBootParametersArray' && hidesUrl === true;
        const isDisabled = name === 'UEFIHTTPSBootEnabled' && httpsBoot === 'disabled';
        if (isDisabled) return [name, 'false'];
        return [name, isHidden ? '' : value];
      });
  }

  /** Returns why the change is refused, or undefined. */
  change(given: XmlElement): string | undefined {
    const values = new Map(given.children.map(({ name, text }) => [name, text]));
    const readOnly = READ_ONLY_SETTINGS.find((name) => values.has(name));
    if (readOnly !== undefined) return `${readOnly} is read-only`;
    if (this.#source !== undefined) return 'a boot source is chosen';
    if (this.#lies.ignoresBoot !== true)
      this.#settings = BOOT_SETTINGS.map(([name, value]) => [name, values.get(name) ?? value]);
    return undefined;
  }

  /** Returns what `ChangeBootOrder` does. */
  setSource(source: string | undefined): number {
    if (source !== undefined && !(source in BOOT_SOURCES)) return INVALID;
    if (this.#lies.ignoresBoot !== true) this.#source = source;
    return 0;
  }

  /** Returns what `SetBootConfigRole` does. */
  setRole(role: string): number {
    if (role !== ROLES.nextBoot && role !== ROLES.none) return INVALID;
    if (this.#lies.ignoresBoot === true) return 0;
    const device = this.#device();
    const isSet = role === ROLES.nextBoot && device !== undefined;
    this.#machine.bootFlags = isSet ? { isValid: true, device, isPersistent: false, isEfi: true } : undefined;
    this.#machine.bootsRedirectedDisc = isSet && this.#source === undefined && device === 'cdrom';
    this.#machine.httpBootUri = isSet && this.#source === HTTPS_SOURCE ? this.#url() : undefined;
    return 0;
  }

  /** Undefined: none is set. */
  #device(): BootFlags['device'] | undefined {
    if (this.#value('BIOSSetup') === 'true') return 'bios';
    if (this.#source !== undefined) return BOOT_SOURCES[this.#source];
    return this.#value('UseIDER') === 'true' && this.#value('IDERBootDevice') === '1' ? 'cdrom' : undefined;
  }

  /** The items of an enumeration, as XML. Undefined: of another class. */
  itemsOf(name: string): string | undefined {
    if (name === 'CIM_ElementSettingData') return this.#associations();
    return name === 'CIM_OrderedComponent' ? this.#components() : undefined;
  }

  #associations(): string {
    const isNext = this.#machine.bootFlags === undefined ? '2' : '3';
    const network = referenceText('AMT_EthernetPortSettings', 'Intel(r) AMT Ethernet Port Settings 0');
    const boot = referenceText('CIM_BootConfigSetting', 'Intel(r) AMT: Boot Configuration 0');
    return [
      itemText('CIM_ElementSettingData', { IsNext: '1', SettingData: network }),
      itemText('CIM_ElementSettingData', { IsNext: isNext, SettingData: boot }),
    ].join('');
  }

  #components(): string {
    return Object.keys(BOOT_SOURCES)
      .map((source) =>
        itemText('CIM_OrderedComponent', {
          AssignedSequence: source === this.#source ? '1' : '0',
          PartComponent: referenceText('CIM_BootSourceSetting', source),
        }),
      )
      .join('');
  }

  #url(): string | undefined {
    return urlInParameters(Buffer.from(this.#value('UefiBootParametersArray') ?? '', 'base64'));
  }

  #value(name: string): string | undefined {
    return this.#settings.find(([member]) => member === name)?.[1];
  }
}

function itemText(name: string, members: Readonly<Record<string, string>>): string {
  const inner = Object.entries(members).map(([member, value]) => `<g:${member}>${value}</g:${member}>`);
  return `<g:${name} xmlns:g="${CIM}/${name}">${inner.join('')}</g:${name}>`;
}

function referenceText(resource: string, instanceId: string): string {
  const selector = `<w:SelectorSet><w:Selector Name="InstanceID">${xmlText(instanceId)}</w:Selector></w:SelectorSet>`;
  const uri = `<w:ResourceURI>${CIM}/${className(resource)}</w:ResourceURI>`;
  return `<b:Address xmlns:b="http://schemas.xmlsoap.org/ws/2004/08/addressing">anonymous</b:Address><b:ReferenceParameters xmlns:b="http://schemas.xmlsoap.org/ws/2004/08/addressing" xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd">${uri}${selector}</b:ReferenceParameters>`;
}
