import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  actionOf,
  bootOfSettings,
  allowedByActionInfo,
  allowedIn,
  collectionOf,
  computerSystemOf,
  linksIn,
  memberOf,
  messagesOf,
  pathOf,
  pathOfLocation,
  serviceRootOf,
  taskOf,
  virtualMediaOf,
} from './index.ts';

test('a link is an absolute path on the same host', () => {
  assert.equal(pathOf('/redfish/v1/Systems/1'), '/redfish/v1/Systems/1');
  assert.equal(pathOf('/redfish/v1/Chassis/1/Power#/PowerSupplies/0'), '/redfish/v1/Chassis/1/Power');
  assert.equal(pathOf('/redfish/v1/Systems?$skip=2'), '/redfish/v1/Systems?$skip=2');
  const bad = [
    '',
    'Systems/1',
    '//evil/x',
    '/\\evil/x',
    'https://evil/x',
    '/a b',
    '/a\r\nX: y',
    '/ä',
    7,
    null,
  ];
  for (const value of bad) assert.equal(pathOf(value), undefined, JSON.stringify(value));
  assert.equal(pathOf(`/${'a'.repeat(2048)}`), undefined);
});

test('of a Location only the path counts', () => {
  assert.equal(pathOfLocation('/redfish/v1/a'), '/redfish/v1/a');
  assert.equal(pathOfLocation('https://other:8443/redfish/v1/a'), '/redfish/v1/a');
  assert.equal(pathOfLocation('https://other'), undefined);
  assert.equal(pathOfLocation('https://a//evil/x'), undefined);
  assert.equal(pathOfLocation('ftp://other/a'), undefined);
  assert.equal(pathOfLocation(null), undefined);
});

test('names of the prototype are not members', () => {
  assert.equal(memberOf({}, 'constructor'), undefined);
  assert.equal(memberOf(JSON.parse('{"__proto__":1}'), '__proto__'), 1);
});

test('messages have a name without registry and version', () => {
  const info = {
    MessageId: 'Base.1.8.PropertyValueNotInList',
    Message: 'The value\nX',
    RelatedProperties: ['#/Boot/BootSourceOverrideMode'],
    MessageArgs: ['X', 3],
  };
  const expected = [
    {
      name: 'PropertyValueNotInList',
      text: 'The value X',
      about: ['#/Boot/BootSourceOverrideMode', 'X'],
    },
  ];
  assert.deepEqual(messagesOf({ error: { '@Message.ExtendedInfo': [info] } }), expected);
  assert.deepEqual(messagesOf({ '@Message.ExtendedInfo': [info] }), expected);
  assert.deepEqual(messagesOf({ error: { code: 'Base.1.0.GeneralError', message: 'no' } }), [
    { name: 'GeneralError', text: 'no', about: [] },
  ]);
  const untold = { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.0.GeneralError' }] };
  assert.deepEqual(messagesOf({ error: { code: 'Base.1.0.GeneralError', message: 'no', ...untold } }), [
    { name: 'GeneralError', text: 'no', about: [] },
  ]);
  const coded = { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.0.InsufficientPrivilege' }] };
  assert.deepEqual(
    messagesOf({ error: { code: 'Base.1.0.GeneralError', message: 'no', ...coded } }).map(({ name }) => name),
    ['GeneralError', 'InsufficientPrivilege'],
  );
  assert.deepEqual(messagesOf({}), []);
  const many = Array.from({ length: 50 }, () => ({ Message: 'a'.repeat(1000) }));
  const cut = messagesOf({ error: { '@Message.ExtendedInfo': many } });
  assert.deepEqual([cut.length, cut[0]?.text.length], [8, 300]);
});

test('the service root has links and features', () => {
  const root = serviceRootOf({
    RedfishVersion: '1.15.0',
    Vendor: 'Dell',
    Oem: { Dell: {} },
    Systems: { '@odata.id': '/redfish/v1/Systems' },
    Managers: { '@odata.id': 'https://evil/redfish/v1/Managers' },
    Links: { Sessions: { '@odata.id': '/redfish/v1/SessionService/Sessions' } },
    ProtocolFeaturesSupported: { ExpandQuery: { NoLinks: true } },
  });
  assert.equal(root.systems, '/redfish/v1/Systems');
  assert.equal(root.managers, undefined);
  assert.equal(root.sessions, '/redfish/v1/SessionService/Sessions');
  assert.deepEqual([root.vendor, root.oem, root.expandQuery], ['Dell', ['Dell'], '$expand=.']);
});

test('a service expands collections in the way that it states', () => {
  const query = (ExpandQuery: object) =>
    serviceRootOf({ ProtocolFeaturesSupported: { ExpandQuery } }).expandQuery;
  assert.equal(query({ ExpandAll: true, NoLinks: true }), '$expand=.');
  assert.equal(query({ ExpandAll: true, NoLinks: false }), '$expand=*');
  assert.equal(query({ Links: true }), undefined);
});

test('a page of a collection has members and the next page', () => {
  const page = collectionOf({
    Members: [{ '@odata.id': '/a' }, 'b', null],
    'Members@odata.nextLink': '/redfish/v1/Systems?$skip=1',
  });
  assert.deepEqual(page, { members: [{ '@odata.id': '/a' }], next: '/redfish/v1/Systems?$skip=1' });
});

test('a system has power, reset and boot override', () => {
  const system = computerSystemOf({
    Id: 'Self',
    PowerState: 'On',
    Boot: {
      BootSourceOverrideTarget: 'Pxe',
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideMode: 'UEFI',
      HttpBootUri: null,
      'BootSourceOverrideTarget@Redfish.AllowableValues': ['None', 'Pxe'],
    },
    Actions: {
      '#ComputerSystem.Reset': {
        target: '/redfish/v1/Systems/Self/Actions/ComputerSystem.Reset',
        'ResetType@Redfish.AllowableValues': ['On', 'ForceOff'],
        '@Redfish.ActionInfo': '/redfish/v1/Systems/Self/ResetActionInfo',
      },
    },
    Links: { ManagedBy: [{ '@odata.id': '/redfish/v1/Managers/Self' }] },
  });
  assert.deepEqual([system.id, system.powerState], ['Self', 'On']);
  assert.deepEqual(allowedIn(system.reset?.fields, 'ResetType'), ['On', 'ForceOff']);
  assert.equal(system.reset?.actionInfo, '/redfish/v1/Systems/Self/ResetActionInfo');
  assert.deepEqual(system.managedBy, ['/redfish/v1/Managers/Self']);
  assert.deepEqual(system.boot?.allowedTargets, ['None', 'Pxe']);
  assert.deepEqual([system.boot?.hasHttpBootUri, system.boot?.httpBootUri], [true, undefined]);
});

test('the settings of a system have a boot override of their own, or none', () => {
  const link = { SettingsObject: { '@odata.id': '/redfish/v1/Systems/Self/SD' } };
  assert.equal(computerSystemOf({ '@Redfish.Settings': link }).settings, '/redfish/v1/Systems/Self/SD');
  assert.equal(computerSystemOf({}).settings, undefined);
  assert.equal(bootOfSettings({ Boot: { BootSourceOverrideTarget: 'Pxe' } })?.target, 'Pxe');
  assert.ok(bootOfSettings({ Boot: { BootSourceOverrideTarget: null } }), 'the member counts');
  assert.equal(bootOfSettings({ Boot: { BootOrder: [] } }), undefined);
  assert.equal(bootOfSettings({}), undefined);
});

test('an action whose target leaves the host does not exist', () => {
  const actions = { '#A.B': { target: 'https://evil/x' } };
  assert.equal(actionOf({ Actions: actions }, 'A.B'), undefined);
});

test('an ActionInfo lists the values of a parameter', () => {
  const info = { Parameters: [{ Name: 'ResetType', AllowableValues: ['On'] }] };
  assert.deepEqual(allowedByActionInfo(info, 'ResetType'), ['On']);
  assert.equal(allowedByActionInfo(info, 'Other'), undefined);
});

test('a virtual drive has an image and actions', () => {
  const drive = virtualMediaOf({
    '@odata.id': '/redfish/v1/Managers/1/VirtualMedia/CD',
    MediaTypes: ['CD', 'DVD'],
    Image: '',
    Inserted: false,
    Actions: { '#VirtualMedia.InsertMedia': { target: '/insert' } },
  });
  assert.deepEqual([drive.types, drive.image, drive.isInserted], [['CD', 'DVD'], undefined, false]);
  assert.deepEqual([drive.insert?.target, drive.eject], ['/insert', undefined]);
});

test('a task runs, completes or fails', () => {
  const outcome = (TaskState: string, TaskStatus?: string) => taskOf({ TaskState, TaskStatus })?.outcome;
  assert.equal(outcome('Running'), 'running');
  assert.equal(outcome('Completed', 'OK'), 'completed');
  assert.equal(outcome('Completed', 'Critical'), 'failed');
  assert.equal(outcome('Exception'), 'failed');
  assert.equal(taskOf({ Id: '1' }), undefined);
});

test('every reader survives members of wrong types', () => {
  const wrong = [1, 'a', null, [], [1], { '@odata.id': 1 }, true];
  for (const value of wrong) {
    const names = [
      'Links',
      'Systems',
      'Members',
      'Boot',
      'Actions',
      'Oem',
      'MediaTypes',
      'error',
      'TaskState',
    ];
    const resource = Object.fromEntries(names.map((name) => [name, value]));
    for (const read of [serviceRootOf, collectionOf, computerSystemOf, virtualMediaOf, taskOf, messagesOf])
      read(resource);
    linksIn(resource, 'Members');
  }
});
