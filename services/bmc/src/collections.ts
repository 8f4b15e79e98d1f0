import { bmcJobKind, bmcTaskKind, collectionOf, type BmcJob, type BmcTask } from '@tinkerbell/resources';
import { Collection } from '@tinkerbell/store-contract';

export { bmcMachineCollection as machineCollection } from '@tinkerbell/store-contract';
export const jobCollection = new Collection<BmcJob>(collectionOf(bmcJobKind));
export const taskCollection = new Collection<BmcTask>(collectionOf(bmcTaskKind));
