/** SQL for commit statuses and their pipelines. */
import type { Insertable, Updateable } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { CommitStatus, CommitStatusTable } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** A status with its author; null if they were deleted. */
export type AuthoredStatus = CommitStatus & { author: UserInBrief | null }

export interface StatusFilter {
  ref?: string | undefined
  stage?: string | undefined
  name?: string | undefined
  /** Includes statuses that a later one of the same name has replaced. */
  all: boolean
}

/** Oldest first. */
export async function listStatuses(
  db: Db,
  project_id: number,
  sha: string,
  { all, ref, stage, name }: StatusFilter,
  page: PageOf,
): Promise<{ rows: AuthoredStatus[]; total: number }> {
  let query = db
    .selectFrom('commit_statuses')
    .leftJoin('users', 'users.id', 'commit_statuses.author_id')
    .selectAll('commit_statuses')
    .select([
      'users.id as user_id',
      'users.name as user_name',
      'users.username',
      'users.state',
      'users.kind as user_kind',
      'users.avatar_name',
    ])
    .where('commit_statuses.project_id', '=', project_id)
    .where('sha', '=', sha)
  if (ref) query = query.where('ref', '=', ref)
  if (stage) query = query.where('stage', '=', stage)
  if (name) query = query.where('commit_statuses.name', '=', name)
  if (!all) {
    query = query.where('retried', '=', false)
  }
  const { rows, total } = await paginate(query.orderBy('commit_statuses.id'), page)
  return {
    rows: rows.map(({ user_id, user_name, username, state, user_kind, avatar_name, ...status }) => ({
      ...status,
      author:
        user_id === null || user_name === null || username === null || state === null || user_kind === null
          ? null
          : { id: user_id, name: user_name, username, state, kind: user_kind, avatar_name },
    })),
    total,
  }
}

/** The pending or running status with this name and author. */
export async function findOpenStatus(db: Db, pipeline_id: number, name: string, author_id: number): Promise<CommitStatus | null> {
  const found = await db
    .selectFrom('commit_statuses')
    .selectAll()
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('author_id', '=', author_id)
    .where('status', 'in', ['pending', 'running'])
    .orderBy('id')
    .executeTakeFirst()
  return found ?? null
}

export function insertStatus(db: Db, status: Insertable<CommitStatusTable>): Promise<CommitStatus> {
  return db.insertInto('commit_statuses').values(status).returningAll().executeTakeFirstOrThrow()
}

export function updateStatus(db: Db, id: number, change: Updateable<CommitStatusTable>): Promise<CommitStatus> {
  return db.updateTable('commit_statuses').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Marks statuses with this name as replaced, since another one follows. */
export async function retireOthers(db: Db, pipeline_id: number, name: string): Promise<void> {
  await db
    .updateTable('commit_statuses')
    .set({ retried: true })
    .where('pipeline_id', '=', pipeline_id)
    .where('name', '=', name)
    .where('retried', '=', false)
    .execute()
}

export async function moveStatuses(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('commit_statuses').set({ author_id: to }).where('author_id', '=', from).execute()
}

export async function movePipelines(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('pipelines').set({ user_id: to }).where('user_id', '=', from).execute()
}
