/** Runs a fleet of machines against a server: registers them, boots them, checks their Workflows, and removes them. */
import { delay, PlatformError, type Clock, type Udp } from '@tinkerbell/platform-contract';
import { createExchangeLog, type ExchangeLog } from './exchange-log.ts';
import { FleetMachine, type BootOutcome } from './fleet-machine.ts';
import type { FleetWorld } from './fleet-world.ts';
import type { FleetOptions } from './fleet-options.ts';
import { FleetRecord } from './fleet-record.ts';
import { progressText, stepTimes, usageReport, type FleetReport } from './fleet-report.ts';
import { FleetError, refuseOthers, register, removeSite, workflowsOf, type FleetApi } from './fleet-site.ts';
import { machinePlan, type MachinePlan } from './machine-plan.ts';
import { differences, type Recording } from './recording.ts';
import { FleetRelay } from './relay.ts';
import { usageIn, type ServerUsage } from './server-usage.ts';
import { checkWorkflows } from './workflow-check.ts';

export interface FleetDeps {
  readonly api: FleetApi;
  /** For the removal of the objects, also after `signal`. */
  readonly cleaningApi: () => FleetApi;
  readonly clock: Clock;
  readonly udp: Udp;
  /** Stops the machines. The objects are removed all the same. */
  readonly signal: AbortSignal;
  /** Receives one line, without its end. */
  readonly progress: (text: string) => void;
  /** Receives the lines of a recording. */
  readonly record?: (line: string) => void;
  /** Switches the machines on at the recorded times, and compares what they get. `options` must be those of the recording. */
  readonly replay?: Recording;
}

const PROGRESS_MS = 2000;

/** @throws FleetError, and what the API throws. A machine that fails is in the report. */
export async function runFleet(deps: FleetDeps, options: FleetOptions): Promise<FleetReport> {
  const { api, cleaningApi, clock, udp, progress } = deps;
  await refuseOthers(api, options);
  await using relay = await openRelay(udp, options);
  const before = await usageOf(api);
  const plans = Array.from({ length: options.machines }, (_, index) => machinePlan(index, options));
  const startedMs = clock.monotonicMs();
  try {
    await register(api, plans, { options, progress });
    const registerSeconds = (clock.monotonicMs() - startedMs) / 1000;
    const record = new FleetRecord();
    const exchanges = createExchangeLog(deps, options);
    const world: FleetWorld = {
      clock,
      udp,
      relay,
      options,
      watcher: record,
      onExchange: exchanges?.onExchange,
    };
    const booted = await bootAll(deps, plans, { world, record });
    // After Ctrl-C the server is not asked, and the machines that were done count.
    const { outcomes } = booted;
    const { provisioned, failed } = deps.signal.aborted
      ? { provisioned: record.atDisk, failed: record.failed }
      : checkWorkflows(plans, {
          workflows: await workflowsOf(api, options),
          outcomes,
          failed: record.failed,
        });
    return {
      seed: options.seed,
      machines: options.machines,
      provisioned,
      failed,
      broken: record.broken,
      crashes: record.crashes,
      results: record.results,
      seconds: booted.seconds,
      registerSeconds,
      steps: stepTimes(record),
      ...serverOf(before, booted),
      simulator: ownUsage(),
      ...differencesOf(deps, exchanges),
    };
  } finally {
    if (!options.keep) await removeSite(cleaningApi(), options, progress);
  }
}

async function openRelay(udp: Udp, { relayAddress, bootServer }: FleetOptions): Promise<FleetRelay> {
  const server = { address: bootServer.address, port: bootServer.dhcpPort };
  try {
    return await FleetRelay.open(udp, relayAddress, server);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const advice =
      error.code === 'unavailable'
        ? `make it and the addresses after it addresses of this host: ip route add local ${relayAddress.replace(/\d+$/, '0')}/15 dev lo`
        : 'the machines speak to the DHCP server through a relay agent, which has the port of DHCP servers';
    throw new FleetError(`relay at ${relayAddress}: ${error.message}`, advice);
  }
}

function differencesOf(
  { replay }: FleetDeps,
  exchanges: ExchangeLog | undefined,
): Pick<FleetReport, 'differences'> {
  if (replay === undefined || exchanges === undefined) return {};
  return { differences: differences(replay.answers, exchanges.answers()) };
}

interface Booted {
  readonly seconds: number;
  readonly outcomes: ReadonlyMap<string, BootOutcome>;
  readonly start: ServerUsage | undefined;
  readonly seen: readonly ServerUsage[];
  readonly end: ServerUsage | undefined;
}

interface Running {
  readonly world: FleetWorld;
  readonly record: FleetRecord;
}

async function bootAll(
  { api, clock, signal, progress, replay }: FleetDeps,
  plans: readonly MachinePlan[],
  { world, record }: Running,
): Promise<Booted> {
  const { machines, atOnce, perSecond } = world.options;
  const start = await usageOf(api);
  const startedMs = clock.monotonicMs();
  const seconds = (): number => (clock.monotonicMs() - startedMs) / 1000;
  const seen: ServerUsage[] = [];
  const look = setInterval(() => {
    progress(progressText(record, { machines, seconds: seconds() }));
    void usageOf(api).then((usage) => usage && seen.push(usage));
  }, PROGRESS_MS);
  const outcomes = new Map<string, BootOutcome>();
  const on = new Set<FleetMachine>();
  const stop = (): void => {
    for (const machine of on) machine.stop('interrupted');
  };
  signal.addEventListener('abort', stop, { once: true });
  const queue = plans.entries();
  const slot = async (): Promise<void> => {
    for (const [index, plan] of queue) {
      const atMs = startedMs + (replay?.onAtMs.get(plan.name) ?? (index * 1000) / perSecond);
      await delay(clock, Math.max(0, atMs - clock.monotonicMs()), signal);
      if (signal.aborted) return;
      const machine = new FleetMachine(plan, world);
      on.add(machine);
      const outcome = await machine.boot();
      on.delete(machine);
      outcomes.set(plan.name, outcome);
      if (outcome.kind === 'disk') record.atDisk += 1;
      else record.fail(plan, outcome.step, outcome.reason);
    }
  };
  // In a replay the recorded times decide, not how many are on.
  const slots = replay === undefined ? Math.min(atOnce, machines) : machines;
  await Promise.all(Array.from({ length: slots }, slot));
  clearInterval(look);
  signal.removeEventListener('abort', stop);
  return { seconds: seconds(), outcomes, start, seen, end: await usageOf(api) };
}

function serverOf(
  before: ServerUsage | undefined,
  { start, seen, end }: Booted,
): Pick<FleetReport, 'server'> {
  const server = usageReport(before, start, { seen, end });
  return server === undefined ? {} : { server };
}

function ownUsage(): FleetReport['simulator'] {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { residentBytesMax: maxRSS * 1024, processorSeconds: (userCPUTime + systemCPUTime) / 1e6 };
}

async function usageOf(api: FleetApi): Promise<ServerUsage | undefined> {
  return api.metrics().then(usageIn, () => undefined);
}
