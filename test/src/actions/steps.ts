/** Short forms of actions, with the names and variables that upstream's templates use. */
import { serverAddress } from '../bare-machine.ts';
import type { ActionStep } from './action-case.ts';
import { SERVER } from './case-objects.ts';

const TIMEOUT_SECONDS = 600;

/** An official action, such as `writefile`. The name of the step is the action's, and what it does. */
export function step(
  action: string,
  environment: Readonly<Record<string, string>>,
  rest: Partial<ActionStep> = {},
): ActionStep {
  return {
    name: rest.name ?? action,
    image: `quay.io/tinkerbell/actions/${action}:latest`,
    timeout: TIMEOUT_SECONDS,
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    ...rest,
  };
}

/** As upstream: the command selects the work. Port 50061 is upstream's default. */
export function rootio(command: 'partition' | 'format' | 'wipe' | 'version', variables = {}): ActionStep {
  const environment = { MIRROR_HOST: serverAddress, ...variables };
  return step('rootio', environment, { name: `rootio ${command}`, command: [command] });
}

export function writeFile(disk: string, path: string, contents: string): ActionStep {
  return step('writefile', {
    DEST_DISK: disk,
    FS_TYPE: 'ext4',
    DEST_PATH: path,
    CONTENTS: contents,
    UID: '0',
    GID: '0',
    MODE: '0640',
    DIRMODE: '0755',
  });
}

export function imageUrl(file: string): string {
  return `http://${SERVER}/images/${file}`;
}

/** The images of actions, with those that waitdaemon starts. */
export function imagesOf(steps: readonly ActionStep[]): readonly string[] {
  return steps.flatMap(({ image, environment }) => [image, environment?.['IMAGE'] ?? []].flat());
}
