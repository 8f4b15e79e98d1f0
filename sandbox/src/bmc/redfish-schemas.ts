/** The schema of each resource of the simulated service. Versions are those whose properties it uses, or later. */

const VERSIONS: Readonly<Record<string, string>> = {
  AccountService: 'v1_13_0',
  Bios: 'v1_2_1',
  Chassis: 'v1_23_0',
  ComputerSystem: 'v1_20_0',
  Drive: 'v1_17_0',
  EthernetInterface: 'v1_9_0',
  EventDestination: 'v1_13_0',
  EventService: 'v1_10_0',
  Manager: 'v1_15_0',
  ManagerAccount: 'v1_9_0',
  Memory: 'v1_17_0',
  NetworkAdapter: 'v1_9_0',
  Port: 'v1_8_0',
  Power: 'v1_7_1',
  Processor: 'v1_18_0',
  SecureBoot: 'v1_1_0',
  ServiceRoot: 'v1_15_0',
  Session: 'v1_6_0',
  SessionService: 'v1_1_8',
  SoftwareInventory: 'v1_8_0',
  Storage: 'v1_14_0',
  Task: 'v1_7_0',
  TaskService: 'v1_2_0',
  UpdateService: 'v1_11_0',
  VirtualMedia: 'v1_6_0',
  ActionInfo: 'v1_3_0',
};

/** The schema of the members of a collection, by the last part of its path. */
const MEMBERS: Readonly<Record<string, string>> = {
  Accounts: 'ManagerAccount',
  Chassis: 'Chassis',
  Drives: 'Drive',
  EthernetInterfaces: 'EthernetInterface',
  FirmwareInventory: 'SoftwareInventory',
  Managers: 'Manager',
  Memory: 'Memory',
  NetworkAdapters: 'NetworkAdapter',
  Ports: 'Port',
  Processors: 'Processor',
  Sessions: 'Session',
  Storage: 'Storage',
  Subscriptions: 'EventDestination',
  Systems: 'ComputerSystem',
  Tasks: 'Task',
  VirtualMedia: 'VirtualMedia',
};

/** Resources that are not members of a collection. */
const SINGLE: Readonly<Record<string, string>> = {
  v1: 'ServiceRoot',
  ResetActionInfo: 'ActionInfo',
  Settings: 'Bios',
  SD: 'ComputerSystem',
};

/** Returns the value of `@odata.type` (DSP0266, section "Type property"). */
export function typeAt(path: string, isCollection: boolean): string {
  const [parent = '', last = ''] = path.split('/').slice(-2);
  if (isCollection) {
    const name = `${MEMBERS[last] ?? last}Collection`;
    return `#${name}.${name}`;
  }
  const name = SINGLE[last] ?? MEMBERS[parent] ?? last;
  return `#${name}.${VERSIONS[name] ?? 'v1_0_0'}.${name}`;
}
