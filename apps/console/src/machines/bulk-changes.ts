/** Operations on many machines: the request for each, and the command that does the same. */
import type { Hardware } from '@tinkerbell/resources';
import { hardware, pathOf } from '../api/kinds.ts';
import { sendForJson } from '../api/request.ts';
import { createJob, powerTitle } from '../machine/bmc-job.ts';
import { inNamespace, shellWord } from '../parts/shell-word.ts';
import type { MachineRow } from './machine-row.ts';

export type BulkChange =
  | { readonly kind: 'power'; readonly operation: string }
  | { readonly kind: 'label'; readonly name: string; readonly value: string }
  | { readonly kind: 'netboot'; readonly isAllowed: boolean };

/** Rejects with an ApiFailure. */
export async function changeOne(change: BulkChange, row: MachineRow): Promise<void> {
  switch (change.kind) {
    case 'power':
      await createJob(row.hardware, {
        word: `power-${change.operation}`,
        tasks: [{ powerAction: change.operation }],
      });
      return;
    case 'label':
      return patch(row, {
        metadata: { labels: { [change.name]: change.value === '' ? null : change.value } },
      });
    case 'netboot':
      return patch(row, netbootPatch(row.hardware, change.isAllowed));
  }
}

/** A merge patch replaces lists, so that the revision must not have changed. */
export function netbootPatch({ metadata, spec }: Hardware, allowPXE: boolean): object {
  const interfaces = (spec?.interfaces ?? []).map((one) => ({
    ...one,
    netboot: { ...one.netboot, allowPXE },
  }));
  return { metadata: { resourceVersion: metadata.resourceVersion }, spec: { interfaces } };
}

async function patch({ namespace, name }: MachineRow, body: object): Promise<void> {
  const contentType = 'application/merge-patch+json';
  await sendForJson(pathOf(hardware, namespace, name), { method: 'PATCH', body, contentType });
}

export function problemWith(change: BulkChange, { bmc }: MachineRow): string | undefined {
  return change.kind === 'power' && bmc === '' ? 'it has no BMC' : undefined;
}

export function commandFor(change: BulkChange, rows: readonly MachineRow[]): string {
  const namespaces = [...new Set(rows.map(({ namespace }) => namespace))];
  return namespaces
    .map((namespace) => {
      const names = rows.filter((row) => row.namespace === namespace).map(({ name }) => shellWord(name));
      return oneCommand(change, names.join(' '), inNamespace(namespace));
    })
    .join('\n');
}

function oneCommand(change: BulkChange, names: string, place: string): string {
  switch (change.kind) {
    case 'power':
      return `tink power ${change.operation} ${names}${place}`;
    case 'label':
      return change.value === ''
        ? `kubectl label hardware ${names} ${shellWord(`${change.name}-`)}${place}`
        : `kubectl label hardware ${names} ${shellWord(`${change.name}=${change.value}`)} --overwrite${place}`;
    case 'netboot':
      return `tink edit hardware ${names}${place}   # spec.interfaces[].netboot.allowPXE: ${change.isAllowed}`;
  }
}

export function titleOf(change: BulkChange): string {
  switch (change.kind) {
    case 'power':
      return powerTitle(change.operation);
    case 'label':
      return change.value === ''
        ? `Remove the label ${change.name}`
        : `Set the label ${change.name}=${change.value}`;
    case 'netboot':
      return change.isAllowed ? 'Allow netboot' : 'Deny netboot';
  }
}
