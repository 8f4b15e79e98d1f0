/** Returns a hash of the content of all sources of the web console. */
export function consoleStamp(root: string): string;
/** Returns whether `out/console` is built from the current sources. */
export function isConsoleBuilt(root: string): boolean;
