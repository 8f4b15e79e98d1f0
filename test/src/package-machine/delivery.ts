/** What the administrator brings to the server: packages of two versions, the objects of one machine, and its image. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextVersion } from '@tinkerbell/packaging/testing';
import type { ApiObject, DemoMachine } from '@tinkerbell/sandbox';
import { serverAddress } from '../bare-machine.ts';

export const NEXT_VERSION = '0.1.1';
export const WORKFLOW = 'install';
const IMAGE = 'small.img';
const IMAGE_BYTES = 8 * 1024 * 1024;

const template = `version: "0.1"
name: install
global_timeout: 1800
tasks:
  - name: install
    worker: "{{.device_1}}"
    actions:
      - name: write image
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 300
        environment:
          IMG_URL: "http://${serverAddress}:7080/images/${IMAGE}"
          DEST_DISK: /dev/vda
          COMPRESSED: "false"
`;

/** `folder` is empty. */
export function writeDelivery(
  folder: string,
  packages: ReadonlyMap<string, string>,
  { hardware, mac }: DemoMachine,
): void {
  const named = (pattern: RegExp): string => [...packages].find(([name]) => pattern.test(name))?.[1] ?? '';
  const server = named(/^tinkerbell_.*\.deb$/);
  copyFileSync(server, join(folder, 'tinkerbell.deb'));
  copyFileSync(named(/^tinkerbell-os_.*\.deb$/), join(folder, 'tinkerbell-os.deb'));
  copyFileSync(nextVersion(server, NEXT_VERSION, join(folder, '..')), join(folder, 'next.deb'));
  const { annotations: _, ...metadata } = hardware.metadata as Record<string, unknown>;
  writeFileSync(join(folder, 'hardware.yaml'), JSON.stringify({ ...hardware, metadata }));
  const objects: readonly ApiObject[] = [
    object('Template', { data: template }),
    object('Workflow', {
      templateRef: WORKFLOW,
      hardwareRef: hardware.metadata.name,
      hardwareMap: { device_1: mac },
    }),
  ];
  writeFileSync(join(folder, 'workflow.yaml'), objects.map((one) => JSON.stringify(one)).join('\n---\n'));
  writeImage(join(folder, IMAGE));
}

function object(kind: string, spec: object): ApiObject {
  return { apiVersion: 'tinkerbell.org/v1alpha1', kind, metadata: { name: WORKFLOW }, spec };
}

/** A file system without partitions. */
function writeImage(path: string): void {
  writeFileSync(path, '');
  truncateSync(path, IMAGE_BYTES);
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-F', '-L', 'installed', path]);
}
