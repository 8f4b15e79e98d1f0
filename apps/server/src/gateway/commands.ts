/** `tinkerbell gateway check FILE` and `tinkerbell cert init|issue NAME...|show`. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { routesIn } from '@tinkerbell/service-gateway/routes';
import { initAuthority, issueCertificate } from './authority.ts';
import { givenFlags } from '../settings/given-flags.ts';

/** Returns the output, or undefined if `words` are not one of these commands. Throws an error with a message for the operator. */
export function gatewayCommand(
  [first, second, ...others]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (first === 'gateway' && second === 'check') return checked(others);
  if (first !== 'cert' || !['init', 'issue', 'show'].includes(second ?? '')) return undefined;
  const at = others.findIndex((word) => word.startsWith('-'));
  const [names, flags] = at < 0 ? [others, []] : [others.slice(0, at), others.slice(at)];
  const directory = join(resolve(givenFlags(flags, environment).reader.text('data-dir')), 'gateway');
  if (second !== 'issue') return initAuthority(directory);
  return issueCertificate(directory, names)
    .map(({ certFile, keyFile }) => `${certFile}\n${keyFile}\n`)
    .join('');
}

function checked([path]: readonly string[]): string {
  if (path === undefined) throw new Error('usage: tinkerbell gateway check FILE');
  const { listeners, routes, forwards } = routesIn(readFileSync(path, 'utf8'), path);
  return `${path}: ${listeners.length} listeners, ${routes.length} routes, ${forwards.length} forwards\n`;
}
