/** SQL for files attached to texts. */
import type { Insertable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { Upload, UploadTable, User } from '../../../db/tables.ts'

export async function insertUpload(db: Db, row: Insertable<UploadTable>): Promise<void> {
  await db.insertInto('uploads').values(row).execute()
}

export async function uploadAt(db: Db, projectId: number, secret: string): Promise<Upload | null> {
  const found = await db
    .selectFrom('uploads')
    .selectAll()
    .where('secret', '=', secret)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return found ?? null
}

export async function moveUploads(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('uploads').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** An upload with its sender; null if that user is gone. */
export type ListedUpload = Pick<Upload, 'id' | 'size' | 'filename' | 'created_at'> & { by: Pick<User, 'id' | 'name' | 'username'> | null }

/** Newest first. */
export async function listUploads(db: Db, project_id: number, page: PageOf): Promise<{ rows: ListedUpload[]; total: number }> {
  const query = db
    .selectFrom('uploads')
    .leftJoin('users', 'users.id', 'uploads.user_id')
    .select(['uploads.id', 'uploads.size', 'uploads.filename', 'uploads.created_at', 'users.id as by_id', 'users.name', 'users.username'])
    .where('uploads.project_id', '=', project_id)
    .orderBy('uploads.id', 'desc')
  const { rows, total } = await paginate(query, page)
  return {
    rows: rows.map(({ by_id, name, username, ...upload }) => ({
      ...upload,
      by: by_id === null || name === null || username === null ? null : { id: by_id, name, username },
    })),
    total,
  }
}

export async function uploadById(db: Db, project_id: number, id: number): Promise<Upload | null> {
  const found = db.selectFrom('uploads').selectAll().where('id', '=', id).where('project_id', '=', project_id)
  return (await found.executeTakeFirst()) ?? null
}

/** Whether it existed. */
export async function deleteUpload(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('uploads').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined
}
