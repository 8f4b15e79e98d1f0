/** A folder of examples/ on a virtual machine, as it is: only values that a user edits anyway are set. */
import type { ActionCase } from './action-case.ts';
import { exampleImages, exampleMac, exampleObjects, type ExampleMachine } from './example-objects.ts';
import type { Site } from './site/open-site.ts';

export type ExampleRest = Omit<ActionCase, 'name' | 'mac' | 'firmware' | 'images' | 'objects'> & {
  /** Returns further values of the Workflow. */
  readonly prepare?: (site: Site) => Promise<ExampleMachine['hardwareMap'] | void>;
};

export function exampleCase(folder: string, machine: ExampleMachine, rest: ExampleRest): ActionCase {
  const { prepare, ...others } = rest;
  return {
    ...others,
    name: `example-${folder}`,
    mac: exampleMac(folder),
    firmware: machine.firmware,
    images: exampleImages(folder),
    async objects(site) {
      const values = await prepare?.(site);
      return exampleObjects(folder, { ...machine, hardwareMap: { ...machine.hardwareMap, ...values } });
    },
  };
}
