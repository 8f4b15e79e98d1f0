import { ActionError } from '../action-error.ts';

const ARGUMENT = 'hook_url';

/** Returns the address of the folder with kernel and initramfs. Undefined if no argument has it. The last one counts. */
export function hookUrlIn(kernelArguments: string): string | undefined {
  const word = kernelArguments.split(/\s+/).findLast((one) => one.startsWith(`${ARGUMENT}=`));
  return word?.slice(ARGUMENT.length + 1) || undefined;
}

/**
 * Returns the address of a file beside kernel and initramfs. The boot script passes the address of their folder
 * in the kernel arguments.
 *
 * @throws ActionError when there is none.
 */
export function hookFileUrl(kernelArguments: string, file: string): URL {
  const text = hookUrlIn(kernelArguments);
  if (text === undefined)
    throw new ActionError(
      `the kernel arguments do not name the server of ${file}: add ${ARGUMENT}=http://<server>:7080/hook to the kernel arguments of this machine`,
    );
  const url = URL.parse(`${text.replace(/\/+$/, '')}/${file}`);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ActionError(
    `the kernel argument ${ARGUMENT}=${text} must be the address of a folder, such as http://192.0.2.1:7080/hook`,
  );
}
