/** The schemas Processor and Memory. */
import { objectIn, textIn, type RedfishObject } from '@tinkerbell/redfish';
import { componentOf, countIn, identityOf, isAbsent, present, statusOf, sumOf } from './part-fields.ts';

const MIB_BYTES = 2 ** 20;
const GIB_BYTES = 2 ** 30;

export function cpuOf(processors: readonly RedfishObject[]) {
  const sockets = processors.filter((one) => !isAbsent(one) && isCpu(one)).map(socketOf);
  if (sockets.length === 0) return undefined;
  return present({
    sockets,
    totalCores: sumOf(sockets.map(({ cores }) => cores)),
    totalThreads: sumOf(sockets.map(({ threads }) => threads)),
  });
}

/** Services before schema 1.0 do not state the type. */
function isCpu(processor: RedfishObject): boolean {
  return (textIn(processor, 'ProcessorType') ?? 'CPU') === 'CPU';
}

function socketOf(processor: RedfishObject) {
  return present({
    ...identityOf(processor),
    clockSpeedMHz: countIn(processor, 'MaxSpeedMHz') ?? countIn(processor, 'OperatingSpeedMHz'),
    cores: countIn(processor, 'TotalCores'),
    threads: countIn(processor, 'TotalThreads'),
    firmwareVersion: textIn(processor, 'FirmwareVersion'),
    slot: textIn(processor, 'Socket') ?? textIn(processor, 'Id'),
  });
}

export function gpusOf(processors: readonly RedfishObject[]) {
  const isGpu = (one: RedfishObject) =>
    ['GPU', 'Accelerator'].includes(textIn(one, 'ProcessorType') ?? '') && !isAbsent(one);
  return processors
    .filter((one) => isGpu(one))
    .map((one) => present({ ...componentOf(one), description: textIn(one, 'Description') }));
}

export function memoryOf(system: RedfishObject, memory: readonly RedfishObject[]) {
  const modules = memory.filter((one) => !isAbsent(one)).map(moduleOf);
  const summary = countIn(objectIn(system, 'MemorySummary'), 'TotalSystemMemoryGiB', GIB_BYTES);
  const totalBytes = summary ?? sumOf(modules.map(({ sizeBytes }) => sizeBytes));
  if (modules.length === 0 && totalBytes === undefined) return undefined;
  return present({ modules: modules.length === 0 ? undefined : modules, totalBytes });
}

function moduleOf(module: RedfishObject) {
  return present({
    ...identityOf(module),
    formFactor: textIn(module, 'BaseModuleType'),
    partNumber: textIn(module, 'PartNumber'),
    sizeBytes: countIn(module, 'CapacityMiB', MIB_BYTES),
    slot: textIn(module, 'DeviceLocator') ?? textIn(module, 'Id'),
    speedMHz: countIn(module, 'OperatingSpeedMhz'),
    firmwareVersion: textIn(module, 'FirmwareRevision'),
  });
}

/** TrustedModules of the schema ComputerSystem. */
export function tpmsOf(modules: readonly RedfishObject[]) {
  return modules
    .filter((one) => !isAbsent(one))
    .map((one) =>
      present({
        interfaceType: textIn(one, 'InterfaceType'),
        firmwareVersion: textIn(one, 'FirmwareVersion'),
        status: statusOf(one),
      }),
    );
}
