/** The condition of a Machine that shows whether its parts could be read. Upstream has none. */
export const INVENTORY_CONDITION = 'InventoryCollected';
