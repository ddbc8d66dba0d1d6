/** SQL for secure files. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import type { SecureFile, SecureFileTable } from '../../../db/tables.ts'

/** The oldest first. */
export function listSecureFiles(db: Db, project_id: number, page: PageOf): Promise<{ rows: SecureFile[]; total: number }> {
  return paginate(db.selectFrom('secure_files').selectAll().where('project_id', '=', project_id).orderBy('id'), page)
}

export async function countSecureFiles(db: Db, project_id: number): Promise<number> {
  const all = db.selectFrom('secure_files').where('project_id', '=', project_id)
  return Number((await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count)
}

export async function secureFileAt(db: Db, project_id: number, id: number): Promise<SecureFile | null> {
  const found = db.selectFrom('secure_files').selectAll().where('project_id', '=', project_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

/** Fails on a unique index where the name is taken. */
export function insertSecureFile(tx: Tx, row: Insertable<SecureFileTable>): Promise<SecureFile> {
  return tx.insertInto('secure_files').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function deleteSecureFile(tx: Tx, id: number): Promise<boolean> {
  return (await tx.deleteFrom('secure_files').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}
