/** The parts of a machine, from the CIM classes of AMT (Intel AMT SDK, "Hardware Asset"). Unknown members are absent. */
import type { OutOfBandAttributes } from '@tinkerbell/resources';
import { amtClass, childText, type XmlElement } from '@tinkerbell/wsman';
import { BmcError } from '../bmc-error.ts';
import type { AmtClient } from './amt-client.ts';

const KIB = 1000; // CIM_MediaAccessDevice counts in KB of 1,000 bytes

export async function readAmtInventory(client: AmtClient): Promise<OutOfBandAttributes> {
  const all = (resource: string): Promise<readonly XmlElement[]> =>
    client.enumerate(resource).catch(noneIfRefused);
  const [chassis] = await all(amtClass.chassis);
  const [card] = await all(amtClass.card);
  const [bios] = await all(amtClass.bios);
  const software = await all(amtClass.software);
  const processors = await all(amtClass.processor);
  const chips = await all(amtClass.chip);
  const modules = await all(amtClass.memory);
  const drives = await all(amtClass.media);
  const ports = await all(amtClass.ethernet);
  const firmwareVersion = childText(
    software.find((one) => childText(one, 'InstanceID') === 'AMT'),
    'VersionString',
  );
  return present({
    collectionMethod: 'intelamt',
    product: chassis && present({ ...partOf(chassis), name: childText(chassis, 'Model') }),
    chassis: chassis && partOf(chassis),
    baseboard: card && partOf(card),
    bios: bios && biosOf(bios),
    bmc: firmwareVersion === undefined ? undefined : { firmwareVersion },
    cpu: processorsOf(processors, chips),
    memory: memoryOf(modules),
    blockDevices: drives.length === 0 ? undefined : drives.map(driveOf),
    networkInterfaces: portsOf(ports),
  });
}

/** Older firmware lacks classes. */
function noneIfRefused(thrown: unknown): readonly XmlElement[] {
  if (thrown instanceof BmcError && ['rejected', 'unsupported', 'missing-privilege'].includes(thrown.code))
    return [];
  throw thrown;
}

/** Without members that are undefined or empty. */
function present(fields: object) {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

function partOf(element: XmlElement) {
  return present({
    vendor: childText(element, 'Manufacturer'),
    model: childText(element, 'Model'),
    serialNumber: childText(element, 'SerialNumber'),
  });
}

function biosOf(element: XmlElement) {
  return present({
    vendor: childText(element, 'Manufacturer'),
    firmwareVersion: childText(element, 'Version'),
  });
}

/** CIM_Chip has the name that the processor reports of itself. */
function processorsOf(processors: readonly XmlElement[], chips: readonly XmlElement[]) {
  if (processors.length === 0) return undefined;
  const names = chips.flatMap((chip) => childText(chip, 'Version') || []);
  const sockets = processors.map((one, index) =>
    present({
      slot: childText(one, 'DeviceID'),
      model: names[index],
      clockSpeedMHz: numberIn(one, 'MaxClockSpeed'),
    }),
  );
  return { sockets };
}

function memoryOf(modules: readonly XmlElement[]) {
  if (modules.length === 0) return undefined;
  const found = modules.map((one) =>
    present({
      slot: childText(one, 'BankLabel'),
      vendor: childText(one, 'Manufacturer'),
      partNumber: childText(one, 'PartNumber'),
      serialNumber: childText(one, 'SerialNumber'),
      sizeBytes: numberIn(one, 'Capacity'),
      speedMHz: numberIn(one, 'ConfiguredMemoryClockSpeed'),
    }),
  );
  const totalBytes = modules.reduce((sum, one) => sum + (numberIn(one, 'Capacity') ?? 0), 0);
  return { modules: found, totalBytes };
}

function driveOf(element: XmlElement) {
  const size = numberIn(element, 'MaxMediaSize');
  return present({
    description: childText(element, 'DeviceID'),
    sizeBytes: size === undefined ? undefined : size * KIB,
  });
}

/** AMT writes MACs with dashes. */
function portsOf(ports: readonly XmlElement[]) {
  const macs = ports.flatMap((port) => childText(port, 'MACAddress') || []);
  if (macs.length === 0) return undefined;
  return macs.map((mac) => ({ ports: [{ mac: mac.replaceAll('-', ':').toLowerCase() }] }));
}

function numberIn(element: XmlElement, name: string): number | undefined {
  const text = childText(element, name) ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
