/** SQL that inserts the rows of a project from an archive. */
import type { Insertable, Updateable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { MemberTable, ProjectTable, UploadTable, User } from '../../../db/tables.ts'
import { type RowTable, rowTableNames } from '../archive/archive.ts'

/** Deletes the rows of an earlier attempt, and returns the keys of objects that are then unreferenced. */
export async function clearRows(tx: Db, project_id: number): Promise<string[]> {
  const uploads = await tx.selectFrom('uploads').select('store_key').where('project_id', '=', project_id).execute()
  for (const table of rowTableNames) {
    // Members are written last, in the transaction that finishes the import.
    if (table === 'members') continue
    await tx
      .deleteFrom(table as 'releases')
      .where('project_id', '=', project_id)
      .execute()
  }
  return uploads.map(({ store_key }) => store_key)
}

/** The rows match the table: they were validated against the format. Of two that conflict, the first is kept. */
export async function insertRows(tx: Db, table: RowTable, rows: Array<Record<string, unknown>>): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto(table as 'releases')
    .values(rows as never)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** False if the secret is taken. */
export async function insertUpload(tx: Db, row: Insertable<UploadTable>): Promise<boolean> {
  const made = await tx
    .insertInto('uploads')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

export async function insertPipeline(tx: Db, row: Record<string, unknown>): Promise<number> {
  const { id } = await tx
    .insertInto('pipelines')
    .values(row as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The users with these usernames and email addresses, in lower case. */
export async function usersCalled(
  db: Db,
  usernames: string[],
  emails: string[],
): Promise<Array<Pick<User, 'id' | 'username_key' | 'email_key'>>> {
  return db
    .selectFrom('users')
    .select(['id', 'username_key', 'email_key'])
    .where('kind', '=', 'human')
    .where((eb) => eb.or([eb('username_key', 'in', ['', ...usernames]), eb('email_key', 'in', ['', ...emails])]))
    .execute()
}

/** Null if the tag has a release already: the first one is kept. */
export async function insertRelease(tx: Db, row: Record<string, unknown>): Promise<number | null> {
  const inserted = await tx
    .insertInto('releases')
    .values(row as never)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted?.id ?? null
}

export async function updateRestored(tx: Db, id: number, change: Updateable<ProjectTable>): Promise<void> {
  await tx.updateTable('projects').set(change).where('id', '=', id).execute()
}

/** Replaces all members of the project. Of two rows for one user, the first is kept. */
export async function replaceMembers(
  tx: Db,
  project_id: number,
  members: Array<Omit<Insertable<MemberTable>, 'project_id' | 'namespace_id'>>,
) {
  await tx.deleteFrom('members').where('project_id', '=', project_id).execute()
  for (const member of members) {
    await tx
      .insertInto('members')
      .values({ ...member, project_id, namespace_id: null })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}
