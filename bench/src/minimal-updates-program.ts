/**
 * The floor of status updates: merges each patch into its object and stores it in SQLite, as a row and as a change, on disk before the
 * answer. It has no access control, no schemas, no checksums, no records of who changed what, and no watches. Arguments: the database,
 * and a file with the objects as JSON. Prints its URL.
 */
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createNodeLog } from '@tinkerbell/platform-node';
import { Checkpoints } from '@tinkerbell/store-sqlite';
import { openLog, setAutocheckpoint } from '@tinkerbell/store-sqlite/integrity';

interface Stored {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: object;
}

/** Those of the server. */
const CHANGES_KEPT = 10_000;
const TRIM_EVERY = 256;
const GATHER_TURNS = 4;
const COLLECTION = 'hardware.tinkerbell.org';
const HEAD_END = '\r\n\r\n';

const [path = '', objectsFile = ''] = process.argv.slice(2);
const checkpoints = new Checkpoints({ path, log: createNodeLog({ level: 'silent', format: 'json' }) });
const database = new DatabaseSync(path);
database.exec(`pragma journal_mode = wal; pragma synchronous = normal;
  create table objects (collection text not null, namespace text not null, name text not null,
    revision integer not null, object text not null, primary key (collection, namespace, name));
  create table changes (revision integer primary key, type text not null, collection text not null,
    namespace text not null, name text not null, object text not null);`);
setAutocheckpoint(database, checkpoints);
const log = openLog(database, { path });
const put = database.prepare(`insert into objects values (?, ?, ?, ?, ?) on conflict do update
  set revision = excluded.revision, object = excluded.object`);
const record = database.prepare('insert into changes values (?, ?, ?, ?, ?, ?)');
const trim = database.prepare('delete from changes where revision <= ?');

const objects = new Map<string, Stored>();
let revision = 0;
let pending: { readonly name: string; readonly patch: Stored; readonly socket: Socket }[] = [];
let isSyncing = false;

function store(name: string, object: Stored): string {
  revision += 1;
  const { namespace } = object.metadata;
  const changed = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
  objects.set(name, changed);
  const text = JSON.stringify(changed);
  put.run(COLLECTION, namespace, name, revision, text);
  record.run(revision, 'modified', COLLECTION, namespace, name, text);
  if (revision % TRIM_EVERY === 0) trim.run(revision - CHANGES_KEPT);
  return text;
}

/** Patches that arrive together share one transaction and one sync. */
function gather(gathered: number, turnsLeft: number): void {
  setImmediate(() => {
    if (pending.length > gathered && turnsLeft > 0) gather(pending.length, turnsLeft - 1);
    else void flush();
  });
}

async function flush(): Promise<void> {
  if (isSyncing || pending.length === 0) return;
  isSyncing = true;
  await checkpoints.held;
  const group = pending;
  pending = [];
  database.exec('begin immediate');
  const texts = group.map(({ name, patch }) => {
    const object = objects.get(name);
    if (object === undefined) throw new Error(`there is no ${name}`);
    return store(name, { ...object, status: { ...object.status, ...patch.status } });
  });
  database.exec('commit');
  await log.run();
  checkpoints.written(database);
  for (const [index, { socket }] of group.entries()) answer(socket, texts[index] ?? '');
  isSyncing = false;
  if (pending.length > 0) gather(0, 1);
}

function answer(socket: Socket, text: string): void {
  const length = Buffer.byteLength(text);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}${HEAD_END}${text}`,
  );
}

/** One request at a time, as the load sends them. */
function serve(socket: Socket): void {
  let received = '';
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (part: string) => {
    received += part;
    const headEnd = received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const bodyAt = headEnd + HEAD_END.length;
    const length = Number(/\r\ncontent-length: (\d+)/.exec(received)?.[1] ?? 0);
    if (received.length < bodyAt + length) return;
    const [, name = ''] = /\/hardware\/([^/ ]+)\/status /.exec(received) ?? [];
    const patch = JSON.parse(received.slice(bodyAt)) as Stored;
    received = '';
    pending.push({ name, patch, socket });
    if (pending.length === 1 && !isSyncing) gather(0, GATHER_TURNS);
  });
}

database.exec('begin');
for (const object of JSON.parse(readFileSync(objectsFile, 'utf8')) as readonly Stored[])
  store(object.metadata.name, object);
database.exec('commit');
const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
