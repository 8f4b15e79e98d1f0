/** A template with an action that fails on every machine until an operator corrects it. */
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverAddress } from './bare-machine.ts';

const IMAGE = 'small.img';
const IMAGE_BYTES = 8 * 1024 * 1024;
const action = (name: string, image: string, environment: Readonly<Record<string, string>>) => `
      - name: ${name}
        image: quay.io/tinkerbell/actions/${image}:latest
        timeout: 300
        environment:${Object.entries(environment)
          .map(([key, value]) => `\n          ${key}: "${value}"`)
          .join('')}`;

const writeFile = (disk: string, path: string) => ({
  DEST_DISK: disk,
  FS_TYPE: 'ext4',
  DEST_PATH: path,
  CONTENTS: 'done',
  UID: '0',
  GID: '0',
  MODE: '0644',
  DIRMODE: '0755',
});

/** Three actions of seconds. The second one writes to a disk that does not exist. */
export const WRONG_DISK_TEMPLATE = `version: "0.1"
name: debian
global_timeout: 1800
tasks:
  - name: install
    worker: "{{.device_1}}"
    actions:${[
      action('write image', 'image2disk', {
        IMG_URL: `http://${serverAddress}:7080/images/${IMAGE}`,
        DEST_DISK: '/dev/vda',
        COMPRESSED: 'false',
      }),
      action('write first', 'writefile', writeFile('/dev/vdz', '/first')),
      action('write second', 'writefile', writeFile('/dev/vda', '/second')),
    ].join('')}
`;

/** Writes what the first action installs: a filesystem without partitions. The disk is larger, which ext4 accepts. */
export function putSmallImage(directory: string): void {
  const path = join(directory, IMAGE);
  writeFileSync(path, '');
  truncateSync(path, IMAGE_BYTES);
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-F', path]);
}
