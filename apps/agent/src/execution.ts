/** Decides how an action's image runs: built in, or as a container. docs/guides/actions.md describes the rules. */
import { parseReference, type ImageReference } from '@tinkerbell/oci';
import { actionName, BUILT_IN_NAMES, unknownImage, WAIT_DAEMON } from './built-in-actions.ts';

export type ContainerRuntime = 'crun' | 'docker';

export interface ExecutionRules {
  readonly builtInActions: 'auto' | 'never';
  /** Undefined if this machine cannot run containers. */
  readonly runtime: ContainerRuntime | undefined;
}

export type Execution =
  | { readonly kind: 'built-in' }
  | { readonly kind: 'wait-daemon' }
  | { readonly kind: 'container'; readonly runtime: ContainerRuntime }
  | { readonly kind: 'refused'; readonly error: string };

/** Shells, which other registries have with other contents. */
const SHELLS = new Set(['alpine', 'busybox']);

/** The variable of an action that overrides `--built-in-actions`. */
export const BUILT_IN_VARIABLE = 'TINKERBELL_BUILT_IN_ACTIONS';

export interface ExecutionRequest {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
}

export function executionOf({ image, environment }: ExecutionRequest, rules: ExecutionRules): Execution {
  const { runtime } = rules;
  const isNever = (environment[BUILT_IN_VARIABLE] ?? rules.builtInActions) === 'never';
  const own = builtInExecution(image, runtime !== undefined);
  // Only the agent itself can start an image later.
  if (own?.kind === 'wait-daemon') return own;
  if (own !== undefined && !isNever) return own;
  if (runtime !== undefined) return { kind: 'container', runtime };
  const reason = own === undefined ? unknownImage(image) : `built-in actions are disabled for ${image}`;
  return {
    kind: 'refused',
    error: `${reason}; this machine cannot run containers: install crun, or set --runtime`,
  };
}

/** Undefined for an image that is not built in. */
function builtInExecution(image: string, canRunContainers: boolean): Execution | undefined {
  const name = actionName(image);
  const isOwn = isOfficial(name, image) || (!canRunContainers && !SHELLS.has(name));
  if (!isOwn || !BUILT_IN_NAMES.includes(name)) return undefined;
  return { kind: name === WAIT_DAEMON ? 'wait-daemon' : 'built-in' };
}

/** The names that upstream publishes, also in copies with the same path, and names without a registry. */
function isOfficial(name: string, image: string): boolean {
  const reference = referenceIn(image);
  if (reference === undefined) return false;
  const { registry, repository } = reference;
  if (registry === 'docker.io' && repository === `library/${name}`) return true;
  if (SHELLS.has(name)) return false;
  if (registry === 'ghcr.io' && repository === `jacobweinstock/${name}`) return true;
  // Upstream publishes cidataio here.
  if (registry === 'ghcr.io' && repository === `tinkerbell/${name}`) return true;
  return [`tinkerbell/actions/${name}`, `tinkerbell-actions/${name}`].some(
    (path) => repository === path || repository.endsWith(`/${path}`),
  );
}

function referenceIn(image: string): ImageReference | undefined {
  try {
    return parseReference(image);
  } catch {
    return undefined;
  }
}
