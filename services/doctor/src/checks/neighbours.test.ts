import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentTrials, NetworkTrial } from '@tinkerbell/platform-contract';
import type { Hardware } from '@tinkerbell/resources';
import { acknowledge, hardwareNamed, MAC, offer, startDoctor } from '../testing/running-doctor.ts';

const machineAt = (name: string, number: number, network = '10.0.0', namespace = 'default'): Hardware => {
  const ip = { address: `${network}.${number}`, netmask: '255.255.255.0' };
  return {
    ...hardwareNamed(name),
    metadata: { name, namespace, uid: `uid-of-${name}` },
    spec: { interfaces: [{ dhcp: { mac: macOf(number), ip }, netboot: { allowPXE: true } }] },
  };
};
const macOf = (number: number): string => (number === 1 ? MAC : `52:54:00:00:01:0${number}`);

const machine = machineAt('m1', 1);
const neighbour = machineAt('m2', 2);

/** Agents of these machines. Each finds that TFTP is silent and that another host has the address. */
function agentsOf(numbers: readonly number[]) {
  const asked: (readonly [agentId: string, trial: NetworkTrial])[] = [];
  const connected = numbers.map(macOf);
  const agents: AgentTrials = {
    connected: () => connected,
    isConnected: (agentId) => connected.includes(agentId),
    run(agentId, trial) {
      asked.push([agentId, trial]);
      return Promise.resolve({
        ports: trial.ports.map((port) => ({ ...port, outcome: 'silent', reason: 'nothing within 3 s' })),
        holders: new Map([['10.0.0.1', { mac: '52:54:00:00:00:99' }]]),
      });
    },
  };
  return { agents, asked };
}

test('the neighbours of a machine have an agent, and are in its network and its namespace', async () => {
  const others = [neighbour, machineAt('m3', 3, '10.0.1'), machineAt('m4', 4, '10.0.0', 'other')];
  const offline = machineAt('m5', 5);
  const { agents } = agentsOf([1, 2, 3, 4]);
  await using doctor = await startDoctor({ objects: [machine, ...others, offline], agents });
  assert.deepEqual(doctor.neighboursOf(machine), ['m2']);
  assert.deepEqual([doctor.hasAgent(neighbour), doctor.hasAgent(offline)], [true, false]);
});

test('a neighbour tries the ports of the server and the address, and problems go into the verdict', async () => {
  const { agents, asked } = agentsOf([2]);
  await using doctor = await startDoctor({ objects: [machine, neighbour], agents });
  doctor.append(offer(), acknowledge());
  await doctor.clock.advance(60);
  const checks = (await doctor.checkNow(machine, { neighbour })) ?? [];
  assert.deepEqual(
    checks.map(({ check, state, message }) => `${check} ${state} ${message}`),
    [
      'ports failed TFTP, udp/69 of 10.0.0.1 does not answer m2: nothing within 3 s',
      'address failed 10.0.0.1: another host, with the MAC 52:54:00:00:00:99, uses it',
    ],
  );
  assert.deepEqual(asked, [
    [
      macOf(2),
      { host: '10.0.0.1', ports: [{ name: 'TFTP', asks: 'tftp', port: 69 }], addresses: ['10.0.0.1'] },
    ],
  ]);
  await doctor.checkNow(machine);
  const texts = doctor.verdicts.get('default/m1')?.evidence.map(({ text }) => text) ?? [];
  assert.ok(texts.includes('checked ports: TFTP, udp/69 of 10.0.0.1 does not answer m2: nothing within 3 s'));
});

test('an agent that does not answer finds nothing', async () => {
  const { agents } = agentsOf([2]);
  const silent = { ...agents, run: () => Promise.resolve(undefined) };
  await using doctor = await startDoctor({ objects: [machine, neighbour], agents: silent });
  assert.deepEqual(await doctor.checkNow(machine, { neighbour }), [
    { check: 'ports', state: 'note', message: 'nothing was tried: the agent of m2 did not answer' },
  ]);
});

for (const activeChecks of [true, false])
  test(`a neighbour is ${activeChecks ? 'asked once' : 'not asked'} without a person who asks`, async () => {
    const { agents, asked } = agentsOf([2]);
    await using doctor = await startDoctor({ objects: [machine, neighbour], agents, activeChecks });
    doctor.append(offer(), acknowledge());
    await doctor.clock.advance(120);
    assert.equal(asked.length, activeChecks ? 1 : 0);
  });
