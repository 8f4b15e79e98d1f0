/** The objects of a folder of examples/, for a virtual machine: its console is the serial port. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialConsoleArguments, type ApiObject, type Firmware } from '@tinkerbell/sandbox';
import { parseYaml, toJson } from '@tinkerbell/yaml';
import type { CaseObjects } from './action-case.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

export interface ExampleMachine {
  readonly firmware: Firmware;
  /** Values of the Workflow that a user edits. */
  readonly hardwareMap?: Readonly<Record<string, string>>;
  /** What a user writes for the user-data of the Hardware. */
  readonly userData?: (example: string) => string;
}

export function exampleObjects(folder: string, machine: ExampleMachine): CaseObjects {
  const workflow = objectIn(folder, 'workflow');
  const spec = workflow['spec'] as { hardwareMap: Record<string, string> };
  Object.assign(spec.hardwareMap, machine.hardwareMap);
  return { hardware: exampleHardware(folder, machine), template: objectIn(folder, 'template'), workflow };
}

export function exampleHardware(
  folder: string,
  { firmware, userData = (text) => text }: ExampleMachine,
): ApiObject {
  const hardware = objectIn(folder, 'hardware');
  const spec = hardware['spec'] as { interfaces: { netboot: { osie?: object } }[]; userData?: string };
  for (const { netboot } of spec.interfaces)
    netboot.osie = { ...netboot.osie, kernelParams: serialConsoleArguments(firmware) };
  if (spec.userData !== undefined) spec.userData = userData(spec.userData);
  return hardware;
}

export function exampleMac(folder: string): string {
  return /mac: (\S+)/.exec(textOf(folder, 'hardware'))?.[1] ?? '';
}

/** Of its actions, as the template writes them. */
export function exampleImages(folder: string): readonly string[] {
  return [...textOf(folder, 'template').matchAll(/(?:image|IMAGE): '?([^\s']+)/g)].map(
    ([, image = '']) => image,
  );
}

function textOf(folder: string, name: string): string {
  return readFileSync(join(EXAMPLES, folder, `${name}.yaml`), 'utf8');
}

function objectIn(folder: string, name: string): ApiObject {
  const parsed = parseYaml(textOf(folder, name));
  if (!parsed.ok) throw new Error(`examples/${folder}/${name}.yaml: ${parsed.error.message}`);
  const [document] = parsed.documents;
  if (document === undefined) throw new Error(`examples/${folder}/${name}.yaml is empty`);
  return toJson(document) as unknown as ApiObject;
}
