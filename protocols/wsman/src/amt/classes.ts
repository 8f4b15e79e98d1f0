/** The classes of Intel AMT (Intel AMT SDK, "WS-Management Class Reference") that control power and boot, or describe the machine. */
import type { Instance } from '../envelope.ts';

const CIM = 'http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2';
const AMT = 'http://intel.com/wbem/wscim/1/amt-schema/1';

export const amtClass = {
  associatedPower: `${CIM}/CIM_AssociatedPowerManagementService`,
  power: `${CIM}/CIM_PowerManagementService`,
  system: `${CIM}/CIM_ComputerSystem`,
  bootConfig: `${CIM}/CIM_BootConfigSetting`,
  bootService: `${CIM}/CIM_BootService`,
  bootSource: `${CIM}/CIM_BootSourceSetting`,
  settingOfElement: `${CIM}/CIM_ElementSettingData`,
  orderedComponent: `${CIM}/CIM_OrderedComponent`,
  chassis: `${CIM}/CIM_Chassis`,
  card: `${CIM}/CIM_Card`,
  chip: `${CIM}/CIM_Chip`,
  processor: `${CIM}/CIM_Processor`,
  memory: `${CIM}/CIM_PhysicalMemory`,
  media: `${CIM}/CIM_MediaAccessDevice`,
  bios: `${CIM}/CIM_BIOSElement`,
  software: `${CIM}/CIM_SoftwareIdentity`,
  bootSettings: `${AMT}/AMT_BootSettingData`,
  ethernet: `${AMT}/AMT_EthernetPortSettings`,
  redirection: `${AMT}/AMT_RedirectionService`,
  setup: `${AMT}/AMT_SetupAndConfigurationService`,
} as const;

/** The machine that AMT manages. */
export const managedSystem: Instance = {
  resource: amtClass.system,
  selectors: { CreationClassName: 'CIM_ComputerSystem', Name: 'ManagedSystem' },
};

/** The only boot configuration. */
export const bootConfiguration: Instance = {
  resource: amtClass.bootConfig,
  selectors: { InstanceID: 'Intel(r) AMT: Boot Configuration 0' },
};
