/** The services of the simulated BMC beside the machine: sessions, tasks, events, updates, and the settings of the firmware. */
import type { RedfishState } from './redfish-state.ts';

type Fields = Readonly<Record<string, unknown>>;
type Found = Fields | readonly string[];

const ROOT = '/redfish/v1';
const ok = { State: 'Enabled', Health: 'OK' };
const link = (path: string) => ({ '@odata.id': path });

export const SUBSCRIPTIONS = `${ROOT}/EventService/Subscriptions`;
const FIRMWARE = `${ROOT}/UpdateService/FirmwareInventory`;

const ACCOUNTS = `${ROOT}/AccountService/Accounts`;
export const ACCOUNT = `${ACCOUNTS}/2`;

export interface ServicesOf {
  readonly system: string;
  readonly state: RedfishState;
  readonly bmcVersion: string;
}

/** By path. Arrays are the members of collections. */
export function servicesOf(given: ServicesOf): Readonly<Record<string, () => Found>> {
  const { state, bmcVersion } = given;
  return {
    [`${ROOT}/SessionService`]: () => ({
      ServiceEnabled: true,
      SessionTimeout: 1800,
      Sessions: link(`${ROOT}/SessionService/Sessions`),
      Status: ok,
    }),
    [`${ROOT}/SessionService/Sessions`]: () => [...state.sessions.keys()],
    [`${ROOT}/AccountService`]: () => ({ ServiceEnabled: true, Accounts: link(ACCOUNTS), Status: ok }),
    [ACCOUNTS]: () => [`${ACCOUNTS}/1`, ACCOUNT],
    [`${ACCOUNTS}/1`]: () => ({
      UserName: '',
      RoleId: 'NoAccess',
      Enabled: false,
      AccountTypes: ['Redfish'],
    }),
    [ACCOUNT]: () => ({
      UserName: state.username,
      RoleId: 'Administrator',
      AccountTypes: ['Redfish'],
      Password: null,
    }),
    [`${ROOT}/TaskService`]: () => ({
      ServiceEnabled: true,
      Tasks: link(`${ROOT}/TaskService/Tasks`),
      Status: ok,
    }),
    [`${ROOT}/TaskService/Tasks`]: () => [],
    [`${ROOT}/UpdateService`]: () => ({
      ServiceEnabled: true,
      FirmwareInventory: link(FIRMWARE),
      Actions: {},
      Status: ok,
    }),
    [FIRMWARE]: () => [`${FIRMWARE}/BMC`, `${FIRMWARE}/BIOS`],
    [`${FIRMWARE}/BMC`]: () => ({ Name: 'BMC firmware', Version: bmcVersion, Updateable: true, Status: ok }),
    [`${FIRMWARE}/BIOS`]: () => ({
      Name: 'System BIOS',
      Version: '1.2.3',
      ReleaseDate: '2026-01-20T00:00:00Z',
      Updateable: false,
      Status: ok,
    }),
    ...Object.fromEntries([...state.sessions.keys()].map((path) => [path, () => ({ Name: 'Session' })])),
    ...eventResources(state),
    ...firmwareSettings(given),
  };
}

function eventResources({ subscriptions }: RedfishState): Readonly<Record<string, () => Found>> {
  const made = [...subscriptions].map(([path, { destination, context }]): [string, () => Fields] => [
    path,
    () => ({
      Name: 'Subscription',
      Destination: destination,
      Context: context,
      Protocol: 'Redfish',
      EventFormatType: 'Event',
      SubscriptionType: 'RedfishEvent',
      Status: ok,
    }),
  ]);
  return {
    [`${ROOT}/EventService`]: () => ({
      ServiceEnabled: true,
      EventFormatTypes: ['Event'],
      Actions: {},
      Subscriptions: link(SUBSCRIPTIONS),
      Status: ok,
    }),
    [SUBSCRIPTIONS]: () => [...subscriptions.keys()],
    ...Object.fromEntries(made),
  };
}

function firmwareSettings({ system, state }: ServicesOf): Readonly<Record<string, () => Found>> {
  const { bios, pendingBios } = state;
  return {
    [`${system}/Bios`]: () => ({
      Name: 'BIOS settings',
      Attributes: Object.fromEntries(bios),
      '@Redfish.Settings': {
        '@odata.type': '#Settings.v1_3_5.Settings',
        SettingsObject: link(`${system}/Bios/Settings`),
        SupportedApplyTimes: ['OnReset'],
      },
    }),
    [`${system}/Bios/Settings`]: () => ({
      Name: 'BIOS settings of the next start',
      Attributes: Object.fromEntries([...bios, ...pendingBios]),
    }),
    [`${system}/SecureBoot`]: () => ({
      Name: 'UEFI Secure Boot',
      SecureBootEnable: state.secureBoot.isEnabled,
      SecureBootCurrentBoot: state.secureBoot.isActive ? 'Enabled' : 'Disabled',
      SecureBootMode: 'UserMode',
    }),
  };
}
