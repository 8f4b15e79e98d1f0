/** Attributes as JSON with upstream's names and order (its pkg/data): what rules match, and what the annotation holds. */
import { isRecord, type Hardware } from '@tinkerbell/resources';
import type { AgentAttributes } from './agent-attributes.ts';

export type AttributesJson = Readonly<Record<string, unknown>>;

export const ATTRIBUTES_ANNOTATION = 'tinkerbell.org/agent-attributes';
/** Upstream omits larger values. */
const ANNOTATION_BYTES_MAX = 64 * 1024;

const processor = ['id', 'cores', 'threads', 'vendor', 'model', 'capabilities'];
const blockDevice = [
  'name',
  'controllerType',
  'driveType',
  'size',
  'physicalBlockSize',
  'vendor',
  'model',
  'wwn',
  'serialNumber',
];
const busDevice = ['vendor', 'product', 'class', 'driver'];

/** Omits fields that were not sent, and empty lists. Texts that were sent empty stay. */
export function attributesJson(attributes: AgentAttributes): AttributesJson {
  const { cpu } = attributes;
  return {
    ...(cpu === undefined
      ? {}
      : {
          cpu: {
            ...chosen(cpu, ['totalCores', 'totalThreads']),
            ...list('processors', cpu.processors, processor),
          },
        }),
    ...part('memory', attributes.memory, ['total', 'usable']),
    ...list('blockDevices', attributes.block, blockDevice),
    ...list('networkInterfaces', attributes.network, ['name', 'mac', 'speed', 'enabledCapabilities']),
    ...list('pciDevices', attributes.pci, busDevice),
    ...list('gpuDevices', attributes.gpu, busDevice),
    ...part('chassis', attributes.chassis, ['serial', 'vendor']),
    ...part('bios', attributes.bios, ['vendor', 'version', 'releaseDate']),
    ...part('baseboard', attributes.baseboard, ['vendor', 'product', 'version', 'serialNumber']),
    ...part('product', attributes.product, ['name', 'vendor', 'serialNumber']),
  };
}

/**
 * Returns the annotation of a Hardware or Workflow. Returns undefined without attributes, and for more than
 * 64 KiB.
 */
export function attributesAnnotation(attributes: AttributesJson | undefined): Record<string, string> {
  if (attributes === undefined) return {};
  const text = JSON.stringify(attributes);
  return utf8Length(text) > ANNOTATION_BYTES_MAX ? {} : { [ATTRIBUTES_ANNOTATION]: text };
}

/** Returns what the agent of the machine has reported. Returns undefined without the annotation, and for one that is invalid. */
export function reportedAttributes({ metadata }: Pick<Hardware, 'metadata'>): AttributesJson | undefined {
  const text = metadata.annotations?.[ATTRIBUTES_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function part(name: string, value: object | undefined, fields: readonly string[]): AttributesJson {
  return value === undefined ? {} : { [name]: chosen(value, fields) };
}

function list(
  name: string,
  values: readonly object[] | undefined,
  fields: readonly string[],
): AttributesJson {
  if (values === undefined || values.length === 0) return {};
  return { [name]: values.map((value) => chosen(value, fields)) };
}

function chosen(source: object, fields: readonly string[]): AttributesJson {
  const values: AttributesJson = { ...source };
  return Object.fromEntries(
    fields
      .filter((field) => Object.hasOwn(values, field) && isSaid(values[field]))
      .map((field) => [field, values[field]]),
  );
}

function isSaid(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

/** Code points below these take 1, 2, 3 or 4 bytes. */
const UTF8_LIMITS = [0x80, 0x800, 0x10000, 0x110000];

function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += UTF8_LIMITS.findIndex((limit) => code < limit) + 1;
  }
  return length;
}
