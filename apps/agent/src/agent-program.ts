import { readFileSync } from 'node:fs';

import { firstMac, readAttributes } from '@tinkerbell/engine-hardware-attributes';
import type { NetworkTrial, NetworkTrialResult } from '@tinkerbell/platform-contract';
import { createNodeAddressProbe, nodeClock, nodeRandom, tryNetwork } from '@tinkerbell/platform-node';

import { runAgent } from './agent.ts';
import { createConsoleLog } from './console-log.ts';
import { Identity } from './identity.ts';
import { readSettings } from './settings.ts';
import { agentHelp, asksForHelp } from './settings-help.ts';
import { createSpool } from './spool.ts';
import { createServerLink } from './server-link.ts';
import { SessionLink } from './session-link.ts';
import { createWorkflowClient, openChannel } from './workflow-client.ts';

/**
 * Delay before the agent exits because of invalid settings. The init script of the in-memory OS restarts it, slowly enough to
 * read the log.
 */
const MISCONFIGURED_PAUSE_MS = 5000;

const AGENT_VERSION = '0.1.0';

/** Runs the agent as a program: settings, log, signals. Resolves after a stop signal. */
export async function runAgentProgram(): Promise<void> {
  if (asksForHelp(process.argv.slice(2))) {
    process.stdout.write(agentHelp());
    return;
  }
  const result = readSettings({
    arguments: process.argv.slice(2),
    environment: process.env,
    kernelCommandLine: read('/proc/cmdline'),
    firstMac: firstMac('/sys'),
  });
  const log = createConsoleLog({
    write: (line) => process.stdout.write(line),
    uptimeSeconds: () => Number(read('/proc/uptime').split(' ')[0] ?? 0),
    debug: result.ok && result.settings.logLevel > 0,
  });
  if (!result.ok) {
    log.error(result.error);
    setTimeout(() => process.exit(2), MISCONFIGURED_PAUSE_MS);
    return;
  }
  const { settings } = result;
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  log.info('ready', { id: settings.id, server: settings.grpcServer, tls: settings.grpcTls });
  const attributes = settings.attributeDetection ? readAttributes('/') : undefined;
  const identity = new Identity(settings, log);
  const channel = openChannel(settings, [identity.interceptor]);
  const sessions = new SessionLink({
    channel,
    settings,
    clock: nodeClock,
    random: nodeRandom,
    log,
    attributes,
    agentVersion: AGENT_VERSION,
    bootId: read('/proc/sys/kernel/random/boot_id').trim(),
    tryNetwork: tryFromHere,
  });
  const client = createServerLink(createWorkflowClient(settings, channel), sessions, () =>
    identity.ready(channel),
  );
  await runAgent({
    settings,
    client,
    spool: createSpool(settings.spoolDirectory),
    clock: nodeClock,
    random: nodeRandom,
    log,
    signal: stop.signal,
    attributes,
    actionEnvironment: () => identity.environment(),
  });
  client.close();
}

async function tryFromHere(trial: NetworkTrial): Promise<NetworkTrialResult> {
  const probe = createNodeAddressProbe();
  try {
    return await tryNetwork(trial, probe);
  } finally {
    probe.close();
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
