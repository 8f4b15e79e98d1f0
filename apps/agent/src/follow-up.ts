/**
 * What happens after a success has been acknowledged: the machine restarts, or, with waitdaemon, another image
 * runs whose end nobody waits for. waitdaemon is how upstream's templates restart a machine without losing
 * the report of the action that does it.
 */
import { spawnSync } from 'node:child_process';

import { changeMachineState, runProgram, type MachineEffect } from '@tinkerbell/action-kit';
import { delay } from '@tinkerbell/platform-contract';

import { runInProcess } from './action-process.ts';
import type { ActionOrder } from './action-runner.ts';
import type { AgentDependencies } from './agent-dependencies.ts';
import { builtInAction, unknownImage } from './built-in-actions.ts';
import type { FollowUp } from './spool.ts';

const WAIT_SECONDS_DEFAULT = 10;
const WAIT_SECONDS_MAX = 3600;
/** Lets the console and the network card finish what they were given. */
const SETTLE_MS = 250;
/** Caches that a disk does not take in this time are lost: the machine restarts all the same. */
const SYNC_LIMIT_MS = 30_000;
/** The init system that does not answer is not waited for. */
const INIT_LIMIT_MS = 30_000;
/** An image whose action has no timeout; the agent asks for nothing else meanwhile. */
const FOLLOW_UP_SECONDS = 3600;

export type WaitDaemonOrder =
  | { readonly ok: true; readonly followUp: FollowUp }
  | { readonly ok: false; readonly error: string };

/** waitdaemon's variables: IMAGE, and WAIT_SECONDS to wait before starting it. Command, timeout and the rest are passed on. */
export function waitDaemonOrder(order: ActionOrder, timeoutSeconds = 0): WaitDaemonOrder {
  const { IMAGE: image = '', WAIT_SECONDS: wait = String(WAIT_SECONDS_DEFAULT), ...rest } = order.environment;
  if (image === '') return { ok: false, error: 'waitdaemon: IMAGE is missing: set it to the image to start' };
  const seconds = /^\d{1,5}$/.test(wait) ? Number(wait) : Number.NaN;
  if (!(seconds <= WAIT_SECONDS_MAX)) {
    return { ok: false, error: `waitdaemon: WAIT_SECONDS=${wait} is not a number up to ${WAIT_SECONDS_MAX}` };
  }
  if (builtInAction(image) === undefined) return { ok: false, error: `waitdaemon: ${unknownImage(image)}` };
  const followUp = {
    kind: 'action',
    image,
    waitMs: seconds * 1000,
    command: order.command,
    environment: rest,
    timeoutSeconds,
  } as const;
  return { ok: true, followUp };
}

/** Does it. Returns when the machine goes on as before. */
export async function performFollowUp(followUp: FollowUp, dependencies: AgentDependencies): Promise<void> {
  const { clock, log } = dependencies;
  if (followUp.kind === 'machine') {
    await performEffect(followUp.effect, dependencies);
    return;
  }
  log.info('starting the next image soon', { image: followUp.image, seconds: followUp.waitMs / 1000 });
  await delay(clock, followUp.waitMs, dependencies.signal);
  const outcome = await runInProcess({
    order: { image: followUp.image, command: followUp.command, environment: followUp.environment },
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
    log.warn('this machine is left as it is: the agent runs without --allow-reboot', { effect });
    return;
  }
  log.info(`machine: ${effect}`);
  await delay(clock, SETTLE_MS);
  await runProgram('sync', [], { signal: AbortSignal.timeout(SYNC_LIMIT_MS) }).catch((thrown: unknown) =>
    log.warn('not everything is on the disks', { reason: String(thrown) }),
  );
  const result = changeMachineState(effect);
  log.warn('the kernel refused, asking the init system', { effect, reason: result.ok ? '' : result.error });
  spawnSync(effect === 'power-off' ? 'poweroff' : 'reboot', ['-f'], { timeout: INIT_LIMIT_MS });
}
