import {
  bmcJobKind,
  bmcMachineKind,
  bmcTaskKind,
  collectionOf,
  type BmcJob,
  type BmcMachine,
  type BmcTask,
} from '@tinkerbell/resources';
import { Collection } from '@tinkerbell/store-contract';

export const machineCollection = new Collection<BmcMachine>(collectionOf(bmcMachineKind));
export const jobCollection = new Collection<BmcJob>(collectionOf(bmcJobKind));
export const taskCollection = new Collection<BmcTask>(collectionOf(bmcTaskKind));
