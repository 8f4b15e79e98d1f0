import type { FileInfo, Files } from '@tinkerbell/platform-contract';

/** Files of a flat folder in memory. Every root is that folder. */
export function memoryFiles(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): Files {
  const infoOf = (name: string): FileInfo | undefined => {
    const bytes = files.get(name);
    if (bytes === undefined) return undefined;
    return { sizeBytes: bytes.length, modifiedMs: 0, isFile: true, isDirectory: false, realPath: name };
  };
  return {
    stat: (_, name) => Promise.resolve(infoOf(name)),
    read: (_, name) => Promise.resolve(files.get(name)),
    readRange(_, name, { start, end }) {
      const [bytes, info] = [files.get(name), infoOf(name)];
      return Promise.resolve(bytes && info && { bytes: bytes.slice(start, end + 1), info });
    },
    stream: (_, name, { start, end }) =>
      new ReadableStream({
        start(controller) {
          controller.enqueue((files.get(name) ?? new Uint8Array()).slice(start, end + 1));
          controller.close();
        },
      }),
    names: () => Promise.resolve([...files.keys()]),
  };
}
