/** All statements of the store, prepared once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Statements = ReturnType<typeof prepareStatements>;

/** An object's row as an array, in this order. */
const OBJECT = 'collection, namespace, name, revision, object, checksum';

const LISTED = `from objects
  where collection = :collection and (:namespace is null or namespace = :namespace)
    and (namespace, name) > (:afterNamespace, :afterName)
  order by namespace, name limit :count`;

export function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql);
  // A row as an array takes half the time of one as an object.
  const asArrays = (sql: string): StatementSync => {
    const statement = prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    get: asArrays(`select ${OBJECT} from objects where collection = ? and namespace = ? and name = ?`),
    keys: prepare(`select collection, namespace, name ${LISTED}`),
    list: asArrays(`select ${OBJECT} ${LISTED}`),
    // Replacing the row would also write its index again, and a new row at the end of the table.
    put: prepare(`insert into objects values (?, ?, ?, ?, ?, ?) on conflict do update
      set revision = excluded.revision, object = excluded.object, checksum = excluded.checksum`),
    checksum: prepare('select checksum from objects where collection = ? and namespace = ? and name = ?'),
    remove: prepare('delete from objects where collection = ? and namespace = ? and name = ?'),
    change: prepare('insert into changes values (?, ?, ?, ?, ?, ?, ?)'),
    trim: prepare('delete from changes where revision <= ?'),
    old: prepare(`select count(*) as rows, coalesce(sum(checksum), 0) & 4294967295 as digest
      from changes where revision <= ?`),
    oldest: prepare('select min(revision) as oldest from changes'),
    since: prepare(`select * from changes where revision > :after and revision <= :until
        and (:collection is null or collection = :collection) and (:namespace is null or namespace = :namespace)
      order by revision`),
  };
}
