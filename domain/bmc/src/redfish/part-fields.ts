/** Fields that parts of every kind have (schema Resource). */
import { numberIn, objectIn, textIn, type RedfishObject } from '@tinkerbell/redfish';

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without the fields that are undefined. */
export function present<Fields extends Readonly<Record<string, unknown>>>(fields: Fields): Present<Fields>;
export function present(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Undefined instead of an object without fields. */
export function unlessEmpty<Part extends object>(part: Part): Part | undefined {
  return Object.keys(part).length === 0 ? undefined : part;
}

export function statusOf(resource: RedfishObject | undefined) {
  const status = objectIn(resource, 'Status');
  return unlessEmpty(present({ health: textIn(status, 'Health'), state: textIn(status, 'State') }));
}

/** An empty slot. */
export function isAbsent(resource: RedfishObject): boolean {
  return textIn(objectIn(resource, 'Status'), 'State') === 'Absent';
}

export function identityOf(resource: RedfishObject | undefined) {
  return present({
    model: textIn(resource, 'Model'),
    serialNumber: textIn(resource, 'SerialNumber'),
    vendor: textIn(resource, 'Manufacturer'),
  });
}

/** Identity, firmware and status. */
export function componentOf(resource: RedfishObject | undefined) {
  return present({
    ...identityOf(resource),
    firmwareVersion: textIn(resource, 'FirmwareVersion'),
    status: statusOf(resource),
  });
}

/** A count, size or speed, as a whole number. Negative ones are unknown values of some firmware. */
export function countIn(resource: RedfishObject | undefined, name: string, factor = 1): number | undefined {
  const value = numberIn(resource, name);
  const whole = value === undefined || value < 0 ? undefined : Math.round(value * factor);
  return Number.isSafeInteger(whole) ? whole : undefined;
}

/** Undefined when no value is known. */
export function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}
