import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decodeSyslog, facilities, severities, type SyslogMessage } from './index.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Omits the fields without information, for short tables. */
function read(text: string | Uint8Array): Partial<SyslogMessage> {
  const { structuredData, ...rest } = decodeSyslog(typeof text === 'string' ? bytesOf(text) : text);
  return structuredData.length === 0 ? rest : { ...rest, structuredData };
}

test('every priority has the facility and severity of its number', () => {
  for (let value = 0; value < 192; value++) {
    const { facility, severity } = decodeSyslog(bytesOf(`<${value}>x`));
    assert.equal(facilities.indexOf(facility) * 8 + severities.indexOf(severity), value);
  }
  assert.equal(facilities.length, 24);
});

test('RFC 5424: every header field, structured data with escapes, and a text behind a byte order mark', () => {
  // RFC 5424 section 6.5, examples 1 and 3, and a value with all three escapes.
  assert.deepEqual(
    read("<34>1 2003-10-11T22:14:15.003Z mymachine.example.com su - ID47 - \uFEFF'su root' failed"),
    {
      facility: 'auth',
      severity: 'CRIT',
      format: 'rfc5424',
      timestamp: '2003-10-11T22:14:15.003Z',
      hostName: 'mymachine.example.com',
      appName: 'su',
      messageId: 'ID47',
      text: "'su root' failed",
    },
  );
  const structured = read(
    String.raw`<165>1 2003-10-11T22:14:15.003+02:00 h evntslog 77 ID47 [a@1 x="1" y="q\"b\\r\]"][b@2 z="\n"] text`,
  );
  assert.deepEqual(structured.structuredData, [
    {
      id: 'a@1',
      parameters: [
        { name: 'x', value: '1' },
        { name: 'y', value: String.raw`q"b\r]` },
      ],
    },
    { id: 'b@2', parameters: [{ name: 'z', value: String.raw`\n` }] },
  ]);
  assert.deepEqual([structured.processId, structured.text], ['77', 'text']);
});

test('RFC 5424 without a message, and with only nil fields', () => {
  assert.deepEqual(read('<0>1 - - - - - -'), {
    facility: 'kern',
    severity: 'EMERG',
    format: 'rfc5424',
    text: '',
  });
  assert.equal(read('<14>1 - - - - - [a]').text, '');
  assert.equal(read('<14>1 - - - - -').text, '', 'the structured data was cut off');
});

test('RFC 5424 with broken structured data keeps it in the text', () => {
  for (const broken of [
    '[',
    '[]',
    '[a x=1] t',
    '[a x="1] t',
    '[a x="1"',
    '[a x="1"]t',
    'text',
    '[a x="]"] t',
  ]) {
    const message = read(`<14>1 - host app - - ${broken}`);
    assert.deepEqual([message.hostName, message.text, message.structuredData], ['host', broken, undefined]);
  }
});

test('RFC 3164: timestamp, host name, tag and process, each of them optional', () => {
  const rows: [string, Partial<SyslogMessage>][] = [
    [
      "Oct 11 22:14:15 mymachine su: 'su root' failed",
      { timestamp: 'Oct 11 22:14:15', hostName: 'mymachine', appName: 'su', text: "'su root' failed" },
    ],
    [
      'Nov  1 19:34:41 vm app[7039]: hello',
      { timestamp: 'Nov  1 19:34:41', hostName: 'vm', appName: 'app', processId: '7039', text: 'hello' },
    ],
    [
      'Nov 21 19:34:41 bbtag: from busybox\n',
      { timestamp: 'Nov 21 19:34:41', appName: 'bbtag', text: 'from busybox' },
    ],
    [
      'Feb  5 17:32:18 10.0.0.99 Use the BFG!',
      { timestamp: 'Feb  5 17:32:18', hostName: '10.0.0.99', text: 'Use the BFG!' },
    ],
    ['Feb  5 17:32:18 out of memory', { timestamp: 'Feb  5 17:32:18', text: 'out of memory' }],
    [
      '2026-11-21T19:34:41.5+00:00 vm sshd[1]: x',
      {
        timestamp: '2026-11-21T19:34:41.5+00:00',
        hostName: 'vm',
        appName: 'sshd',
        processId: '1',
        text: 'x',
      },
    ],
    [
      'Nov 21 2026 19:34:41 switch1 %LINK-3: down',
      { timestamp: 'Nov 21 2026 19:34:41', text: 'switch1 %LINK-3: down' },
    ],
    ['ipxe: Booting', { appName: 'ipxe', text: 'Booting' }],
    ['rack1.example.com ipxe: Booting', { hostName: 'rack1.example.com', appName: 'ipxe', text: 'Booting' }],
    ['eth0: link up', { appName: 'eth0', text: 'link up' }],
  ];
  for (const [text, expected] of rows) {
    const { facility, severity, format, ...found } = read(`<30>${text}`);
    assert.deepEqual([facility, severity, format], ['daemon', 'INFO', 'rfc3164'], text);
    assert.deepEqual(found, expected, text);
  }
});

test('words that are not a tag, host name or URL scheme stay in the text', () => {
  for (const text of [
    'usb 1-1: new device',
    'http://x/y',
    'Failed to: boot',
    '10:30 backup',
    '1 hour left',
    ':',
    '',
  ]) {
    assert.deepEqual(read(`<30>${text}`), { facility: 'daemon', severity: 'INFO', format: 'text', text });
  }
});

test('lines of a Linux kernel, with and without a priority, plain and extended', () => {
  const line = '[    1.234567] e1000: eth0 NIC Link is Up';
  const kernel = { format: 'kernel', appName: 'kernel', text: line } as const;
  assert.deepEqual(read(line), { facility: 'kern', severity: 'NOTICE', ...kernel });
  assert.deepEqual(read(`<3>${line}`), { facility: 'kern', severity: 'ERR', ...kernel });
  const extended = { facility: 'kern', severity: 'INFO', format: 'kernel', appName: 'kernel' } as const;
  assert.deepEqual(read('6,444,501151268,-;network logging started'), {
    ...extended,
    text: 'network logging started',
  });
  assert.deepEqual(read('6.4.0-rc1,6,444,501151268,-,ncfrag=0/31;the first part\n SUBSYSTEM=net\n'), {
    ...extended,
    text: String.raw`the first part\n SUBSYSTEM=net`,
  });
});

test('a datagram that is not syslog is the text of a notice', () => {
  for (const text of ['hello', '<', '<>x', '<192>x', '<1234>x', '<-1>x', '< 1>x', '999,1,1,-;x']) {
    assert.deepEqual(read(text), { facility: 'user', severity: 'NOTICE', format: 'text', text });
  }
  assert.equal(read(new Uint8Array()).text, '');
});

test('no terminal control sequence passes', () => {
  assert.equal(read('<13>red \u001b[31m\u0007 \u009b1m').text, String.raw`red \x1b[31m\x07 \x9b1m`);
  assert.equal(
    read('<13>two\nlines\tand\r\u2028 \u202edrow').text,
    String.raw`two\nlines\tand\r\u2028 \u202edrow`,
  );
  assert.equal(read('<13>1 - h\u0007 a - - [x@1 y="\u001b"] z').hostName, String.raw`h\x07`);
  assert.equal(read('<13>Füße').text, 'Füße');
  assert.equal(read(Uint8Array.of(0x3c, 0x31, 0x3e, 0x61, 0xff, 0x62)).text, String.raw`a\xffb`);
  assert.equal(read(bytesOf('<13>Fü').subarray(0, -1)).text, 'F', 'a character that the sender truncated');
});

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u202e]/;

function check(bytes: Uint8Array): void {
  const message = decodeSyslog(bytes);
  assert.ok(facilities.includes(message.facility) && severities.includes(message.severity));
  const elements = message.structuredData.flatMap(({ id, parameters }) => [
    id,
    ...parameters.flatMap(({ name, value }) => [name, value]),
  ]);
  const { timestamp = '', hostName = '', appName = '', processId = '', messageId = '', text } = message;
  for (const field of [timestamp, hostName, appName, processId, messageId, text, ...elements])
    assert.doesNotMatch(field, CONTROL);
}

test('it never throws and never lets a control character through, on random bytes and near misses', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check), { numRuns: 2000 });
  const piece = fc.constantFrom(
    '<13>',
    '1 ',
    '- ',
    '[',
    ']',
    'a@1',
    ' x="',
    '"',
    '\\',
    'Nov 21 19:34:41 ',
    'ipxe: ',
    '\u0000',
    '6,1,1,-;',
    'é',
    '\u202e',
    'host ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => check(bytesOf(pieces.join('')))),
    {
      numRuns: 2000,
    },
  );
});

test('everything that RFC 5424 can express is read back', () => {
  const word = fc.stringMatching(/^[!-~]{1,20}$/).filter((text) => text !== '-');
  const name = fc.stringMatching(/^[A-Za-z0-9@.]{1,10}$/);
  const value = fc.stringMatching(/^[ -~]{0,20}$/);
  const element = fc.record(
    {
      id: name,
      parameters: fc.array(fc.record({ name, value }, { noNullPrototype: true }), { maxLength: 4 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(
      word,
      word,
      fc.array(element, { minLength: 1, maxLength: 4 }),
      value,
      (host, app, elements, text) => {
        const data = elements.map(
          ({ id, parameters }) =>
            `[${[id, ...parameters.map((each) => `${each.name}="${each.value.replaceAll(/["\\\]]/g, String.raw`\$&`)}"`)].join(' ')}]`,
        );
        const message = decodeSyslog(bytesOf(`<13>1 - ${host} ${app} - - ${data.join('')} ${text}`));
        assert.deepEqual(
          [message.hostName, message.appName, message.structuredData, message.text],
          [host, app, elements, text],
        );
      },
    ),
  );
});

test('32 KiB of text that could slow a reader are read at once', () => {
  for (const piece of ['[a ', '[a x="', ' x="1"', '\\', '<1>', 'a', ' ', '\u0000', '1,']) {
    check(bytesOf(`<13>1 - - - - - [a${piece.repeat(32_768 / piece.length)}`));
    check(bytesOf(`<13>${piece.repeat(32_768 / piece.length)}`));
  }
});
