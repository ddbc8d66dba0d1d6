/** SQL for files attached to texts. */
import type { Insertable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { Upload, UploadTable } from '../../../db/tables.ts'

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
