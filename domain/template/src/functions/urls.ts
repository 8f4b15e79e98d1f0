import {
  FunctionError,
  type FunctionSpec,
  INTERFACE_MAP,
  mapValue,
  STRING,
  stringValue,
  unwrapInterface,
  type Value,
} from '@tinkerbell/go-template';
import { kindName } from './reflection.ts';
import { hostnameOf, parseUrl, urlText, userInfoText, type UserInfo } from '../go/url.ts';
import { text } from './operands.ts';
import { UrlError } from './url-escape.ts';

/** Sprig's functions that parse and build URLs. */
export const URL_FUNCTIONS: Readonly<Record<string, FunctionSpec>> = {
  urlParse: {
    params: [STRING],
    result: INTERFACE_MAP,
    call: ([source]) => {
      const url = told('unable to parse url', () => parseUrl(text(source)));
      const { scheme, host, path, query, opaque, fragment, user } = url;
      const userinfo = user === undefined ? '' : userInfoText(user);
      const parts = { scheme, host, hostname: hostnameOf(url), path, query, opaque, fragment, userinfo };
      return mapValue(Object.entries(parts).map(([name, part]) => [name, stringValue(part)] as const));
    },
  },
  urlJoin: { params: [INTERFACE_MAP], result: STRING, call: ([dict]) => stringValue(joined(dict)) },
};

function joined(dict: Value | undefined): string {
  const part = (name: string): string => partOf(dict, name);
  const [scheme, host, path] = [part('scheme'), part('host'), part('path')];
  const [query, opaque, fragment] = [part('query'), part('opaque'), part('fragment')];
  const user = userOf(part('userinfo'));
  return urlText({ scheme, host, path, query, opaque, fragment, user });
}

function partOf(dict: Value | undefined, name: string): string {
  const held = dict?.kind === 'map' ? dict.entries?.get(name) : undefined;
  if (held === undefined) return '';
  const value = unwrapInterface(held);
  if (value.kind === 'string') return value.value;
  if (value.kind === 'nil') {
    throw new FunctionError('runtime error: invalid memory address or nil pointer dereference');
  }
  throw new FunctionError(
    `unable to parse ${name} key, must be of type string, but ${kindName(value)} found`,
  );
}

function userOf(userinfo: string): UserInfo | undefined {
  if (userinfo === '') return undefined;
  return told('unable to parse userinfo in dict', () => parseUrl(`proto://${userinfo}@host`)).user;
}

function told<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UrlError) throw new FunctionError(`${what}: ${error.message}`);
    throw error;
  }
}
