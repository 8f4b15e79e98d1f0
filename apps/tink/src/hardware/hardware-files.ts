/** Reads the files of `tink hardware push`: manifests, or the hardware format of the first Tink, which it converts. */
import { formatProblem, isRecord } from '@tinkerbell/resources';
import { parseYaml, stringifyYaml, toJson } from '@tinkerbell/yaml';
import { TinkFailure } from '../failure.ts';
import { hardwareFromLegacy, isLegacyHardware } from './legacy-hardware.ts';
import type { SourceFile } from '../manifests/manifest-files.ts';

/** Returns the file as manifests. Calls `note` with the fields that a conversion leaves out. */
export function asHardwareManifests(
  file: SourceFile,
  namespace: string,
  note: (line: string) => void,
): SourceFile {
  const parsed = parseYaml(file.text);
  if (!parsed.ok) return file;
  const values = parsed.documents.map(toJson).flatMap((value) => (Array.isArray(value) ? value : [value]));
  if (!values.some(isLegacyHardware)) {
    if (values.some((value) => isRecord(value) && value['kind'] === undefined && value['id'] !== undefined))
      throw notLegacy(file);
    return file;
  }
  const objects = values.map((value) => {
    if (!isLegacyHardware(value)) throw notLegacy(file);
    const converted = hardwareFromLegacy(value, namespace);
    if (!converted.ok) {
      const lines = converted.problems.map(
        (problem) => `${file.name}: as a Hardware: ${formatProblem(problem)}`,
      );
      throw new TinkFailure([...lines, 'nothing was sent'].join('\n'));
    }
    const { name } = converted.resource.metadata;
    note(`${file.name}: converted from the format of the first Tink to hardware/${name}`);
    if (converted.leftOut.length > 0)
      note(`${file.name}: unsupported fields left out: ${converted.leftOut.join(', ')}`);
    return converted.resource;
  });
  return { name: `${file.name} (converted)`, text: objects.map((one) => stringifyYaml(one)).join('---\n') };
}

function notLegacy(file: SourceFile): TinkFailure {
  return new TinkFailure(
    `${file.name}: neither a Hardware (apiVersion, kind, metadata, spec) nor hardware of the first Tink (id, metadata, network.interfaces)`,
    { advice: 'run "tink hardware push --help" for the smallest Hardware' },
  );
}
