/** SQL for pull mirrors. */
import type { Db } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { PullMirror } from '../../../db/tables.ts'

export type PullMirrorSettings = Partial<Omit<PullMirror, 'id' | 'project_id' | 'created_at' | 'updated_at'>>

/** A project has at most one. */
export async function pullMirrorOf(db: Db, project_id: number): Promise<PullMirror | null> {
  return (await db.selectFrom('pull_mirrors').selectAll().where('project_id', '=', project_id).executeTakeFirst()) ?? null
}

export async function enabledPullMirror(db: Db, id: number): Promise<PullMirror | null> {
  const found = db.selectFrom('pull_mirrors').selectAll().where('id', '=', id).where('enabled', '=', true)
  return (await found.executeTakeFirst()) ?? null
}

/** Creates or changes the mirror of the project. */
export function savePullMirror(
  db: Db,
  project_id: number,
  { url, ...settings }: PullMirrorSettings & Pick<PullMirror, 'url'>,
): Promise<PullMirror> {
  const at = now()
  return db
    .insertInto('pull_mirrors')
    .values({ ...settings, url, project_id, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ...settings, url, updated_at: at }))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns at most a hundred mirrors that are due, and makes them due again at `next`. */
export function takeDueMirrors(db: Db, next: string): Promise<Array<Pick<PullMirror, 'id' | 'user_id'>>> {
  const due = db
    .selectFrom('pull_mirrors')
    .select('id')
    .where('enabled', '=', true)
    .where('next_update_at', '<=', now())
    .orderBy('next_update_at')
    .limit(100)
  return db.updateTable('pull_mirrors').set({ next_update_at: next }).where('id', 'in', due).returning(['id', 'user_id']).execute()
}
