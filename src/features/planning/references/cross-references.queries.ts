/** SQL for notes about mentions. */
import type { Db } from '../../../db/database.ts'
import { type Issuable, keyOf, type Target } from '../noteables/noteables.ts'

/** Which things of a kind have a note about their mention in another one. */
export async function thoseThatKnow(db: Db, kind: Issuable['kind'], ids: number[], about: Target): Promise<Set<number>> {
  const [place, id] = keyOf(about)
  const column = `${kind}_id` as const
  if (ids.length === 0) return new Set()
  const found = await db
    .selectFrom('notes')
    .select(column)
    .where(`about_${place}`, '=', id)
    .where(column, 'in', ids)
    .where('system_action', '=', 'cross_reference')
    .execute()
  return new Set(found.flatMap((note) => note[column] ?? []))
}

/** Which of them have a note about their mention in a commit: in whichever project, as forks have the same commits. */
export async function thoseThatKnowCommit(db: Db, kind: Issuable['kind'], ids: number[], oid: string): Promise<Set<number>> {
  const column = `${kind}_id` as const
  if (ids.length === 0) return new Set()
  const found = await db
    .selectFrom('notes')
    .select(column)
    .where(column, 'in', ids)
    .where('about_project_id', 'is not', null)
    .where('system_action', '=', 'cross_reference')
    .where('body', 'like', `mentioned in commit %${oid}`)
    .execute()
  return new Set(found.flatMap((note) => note[column] ?? []))
}
