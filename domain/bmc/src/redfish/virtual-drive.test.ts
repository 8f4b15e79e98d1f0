import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualMediaOf } from '@tinkerbell/redfish';
import { cdDriveOf, imageIn, insertBody, withMissingParameter } from '../index.ts';

const drive = (Id: string, MediaTypes: readonly string[], target?: string) =>
  virtualMediaOf({
    Id,
    MediaTypes,
    Actions: target === undefined ? {} : { '#VirtualMedia.InsertMedia': { target } },
  });

test('the CD drive is the first one that has the action, or else takes CDs', () => {
  const floppy = drive('Floppy', ['Floppy', 'USBStick'], '/f');
  const [plain, cd] = [drive('RDOC', ['CD']), drive('EXT1', ['CD', 'DVD'], '/e')];
  assert.equal(cdDriveOf([floppy, plain, cd])?.id, 'EXT1');
  assert.equal(cdDriveOf([floppy, plain])?.id, 'RDOC');
  assert.equal(cdDriveOf([floppy]), undefined);
});

test('an image counts unless the drive says that it is empty', () => {
  assert.equal(imageIn(virtualMediaOf({ Image: 'http://a', Inserted: false })), undefined);
  assert.equal(imageIn(virtualMediaOf({ Image: 'http://a' })), 'http://a');
  assert.equal(imageIn(virtualMediaOf({ Image: null, Inserted: true })), undefined);
});

test('a missing parameter is added once', () => {
  const missing = (text: string, about: readonly string[] = [], name = 'ActionParameterMissing') => [
    { name, text, about },
  ];
  const body = insertBody('https://a/b.iso');
  const first = withMissingParameter(body, missing('x', ['InsertMedia', 'TransferProtocolType']));
  assert.deepEqual(first, { Image: 'https://a/b.iso', TransferProtocolType: 'HTTPS' });
  const second = withMissingParameter(
    first ?? {},
    missing('TransferProtocolType and TransferMethod', [], 'GeneralError'),
  );
  assert.deepEqual(second, { ...first, TransferMethod: 'Stream' });
  assert.equal(withMissingParameter(body, missing('UserName')), undefined);
  assert.equal(withMissingParameter(body, missing('TransferMethod', [], 'ResourceInUse')), undefined);
});
