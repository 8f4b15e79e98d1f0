/** The instances of a simulated machine with Intel AMT, by class: members in the order of the firmware. */
import type { BootFlags } from '@tinkerbell/ipmi';

export type AmtMembers = readonly (readonly [name: string, value: string])[];

export const BOOT_SETTINGS: AmtMembers = [
  ['BIOSLastStatus', '0'],
  ['BIOSPause', 'false'],
  ['BIOSSetup', 'false'],
  ['BootMediaIndex', '0'],
  ['ConfigurationDataReset', 'false'],
  ['ElementName', 'Intel(r) AMT Boot Configuration Settings'],
  ['FirmwareVerbosity', '0'],
  ['ForcedProgressEvents', 'false'],
  ['IDERBootDevice', '0'],
  ['InstanceID', 'Intel(r) AMT:BootSettingData 0'],
  ['LockKeyboard', 'false'],
  ['LockPowerButton', 'false'],
  ['LockResetButton', 'false'],
  ['LockSleepButton', 'false'],
  ['OptionsCleared', 'true'],
  ['OwningEntity', 'Intel(r) AMT'],
  ['RPEEnabled', 'false'],
  ['ReflashBIOS', 'false'],
  ['SecureBootControlEnabled', 'false'],
  ['SecureErase', 'false'],
  ['UEFIHTTPSBootEnabled', 'true'],
  ['UEFILocalPBABootEnabled', 'false'],
  ['UefiBootNumberOfParams', '0'],
  ['UefiBootParametersArray', ''],
  ['UseIDER', 'false'],
  ['UseSOL', 'true'],
  ['UseSafeMode', 'false'],
  ['UserPasswordBypass', 'false'],
  ['WinREBootEnabled', 'false'],
];

/** The firmware refuses a change that names them. */
export const READ_ONLY_SETTINGS: readonly string[] = [
  'BIOSLastStatus',
  'OptionsCleared',
  'RPEEnabled',
  'SecureBootControlEnabled',
  'UEFIHTTPSBootEnabled',
  'UEFILocalPBABootEnabled',
  'WinREBootEnabled',
];

/** As in a new machine: nothing is redirected. */
export const REDIRECTION: AmtMembers = [
  ['CreationClassName', 'AMT_RedirectionService'],
  ['ElementName', 'Intel(r) AMT Redirection Service'],
  ['EnabledState', '32768'],
  ['ListenerEnabled', 'false'],
  ['Name', 'Intel(r) AMT Redirection Service'],
  ['SystemCreationClassName', 'CIM_ComputerSystem'],
  ['SystemName', 'Intel(r) AMT'],
];

export const PARTS: Readonly<Record<string, readonly AmtMembers[]>> = {
  CIM_Chassis: [
    [
      ['Manufacturer', 'Tinkerbell'],
      ['Model', 'Desk Box & Sons'],
      ['SerialNumber', 'CH-1'],
    ],
  ],
  CIM_Card: [
    [
      ['Manufacturer', 'Intel Corporation'],
      ['Model', 'NUC11TNBv7'],
      ['SerialNumber', 'BD-1'],
    ],
  ],
  CIM_BIOSElement: [
    [
      ['Manufacturer', 'Intel Corp.'],
      ['Version', 'TNTGLV57.0064'],
    ],
  ],
  CIM_SoftwareIdentity: [
    [
      ['InstanceID', 'Flash'],
      ['VersionString', '15.0.45'],
    ],
    [
      ['InstanceID', 'AMT'],
      ['VersionString', '15.0.47'],
    ],
  ],
  CIM_Processor: [
    [
      ['DeviceID', 'CPU 0'],
      ['MaxClockSpeed', '4700'],
    ],
  ],
  CIM_Chip: [[['Version', '11th Gen Intel(R) Core(TM) i7-1185G7']]],
  CIM_PhysicalMemory: [
    [
      ['BankLabel', 'BANK 0'],
      ['Capacity', '17179869184'],
      ['ConfiguredMemoryClockSpeed', '3200'],
      ['Manufacturer', 'Samsung'],
      ['PartNumber', 'M471A2G43AB2'],
      ['SerialNumber', 'M-1'],
    ],
  ],
  CIM_MediaAccessDevice: [
    [
      ['DeviceID', 'MEDIA DEV 0'],
      ['MaxMediaSize', '512110190'],
    ],
  ],
  AMT_EthernetPortSettings: [
    [
      ['InstanceID', 'Intel(r) AMT Ethernet Port Settings 0'],
      ['MACAddress', '52-54-00-00-00-0a'],
    ],
  ],
};

export const HTTPS_SOURCE = 'Intel(r) AMT: Force OCR UEFI HTTPS Boot';
/** `Intel(r) AMT: Force PXE Boot` as the device that the simulated machine knows. */
export const BOOT_SOURCES: Readonly<Record<string, BootFlags['device']>> = {
  'Intel(r) AMT: Force PXE Boot': 'pxe',
  'Intel(r) AMT: Force Hard-drive Boot': 'disk',
  'Intel(r) AMT: Force CD/DVD Boot': 'cdrom',
  [HTTPS_SOURCE]: 'pxe',
};
