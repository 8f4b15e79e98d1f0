/** Header fields as HTTP/2 sends them, and as the gateway keeps them. */
import { encodeList, type Fields } from '@tinkerbell/http2';
import type { HeaderFields } from './header-fields.ts';

/** Returns the fields by name, without pseudo-header fields. Repeated ones are joined as their names require (RFC 9113, section 8.2.3; RFC 9110, section 5.3). */
export function fieldsByName(fields: Fields): Record<string, string | string[]> {
  const byName: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]];
    if (name.startsWith(':')) continue;
    const before = byName[name];
    if (before === undefined) byName[name] = name === 'set-cookie' ? [value] : value;
    else if (Array.isArray(before)) before.push(value);
    else byName[name] = name === 'cookie' ? `${before}; ${value}` : `${before}, ${value}`;
  }
  return byName;
}

/** Returns a block of the pseudo-header fields in `first`, by turns with their values, and of `fields`. */
export function blockOf(first: Fields, fields: HeaderFields): Uint8Array {
  return encodeList(listOf(first, fields), allocate);
}

export interface RequestLine {
  readonly method: string;
  readonly scheme: string;
  readonly authority: string;
  /** With the query. */
  readonly path: string;
  readonly fields: HeaderFields;
}

export function requestBlock(request: RequestLine): Uint8Array {
  return encodeList(requestFields(request), allocate);
}

export function requestFields({ method, scheme, authority, path, fields }: RequestLine): Fields {
  return listOf([':method', method, ':scheme', scheme, ':authority', authority, ':path', path], fields);
}

function listOf(first: Fields, fields: HeaderFields): Fields {
  const list = [...first];
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value === 'string') list.push(name, value);
    else for (const one of value ?? []) list.push(name, one);
  }
  return list;
}

function allocate(bytes: number): Uint8Array {
  return Buffer.allocUnsafe(bytes);
}
