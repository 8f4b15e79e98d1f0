export { inventoryAction } from './inventory.ts';
