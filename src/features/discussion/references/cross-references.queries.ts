/** SQL for notes about mentions. */
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { IssuableName, NoteableKey, StoredName, Tables } from '../../../db/tables.ts'

type InNotes = ExpressionBuilder<Tables, 'notes'>

/** Which things of a kind have a note about their mention in another one. */
export async function thoseThatKnow(db: Db, kind: IssuableName, ids: number[], about: NoteableKey<StoredName>): Promise<Set<number>> {
  const column = `${kind}_id` as const
  if (ids.length === 0) return new Set()
  const found = await db
    .selectFrom('notes')
    .select(column)
    .where(`about_${about.kind}_id`, '=', about.id)
    .where(column, 'in', ids)
    .where('system_action', '=', 'cross_reference')
    .execute()
  return new Set(found.flatMap((note) => note[column] ?? []))
}

/** Which of them already have a note about their mention in a commit: in any project, as forks have the same commits. */
export async function thoseThatKnowCommit(db: Db, kind: IssuableName, ids: number[], oid: string): Promise<Set<number>> {
  const column = `${kind}_id` as const
  if (ids.length === 0) return new Set()
  const found = await db.selectFrom('notes').select(column).where(column, 'in', ids).where(tellOfCommit(oid)).execute()
  return new Set(found.flatMap((note) => note[column] ?? []))
}

function tellOfCommit(oid: string) {
  return (eb: InNotes): Expression<SqlBool> =>
    eb.and([eb('system_action', '=', 'cross_reference'), eb('body', 'like', `mentioned in commit %${oid}`)])
}

/** The given commits, as `projectId oid`, that already have a note about their mention in something, or in a commit by its id. */
export async function commitsThatKnow(
  db: Db,
  commits: ReadonlyArray<{ project_id: number; oid: string }>,
  about: NoteableKey<StoredName> | { oid: string },
): Promise<Set<string>> {
  if (commits.length === 0) return new Set()
  const tells = (eb: InNotes): Expression<SqlBool> => {
    if ('oid' in about) return tellOfCommit(about.oid)(eb)
    return eb.and([eb(`about_${about.kind}_id`, '=', about.id), eb('system_action', '=', 'cross_reference')])
  }
  const found = await db
    .selectFrom('notes')
    .select(['project_id', 'commit_oid'])
    .where(
      'commit_oid',
      'in',
      commits.map(({ oid }) => oid),
    )
    .where('merge_request_id', 'is', null)
    .where(tells)
    .execute()
  return new Set(found.map(({ project_id, commit_oid }) => `${project_id} ${commit_oid}`))
}
