/** Writes transfers of kernels and images to the timeline of the machine that requested them. */
import type { HttpPeer } from '@tinkerbell/platform-contract';
import type { ImagesDeps, TransferProgress } from '@tinkerbell/service-images';
import { primaryMacOf } from '@tinkerbell/resources';
import type { Journal, View } from '@tinkerbell/store-contract';

const events: Readonly<Record<TransferProgress['kind'], string>> = {
  started: 'transfer-started',
  moved: 'transfer-moved',
  completed: 'transfer-completed',
  'broken-off': 'transfer-broken-off',
};

export function imageTimeline(journal: Journal, view: View): Pick<ImagesDeps, 'onTransfer' | 'onMissing'> {
  const machineAt = (peer: HttpPeer): string | undefined => {
    const [hardware, ...others] = view.hardwareByIp(peer.address);
    return others.length === 0 ? primaryMacOf(hardware) : undefined;
  };
  return {
    onTransfer(progress) {
      const machine = machineAt(progress.peer);
      if (machine === undefined) return;
      const { path, offset, sentBytes, totalBytes, milliseconds, bytesPerSecond } = progress;
      const details = { path, offset, sentBytes, totalBytes, milliseconds, bytesPerSecond };
      journal.append({
        source: 'image',
        event: events[progress.kind],
        machine,
        message: messageOf(progress),
        details,
      });
    },
    onMissing(peer, path) {
      const machine = machineAt(peer);
      if (machine === undefined) return;
      journal.append({
        source: 'image',
        event: 'file-missing',
        machine,
        message: `${path}: file not found`,
        details: { path },
      });
    },
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
      return `${path}: aborted after ${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`;
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
