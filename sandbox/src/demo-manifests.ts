/** The objects of examples/debian, for the requested number of machines. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { parseYaml, toJson } from '@tinkerbell/yaml';
import { isRecord } from '@tinkerbell/yaml/json';

import type { ApiObject } from './api-client.ts';
import type { Firmware } from './firmware.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/debian/', import.meta.url));

export interface DemoMachine {
  readonly name: string;
  readonly mac: string;
  readonly hardware: ApiObject;
  readonly workflow: ApiObject;
}

export interface DemoManifests {
  readonly template: ApiObject;
  readonly machines: readonly DemoMachine[];
}

/** Names, MACs and addresses of further machines count up from the example's. */
export async function loadDemoManifests(count: number, firmware: Firmware): Promise<DemoManifests> {
  const [hardware = '', template = '', workflow = ''] = await Promise.all(
    ['hardware', 'template', 'workflow'].map((name) => readFile(`${EXAMPLE}${name}.yaml`, 'utf8')),
  );
  const name = /name: (\S+)/.exec(hardware)?.[1] ?? '';
  const mac = /mac: (\S+)/.exec(hardware)?.[1] ?? '';
  const address = /address: (\S+)/.exec(hardware)?.[1] ?? '';
  const machines = Array.from({ length: count }, (_, index) => {
    const own = { name: countUpName(name, index), mac: countUpMac(mac, index) };
    const rewrite = (text: string): ApiObject =>
      parseObject(
        text
          .replaceAll(name, own.name)
          .replaceAll(mac, own.mac)
          .replaceAll(`address: ${address}`, `address: ${countUpAddress(address, index)}`)
          .replace('uefi: false', `uefi: ${firmware !== 'bios'}`),
      );
    return { ...own, hardware: rewrite(hardware), workflow: rewrite(workflow) };
  });
  return { template: parseObject(template), machines };
}

function parseObject(text: string): ApiObject {
  const parsed = parseYaml(text);
  if (!parsed.ok) {
    throw new Error(`examples/debian: line ${parsed.error.position.line}: ${parsed.error.message}`);
  }
  const [document] = parsed.documents;
  if (document === undefined) throw new Error('examples/debian: an empty file');
  const object: unknown = toJson(document);
  if (!isApiObject(object)) throw new Error('examples/debian: not an object of the API');
  return object;
}

// The server checks the object. Here it is only passed on.
function isApiObject(value: unknown): value is ApiObject {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  return [value['apiVersion'], value['kind'], value['metadata']['name']].every(
    (one) => typeof one === 'string',
  );
}

function countUpName(name: string, index: number): string {
  return name.replace(/\d+$/, (digits) => String(Number(digits) + index));
}

function countUpMac(mac: string, index: number): string {
  const last = (Number.parseInt(mac.slice(-2), 16) + index) % 256;
  return `${mac.slice(0, -2)}${last.toString(16).padStart(2, '0')}`;
}

function countUpAddress(address: string, index: number): string {
  return address.replace(/\d+$/, (digits) => String(Number(digits) + index));
}
