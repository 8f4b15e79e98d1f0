/**
 * Repairs the header of a database file. This program always writes the same header, so damage to these bytes
 * can be undone. Source: https://sqlite.org/fileformat2.html#the_database_header
 */
const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** The header of every database that this program creates. */
export const PAGE_BYTES = 4096;
const UTF8 = 1;

/** Changes `bytes`, a whole database file. */
export function repairHeader(bytes: Buffer): void {
  if (bytes.length < HEADER_BYTES) return;
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt16BE(PAGE_BYTES, 16);
  // WAL mode to write and to read, no reserved bytes, and three fractions that never change.
  Buffer.from([2, 2, 0, 64, 32, 32]).copy(bytes, 18);
  bytes.writeUInt32BE(Math.floor(bytes.length / PAGE_BYTES), 28);
  // The size counts only where these two counters are the same.
  bytes.copy(bytes, 92, 24, 28);
  bytes.writeUInt32BE(4, 44);
  bytes.writeUInt32BE(UTF8, 56);
}
