import type { KernelArgument } from './kernel-arguments.ts';

/** A value that a boot loader would not read as plain text. `message` names the field and the fix. */
export class LoaderValueError extends Error {}

const VALUE_CHARACTERS_MAX = 2_048;

/**
 * GRUB, PXELINUX and U-Boot each give a meaning to some of these: quotes and backslashes, `$` and braces (variables and blocks),
 * control characters (the next command). Kernel arguments do not need them.
 */
const FORBIDDEN = /[^\x20-\x7e]|["'`$\\{}]/;

/** @throws LoaderValueError */
export function checkedText(field: string, text: string, mayHoldSpaces = false): string {
  const found = FORBIDDEN.exec(text)?.[0];
  if (found !== undefined)
    throw new LoaderValueError(
      `${field}: holds ${JSON.stringify(found)}, which a boot loader would not take as text; remove it`,
    );
  if (!mayHoldSpaces && text.includes(' '))
    throw new LoaderValueError(`${field}: holds a space, which would start another argument; remove it`);
  if (text.length > VALUE_CHARACTERS_MAX)
    throw new LoaderValueError(`${field}: has more than ${VALUE_CHARACTERS_MAX} characters`);
  return text;
}

/** The arguments as words of a kernel's command line. @throws LoaderValueError */
export function commandLineWords(kernelArguments: readonly KernelArgument[]): readonly string[] {
  return kernelArguments.flatMap(({ name, field, value, mayHoldSpaces }) => {
    const text = checkedText(field, value, mayHoldSpaces);
    return (name === '' ? text : `${name}=${text}`).split(' ').filter((each) => each !== '');
  });
}
