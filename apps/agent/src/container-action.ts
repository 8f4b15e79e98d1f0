/** Runs an action's image as a container, in the action's own process. */
import { readFile } from 'node:fs/promises';
import {
  agentSession,
  ensureSegment,
  hookUrlIn,
  type ActionContext,
  type ActionResult,
} from '@tinkerbell/action-kit';
import { runWithCrun, runWithDocker, type ContainerMachine } from '@tinkerbell/container-runtime';
import { PlatformError } from '@tinkerbell/platform-contract';
import { nodeRandom } from '@tinkerbell/platform-node';
import { OciError } from '@tinkerbell/oci';
import { withOwnServer } from '@tinkerbell/registry-client';
import type { ActionOrder } from './action-messages.ts';
import { BUILT_IN_VARIABLE, type ContainerRuntime } from './execution.ts';
import { isInstalled } from './installed-runtime.ts';

/** Lines of output in the report of a failed container. */
const LINES_KEPT = 20;

export async function runContainerAction(
  order: ActionOrder,
  runtime: ContainerRuntime,
  context: ActionContext,
): Promise<ActionResult> {
  const last: string[] = [];
  try {
    if (runtime === 'crun' && !isInstalled(order.containers.crun)) await ensureSegment('containers', context);
    const code = await exitCodeOf(order, runtime, {
      ...context,
      random: nodeRandom,
      registries: await registriesOf(order),
      onProgress: (message) => context.progress({ message }),
      onLine(stream, line) {
        if (stream === 'stdout') context.log.info(line);
        else context.log.warn(line);
        last.push(line);
        if (last.length > LINES_KEPT) last.shift();
      },
    });
    if (code === 0) return { ok: true, message: 'the container ended with 0' };
    return { ok: false, error: [`the container ended with ${code}`, ...last].join('\n') };
  } catch (error) {
    const isExpected = error instanceof PlatformError || error instanceof OciError || context.signal.aborted;
    if (isExpected && error instanceof Error) return { ok: false, error: error.message };
    throw error;
  }
}

function exitCodeOf(
  order: ActionOrder,
  runtime: ContainerRuntime,
  machine: ContainerMachine,
): Promise<number> {
  const { [BUILT_IN_VARIABLE]: _, ...environment } = order.environment;
  const { crun, directory, dockerSocket } = order.containers;
  switch (runtime) {
    case 'crun':
      return runWithCrun({ ...order, environment }, { ...machine, crun, directory });
    case 'docker':
      return runWithDocker({ ...order, environment }, { ...machine, socket: dockerSocket });
    default:
      return runtime satisfies never;
  }
}

async function registriesOf({ containers }: ActionOrder): Promise<ContainerMachine['registries']> {
  const { authoritiesFile } = containers;
  const kernelArguments = await readFile('/proc/cmdline', 'utf8').catch(() => '');
  const server = { ...agentSession, hookUrl: hookUrlIn(kernelArguments) };
  const registries = withOwnServer(containers.registries, server);
  if (authoritiesFile === '') return registries;
  try {
    return { ...registries, authorities: await readFile(authoritiesFile, 'utf8') };
  } catch (cause) {
    throw new PlatformError('not-found', `registry-ca-file=${authoritiesFile} cannot be read`, { cause });
  }
}
