/** The hardware attributes that the agent reported. The server keeps them in an annotation of the Hardware. */
import { reportedAttributes } from '@tinkerbell/enrollment';
import { isRecord, type Hardware } from '@tinkerbell/resources';
import { fieldsText, section } from './describe-text.ts';

/** Limit for each kind of device; a server has a hundred PCI devices. */
const SHOWN_MAX = 32;

/** Returns a section of `tink describe hardware`; empty if the annotation is missing or invalid. */
export function inventorySection(hardware: Hardware): string {
  const inventory = reportedAttributes(hardware);
  if (inventory === undefined) return '';
  const { product, chassis, bios, baseboard, cpu, memory } = inventory;
  const fields = [
    ['Product', words(product, ['vendor', 'name'], ['serialNumber'])],
    ['Chassis', words(chassis, ['vendor'], ['serial'])],
    ['Board', words(baseboard, ['vendor', 'product', 'version'], ['serialNumber'])],
    ['BIOS', words(bios, ['vendor', 'version', 'releaseDate'])],
    ['Processor', processorText(cpu)],
    ['Memory', words(memory, ['total'])],
    ...rows('Disk', inventory['blockDevices'], (disk) =>
      words(disk, ['name', 'size', 'vendor', 'model'], ['serialNumber', 'wwn']),
    ),
    ...rows('Network', inventory['networkInterfaces'], (port) => words(port, ['name', 'mac', 'speed'])),
    ...rows('GPU', inventory['gpuDevices'], (device) => words(device, ['vendor', 'product'])),
  ] as const;
  return section('Inventory', fieldsText(fields.map(([name, value]) => [name ?? '', value])));
}

/** Returns `Dell Inc. PowerEdge R640 (serialNumber ABC)`, or undefined if nothing is known. */
function words(part: unknown, plain: readonly string[], named: readonly string[] = []): string | undefined {
  if (!isRecord(part)) return undefined;
  const texts = plain.map((field) => textOf(part[field])).filter((text) => text !== '');
  const details = named.flatMap((field) => {
    const text = textOf(part[field]);
    return text === '' ? [] : [`${field} ${text}`];
  });
  const more = details.length === 0 ? '' : `(${details.join(', ')})`;
  return [...texts, more].filter((text) => text !== '').join(' ') || undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}

function processorText(cpu: unknown): string | undefined {
  if (!isRecord(cpu)) return undefined;
  const [first] = Array.isArray(cpu['processors']) ? (cpu['processors'] as unknown[]) : [];
  const counts = [words(cpu, ['totalCores']), words(cpu, ['totalThreads'])];
  const [cores, threads] = [counts[0] && `${counts[0]} cores`, counts[1] && `${counts[1]} threads`];
  return [words(first, ['vendor', 'model']), cores, threads].filter(Boolean).join(', ') || undefined;
}

function rows(
  title: string,
  list: unknown,
  textOfOne: (one: unknown) => string | undefined,
): readonly (readonly [string, string | undefined])[] {
  if (!Array.isArray(list)) return [];
  const texts = (list as unknown[]).slice(0, SHOWN_MAX).map(textOfOne);
  const more = list.length > SHOWN_MAX ? [`… and ${list.length - SHOWN_MAX} more`] : [];
  return [...texts, ...more].map((text) => [title, text] as const);
}
