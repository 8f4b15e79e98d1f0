import { BOOL, boolValue, type FunctionSpec, STRING, stringValue } from '@tinkerbell/go-template';
import { cleanPath, pathBase, pathDirectory, pathExtension } from '../go/path.ts';
import { text } from './operands.ts';

const isAbsolute: FunctionSpec = {
  params: [STRING],
  result: BOOL,
  call: ([path]) => boolValue(text(path).startsWith('/')),
};

/** Sprig's path functions. Those with `os` are for the system's own paths, which are the same here. */
export const PATH_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  base: ofPath(pathBase),
  dir: ofPath(pathDirectory),
  clean: ofPath(cleanPath),
  ext: ofPath(pathExtension),
  isAbs: isAbsolute,
  osBase: ofPath(pathBase),
  osDir: ofPath(pathDirectory),
  osClean: ofPath(cleanPath),
  osExt: ofPath(pathExtension),
  osIsAbs: isAbsolute,
};

function ofPath(part: (path: string) => string): FunctionSpec {
  return { params: [STRING], result: STRING, call: ([path]) => stringValue(part(text(path))) };
}
