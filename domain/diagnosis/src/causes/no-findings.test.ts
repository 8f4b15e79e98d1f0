import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnose } from '../diagnose.ts';
import { firmware, ignored, loader, script, START_MS, system } from '../testing/boot-timeline.ts';
import {
  actionFailed,
  near,
  notAllowed,
  observation,
  restarted,
  withDetails,
  workflow,
  type Row,
} from '../testing/cause-rows.ts';

describe('there are no findings', () => {
  const none: Readonly<Record<string, Row>> = {
    'when netboot is not allowed after the workflow succeeded': {
      lines: notAllowed(0, 'spec.interfaces[0].netboot.allowPXE is not true'),
      at: 3600,
      observed: { workflows: [workflow('w', 'SUCCESS')] },
    },
    'when netboot is not allowed and an operating system starts from the disk': {
      lines: [...notAllowed(0, 'netboot.allowPXE is not true'), ...system(60).slice(0, 2)],
      at: 3600,
      observed: { workflows: [] },
    },
    'when the machine got no boot file before its workflow was retried': {
      lines: [
        ...notAllowed(0, 'netboot.allowPXE is not true'),
        [600, 'workflow/state-changed', 'workflow is PENDING', { from: 'FAILED', to: 'PENDING' }],
      ],
      at: 620,
    },
    'when the machine got no boot file before its workflow was created': {
      lines: notAllowed(0, 'netboot.allowPXE is not true'),
      at: 620,
      observed: {
        workflows: [
          workflow('w', 'PENDING', {
            metadata: {
              name: 'w',
              namespace: 'default',
              creationTimestamp: new Date(START_MS + 600_000).toISOString(),
            },
          }),
        ],
      },
    },
    'when a problem passed': { lines: [ignored(0, 'pool-exhausted', 'x'), ...firmware(5)], at: 15 },
    'when a client of a proxy chooses the other server': {
      lines: [
        [
          0,
          'dhcp/offer-sent',
          'offer without address',
          { client: 'PXE firmware', file: 'ipxe.efi', address: '0.0.0.0' },
        ],
        ignored(1, 'other-server-selected', 'the client chose 192.0.2.1'),
      ],
      at: 20,
    },
    'when the machine was seen, and a neighbour is not registered': {
      lines: firmware(),
      at: 5,
      observed: { near: near.map((record) => ({ mac: '08:00:27:9e:f5:3b', record })) },
    },
    'when a failed action is retried': {
      lines: [...actionFailed('x').slice(0, -1), [31, 'agent/action-served-again', 'again']],
      at: 40,
    },
    'when a machine boots with an address of another network than that of its relay': {
      lines: withDetails([...firmware(), ...loader(), ...script()], { relay: '10.0.3.1' }),
      at: 40,
    },
    'when iPXE was sent to UEFI firmware and has started': {
      lines: withDetails([...firmware(), ...loader()], { architecture: 7 }),
      at: 48,
    },
    'when a disk boots without a BMC job': { lines: system(0).slice(0, 2), at: 3600 },
    'when the BMC is restarting a server for two minutes': { lines: [restarted], at: 120 },
    'when no workflow waits for a restarted machine': {
      lines: [restarted],
      at: 3600,
      observed: { workflows: [] },
    },
    'when three starts were quick': {
      lines: [0, 60, 120].flatMap((at) => [...firmware(at), ...loader(at + 1), ...script(at + 3)]),
      at: 124,
    },
  };
  for (const [name, row] of Object.entries(none))
    test(name, () => {
      const { verdict } = diagnose(observation(row, row.at));
      assert.notEqual(verdict.state, 'stopped', `${verdict.cause}: ${verdict.text}`);
    });
});
