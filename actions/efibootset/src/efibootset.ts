import { ActionError, defineAction } from '@tinkerbell/action-kit';
import {
  bootNumber,
  bootVariable,
  decodeBootOrder,
  decodeLoadOption,
  encodeBootOrder,
  encodeLoadOption,
  freeNumber,
  placeInOrder,
} from '@tinkerbell/efi-boot';

import { EfiVariables } from './efi-variables.ts';
import { findPartition } from './loader-partition.ts';
import { readSettings, type BootPlace, type Settings } from './settings.ts';

const DIRECTORY = '/sys/firmware/efi/efivars';

/** Creates or selects a boot entry. See `settings.ts` for the variables. */
export const efibootsetAction = defineAction('efibootset', async (environment) => {
  const settings = readSettings(environment, process.arch);
  return { message: await setBoot(settings, new EfiVariables(DIRECTORY)) };
});

/** Returns what was done. The entry is written before the order, which then never names a missing one. */
export async function setBoot(settings: Settings, variables: EfiVariables): Promise<string> {
  const { label, loader, place } = settings;
  const entries = await readEntries(variables);
  const known = entries.find(({ description }) => description === label)?.number;
  const number = known ?? freeNumber(new Set(entries.map((entry) => entry.number)));
  if (number === undefined)
    throw new ActionError('all numbers of boot entries are used: remove some in the firmware');
  if (loader !== undefined) {
    const partition = await findPartition(loader.disk, loader.partition);
    await variables.write(bootVariable(number), encodeLoadOption(label, { partition, file: loader.file }));
  } else if (known === undefined) {
    const names = entries.map(({ description }) => JSON.stringify(description)).join(', ') || 'no entries';
    throw new ActionError(`no boot entry has the name ${JSON.stringify(label)}: this machine has ${names}`);
  }
  await setPlace(variables, number, place);
  return `${bootVariable(number)} (${label}) boots ${place}`;
}

interface Entry {
  readonly number: number;
  readonly description: string | undefined;
}

/** An entry that cannot be read keeps its number. */
async function readEntries(variables: EfiVariables): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const name of (await variables.names()).toSorted()) {
    const number = bootNumber(name);
    if (number === undefined) continue;
    const bytes = await variables.read(name);
    entries.push({ number, description: bytes && decodeLoadOption(bytes)?.description });
  }
  return entries;
}

async function setPlace(variables: EfiVariables, number: number, place: BootPlace): Promise<void> {
  if (place === 'next') {
    await variables.write('BootNext', encodeBootOrder([number]));
    return;
  }
  const order = decodeBootOrder((await variables.read('BootOrder')) ?? new Uint8Array(0));
  await variables.write('BootOrder', encodeBootOrder(placeInOrder(order, number, place)));
}
