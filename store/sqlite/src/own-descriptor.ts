import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';

/** Where Linux lists the open files of a process. */
const DESCRIPTORS = '/proc/self/fd';

/**
 * Opens something with `open`, and returns it with the descriptor that it opened for the file at `path`. The descriptor is undefined
 * where the system lists none. A second descriptor would not do, because SQLite's locks belong to the process, and closing any
 * descriptor of the file drops them (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 *
 * For that reason SQLite leaves the descriptor of a closed connection open while another one has locks, and gives it to the next
 * connection. Then the descriptor is the last one that was open before, which is as good for a sync.
 */
export function openWithDescriptor<Opened>(
  path: string,
  open: () => Opened,
): { readonly opened: Opened; readonly descriptor: number | undefined } {
  const before = descriptorsOf(path);
  const opened = open();
  const descriptor = descriptorsOf(path).find((one) => !before.includes(one)) ?? before.at(-1);
  return { opened, descriptor };
}

function descriptorsOf(path: string): readonly number[] {
  const file = existsSync(path) ? realpathSync(path) : undefined;
  return file === undefined
    ? []
    : descriptors()
        .filter((one) => targetOf(one) === file)
        .map(Number);
}

function descriptors(): readonly string[] {
  try {
    return readdirSync(DESCRIPTORS);
  } catch {
    return [];
  }
}

/** Undefined when another thread has closed it meanwhile. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`${DESCRIPTORS}/${descriptor}`);
  } catch {
    return undefined;
  }
}
