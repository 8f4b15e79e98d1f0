import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMachineCsv } from './machine-csv.ts';
import { emptyForm, formFieldOf, hardwareOf, normalMac, problemsOf } from './machine-form.ts';

function rowsOf(text: string) {
  const read = readMachineCsv(text);
  assert.ok('rows' in read, JSON.stringify(read));
  return read.rows;
}

test('commas, semicolons and tabs separate, and lines count from 1', () => {
  for (const separator of [',', ';', '\t']) {
    const text = [
      ['name', 'mac', 'ip'],
      ['m1', '52:54:00:00:00:01', '10.0.0.1/24'],
    ];
    const [row] = rowsOf(text.map((cells) => cells.join(separator)).join('\r\n'));
    assert.deepEqual(
      [row?.line, row?.form.name, row?.form.mac, row?.form.address, row?.problem],
      [2, 'm1', '52:54:00:00:00:01', '10.0.0.1/24', ''],
    );
  }
});

test('quoted cells keep separators, quotes and line ends', () => {
  const rows = rowsOf(
    'name,mac,disk\nm1,52:54:00:00:00:01,"/dev/a,""b""\nc"\nm2,52:54:00:00:00:02,/dev/sdb\n\n',
  );
  assert.equal(rows[0]?.form.disk, '/dev/a,"b"\nc');
  assert.deepEqual([rows.length, rows[1]?.line, rows[1]?.form.disk], [2, 4, '/dev/sdb']);
});

test('an address has its prefix, or a netmask in a column of its own, as with tink import', () => {
  const read = rowsOf(
    'name,mac,ip,netmask\nm1,52:54:00:00:00:01,10.0.0.1,255.255.252.0\nm2,52:54:00:00:00:02,10.0.0.2,255.0.255.0',
  );
  assert.deepEqual(
    read.map(({ form }) => form.address),
    ['10.0.0.1/22', '10.0.0.2/255.0.255.0'],
  );
  assert.equal(read[0]?.problem, '');
  assert.match(read[1]?.problem ?? '', /^address: /);
});

test('a row without a name gets one from its MAC', () => {
  assert.equal(rowsOf('mac\n52:54:00:AB:CD:01')[0]?.form.name, 'machine-52-54-00-ab-cd-01');
});

test('wrong columns and wrong cells are named', () => {
  assert.deepEqual(readMachineCsv('name,colour\nm1,red'), {
    problem: 'the column "colour" is unknown; the first line must be like name,mac,ip,netmask,gateway,disks',
  });
  assert.ok('problem' in readMachineCsv('name\nm1'));
  assert.match(rowsOf('name,mac\nm1,wrong')[0]?.problem ?? '', /^mac: six bytes/);
  assert.match(rowsOf('name,mac\nm1,52:54:00:00:00:01,more')[0]?.problem ?? '', /more cells than columns/);
  assert.deepEqual(rowsOf(''), []);
});

test('a form becomes a Hardware', () => {
  const form = {
    ...emptyForm,
    name: 'm1',
    mac: '5254.00AB.CD01',
    address: '10.0.4.7/22',
    gateway: '10.0.4.1',
  };
  assert.deepEqual(problemsOf(form), {});
  assert.deepEqual(hardwareOf(form).spec?.interfaces?.[0]?.dhcp, {
    mac: '52:54:00:ab:cd:01',
    hostname: 'm1',
    ip: { address: '10.0.4.7', netmask: '255.255.252.0', gateway: '10.0.4.1' },
  });
  assert.equal(normalMac(' 52-54-00-AB-CD-01 '), '52:54:00:ab:cd:01');
});

test('each field says what is wrong, also for an answer of the server', () => {
  const wrong = { ...emptyForm, name: 'M 1', mac: '1', address: '10.0.0.300/24', gateway: '10.0.0' };
  assert.deepEqual(Object.keys(problemsOf(wrong)), ['name', 'mac', 'address', 'gateway']);
  assert.equal(formFieldOf('spec.interfaces[0].dhcp.ip.netmask'), 'address');
  assert.equal(formFieldOf('spec.userData'), undefined);
});
