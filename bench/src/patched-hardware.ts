/** Changes of stored Hardware over the API. */
import { hardwareOf } from './machines.ts';

export const HARDWARE = '/apis/tinkerbell.org/v1alpha1/namespaces/default/hardware';

/** Merges the metadata into that of a machine. @throws Error when the change is refused. */
export async function patchMetadata(url: string, machine: number, metadata: object): Promise<void> {
  const { name } = hardwareOf(machine).metadata;
  const response = await fetch(`${url}${HARDWARE}/${name}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ metadata }),
  });
  if (!response.ok) throw new Error(`a change was refused: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
}
