/** Faults that end an action. */
import { MEBIBYTE, type Fault } from '../fault.ts';

const imageAction = (image: string, disk = '/dev/vda', more = ''): string => `
      - name: write image
        image: quay.io/tinkerbell/actions/image2disk:latest
        timeout: 90
        environment:
          DEST_DISK: ${disk}
          IMG_URL: http://SERVER:7080/images/${image}
          COMPRESSED: false${more}`;

const WRONG_CHECKSUM = `
          IMG_CHECKSUM: sha256:${'0'.repeat(64)}`;

export const actionFaults: readonly Fault[] = [
  {
    name: 'the image does not exist',
    inTest: {},
    cause: 'image-not-found',
    firmware: 'bios',
    actions: imageAction('absent.img'),
  },
  {
    name: 'the image is larger than the disk',
    cause: 'disk-too-small',
    firmware: 'bios',
    images: { 'large.img': 128 * MEBIBYTE },
    actions: imageAction('large.img'),
  },
  {
    name: 'the image has another checksum',
    cause: 'image-checksum-wrong',
    firmware: 'bios',
    images: { 'small.img': MEBIBYTE },
    actions: imageAction('small.img', '/dev/vda', WRONG_CHECKSUM),
  },
  {
    name: 'the disk does not exist',
    cause: 'disk-absent',
    firmware: 'bios',
    images: { 'small.img': MEBIBYTE },
    actions: imageAction('small.img', '/dev/vdz'),
  },
  {
    name: 'the server of the image does not answer',
    cause: 'image-unreachable',
    firmware: 'bios',
    actions: imageAction('small.img').replace('SERVER:7080', 'SERVER:9'),
  },
];
