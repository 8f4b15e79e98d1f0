/** Transfers of kernels and images, written to the timeline of the machine that asked. */
import type { OnTransfer, TransferProgress } from '@tinkerbell/service-images';
import { primaryMacOf } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';

const events: Readonly<Record<TransferProgress['kind'], string>> = {
  started: 'transfer-started',
  moved: 'transfer-moved',
  completed: 'transfer-completed',
  'broken-off': 'transfer-broken-off',
};

export function imageTimeline(journal: Journal, view: View): OnTransfer {
  return (progress) => {
    const [hardware, ...others] = view.hardwareByIp(progress.peer.address);
    const machine = others.length === 0 ? primaryMacOf(hardware) : undefined;
    if (machine === undefined) return;
    const { path, offset, sentBytes, totalBytes, milliseconds, bytesPerSecond } = progress;
    journal.append({
      source: 'image',
      event: events[progress.kind],
      machine,
      message: messageOf(progress),
      details: { path, offset, sentBytes, totalBytes, milliseconds, bytesPerSecond },
    });
  };
}

function messageOf({ kind, path, sentBytes, totalBytes, offset, bytesPerSecond }: TransferProgress): string {
  const rate = `${megabytes(bytesPerSecond)} MB/s`;
  switch (kind) {
    case 'started':
      return `${path}: ${megabytes(totalBytes)} MB${offset > 0 ? `, resumed at ${megabytes(offset)} MB` : ''}`;
    case 'moved':
      return `${path}: ${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB, ${rate}`;
    case 'completed':
      return `${path}: ${megabytes(sentBytes)} MB sent, ${rate}`;
    case 'broken-off':
      return `${path}: broken off after ${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
