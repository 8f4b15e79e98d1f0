/** Advice with the names of this machine in its commands, so that they can be run as they are. */
import type { Workflow } from '@tinkerbell/resources';
import type { Facts } from '../facts.ts';

const PLACEHOLDER = /\b(?:MACHINE|WORKFLOW|TEMPLATE)\b/g;
/** That of commands without `-n`. */
const DEFAULT_NAMESPACE = 'default';

/** Replaces MACHINE, WORKFLOW and TEMPLATE where they are known. `workflow`: namespace and name, if it is not the last one of the boot. */
export function namedAdvice(
  advice: readonly string[],
  facts: Pick<Facts, 'hardware' | 'workflows' | 'unfinished' | 'boot'>,
  workflow?: string,
): readonly string[] {
  const names: Readonly<Record<string, string | undefined>> = namesIn(facts, workflow);
  return advice.map((text) =>
    text.replaceAll(PLACEHOLDER, (placeholder) => names[placeholder] ?? placeholder),
  );
}

function namesIn(
  {
    hardware,
    workflows = [],
    unfinished,
    boot,
  }: Pick<Facts, 'hardware' | 'workflows' | 'unfinished' | 'boot'>,
  given: string | undefined,
) {
  const named = given ?? boot.findLast((record) => record.workflow !== undefined)?.workflow;
  const found = workflows.find((one) => keyOf(one) === named) ?? unfinished[0] ?? workflows.at(-1);
  const template = found?.spec?.templateRef;
  return {
    MACHINE: hardware === undefined ? undefined : argument(hardware.metadata),
    WORKFLOW: found === undefined ? undefined : argument(found.metadata),
    TEMPLATE:
      found === undefined || template === undefined
        ? undefined
        : argument({ ...found.metadata, name: template }),
  };
}

function keyOf({ metadata }: Workflow): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function argument({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return namespace === undefined || namespace === DEFAULT_NAMESPACE ? name : `${name} -n ${namespace}`;
}
