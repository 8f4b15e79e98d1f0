/**
 * Runs after the server has acknowledged a success: restarts the machine, or, for waitdaemon, runs another image without waiting
 * for its end. Upstream's templates use waitdaemon to restart a machine without losing the report of the action that
 * does it.
 */
import { spawnSync } from 'node:child_process';

import { changeMachineState, runProgram, type MachineEffect } from '@tinkerbell/action-kit';
import { delay } from '@tinkerbell/platform-contract';

import { runInProcess } from './action-process.ts';
import type { ActionOrder } from './action-messages.ts';
import { orderOfFollowUp } from './action-order.ts';
import type { AgentDependencies } from './agent-dependencies.ts';
import type { FollowUp } from './kept-files.ts';
import type { Settings } from './settings.ts';

const WAIT_SECONDS_DEFAULT = 10;
const WAIT_SECONDS_MAX = 3600;
/** Time for the console and the network card to finish pending output. */
const SETTLE_MS = 250;
/** Time limit for flushing disks. If it is exceeded, the machine restarts anyway and loses the caches. */
const SYNC_LIMIT_MS = 30_000;
/** Time limit for an answer of the init system. */
const INIT_LIMIT_MS = 30_000;
/** Time limit of an image whose action has no timeout. The agent requests nothing else meanwhile. */
const FOLLOW_UP_SECONDS = 3600;

export type WaitDaemonOrder =
  | { readonly ok: true; readonly followUp: FollowUp }
  | { readonly ok: false; readonly error: string };

/**
 * Parses waitdaemon's variables: IMAGE, and WAIT_SECONDS, the delay before its start. Command, timeout and the rest are passed
 * on.
 */
export function waitDaemonOrder(
  order: ActionOrder,
  { timeoutSeconds, settings }: { readonly timeoutSeconds: number; readonly settings: Settings },
): WaitDaemonOrder {
  const { IMAGE: image = '', WAIT_SECONDS: wait = String(WAIT_SECONDS_DEFAULT), ...rest } = order.environment;
  if (image === '') return { ok: false, error: 'waitdaemon: IMAGE is missing; set it to the image to start' };
  const seconds = /^\d{1,5}$/.test(wait) ? Number(wait) : Number.NaN;
  if (!(seconds <= WAIT_SECONDS_MAX)) {
    return { ok: false, error: `waitdaemon: WAIT_SECONDS=${wait} is not a number up to ${WAIT_SECONDS_MAX}` };
  }
  const followUp = {
    kind: 'action',
    image,
    waitMs: seconds * 1000,
    command: order.command,
    environment: rest,
    timeoutSeconds,
    volumes: order.volumes,
    pidNamespace: order.pidNamespace,
    networkNamespace: order.networkNamespace,
  } as const;
  const { execution } = orderOfFollowUp(followUp, settings);
  if (execution.kind === 'refused') return { ok: false, error: `waitdaemon: ${execution.error}` };
  return { ok: true, followUp };
}

/** Runs the follow-up. Returns if the machine keeps running. */
export async function performFollowUp(followUp: FollowUp, dependencies: AgentDependencies): Promise<void> {
  const { clock, log } = dependencies;
  if (followUp.kind === 'machine') {
    await performEffect(followUp.effect, dependencies);
    return;
  }
  log.info('starting the next image soon', { image: followUp.image, seconds: followUp.waitMs / 1000 });
  await delay(clock, followUp.waitMs, dependencies.signal);
  const outcome = await runInProcess({
    order: orderOfFollowUp(followUp, dependencies.settings),
    processEnvironment: dependencies.actionEnvironment(),
    timeoutSeconds: followUp.timeoutSeconds || FOLLOW_UP_SECONDS,
    cancelled: dependencies.signal,
    clock,
    log,
    onProgress: (progress) => log.info(progress.message),
  });
  if (outcome.ok !== true) log.error('the image started by waitdaemon failed', outcome);
  else if (outcome.afterReport !== undefined) await performEffect(outcome.afterReport, dependencies);
}

async function performEffect(effect: MachineEffect, dependencies: AgentDependencies): Promise<void> {
  const { clock, log, settings } = dependencies;
  if (!settings.allowReboot) {
    log.warn('the machine was not changed, because the agent runs without --allow-reboot', { effect });
    return;
  }
  log.info(`machine: ${effect}`);
  await delay(clock, SETTLE_MS);
  await runProgram('sync', [], { signal: AbortSignal.timeout(SYNC_LIMIT_MS) }).catch((thrown: unknown) =>
    log.warn('not all data was written to the disks', { reason: String(thrown) }),
  );
  const result = changeMachineState(effect);
  log.warn('the kernel rejected the request; using the init system', {
    effect,
    reason: result.ok ? '' : result.error,
  });
  spawnSync(effect === 'power-off' ? 'poweroff' : 'reboot', ['-f'], { timeout: INIT_LIMIT_MS });
}
