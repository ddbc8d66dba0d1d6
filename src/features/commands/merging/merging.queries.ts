/** SQL for running merges, and for how pushes affect merge requests. */
import type { Db, Tx } from '../../../db/database.ts'
import { lockedRows } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { inRuledPlace, type RuledPlace } from '../../review/approval-rules/approval-rules.ts'

/** Merge requests that are being merged into one of these branches. */
export function lockedOnes(tx: Tx, project_id: number, branches: string[]): Promise<MergeRequest[]> {
  return lockedRows(
    tx,
    tx
      .selectFrom('merge_requests')
      .selectAll()
      .where('project_id', '=', project_id)
      .where(among(tx, 'target_branch', branches))
      .where('state', '=', 'locked'),
  ).execute()
}

/** Open merge requests from these branches. */
export function openFrom(db: Db, source_project_id: number, branches: string[]): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', source_project_id)
    .where(among(db, 'source_branch', branches))
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute()
}

const ofOpen = ['id', 'head_oid', 'source_branch', 'source_project_id', 'merge_when_pipeline_succeeds', 'merge_params'] as const

type OfOpen = (typeof ofOpen)[number]

/** Open merge requests into a branch: their ids, tips and sources, and how they wait. */
export function openInto(db: Db, project_id: number, target_branch: string): Promise<Array<Pick<MergeRequest, OfOpen>>> {
  return db
    .selectFrom('merge_requests')
    .select(ofOpen)
    .where('project_id', '=', project_id)
    .where('target_branch', '=', target_branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute()
}

/** The last merged of those between branches of the project, from this branch. */
export async function lastMergedFrom(db: Db, project_id: number, source_branch: string): Promise<MergeRequest | null> {
  const merged = db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', project_id)
    .where('source_project_id', '=', project_id)
    .where('source_branch', '=', source_branch)
    .where('state', '=', 'merged')
  return (await merged.orderBy('merged_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

/** Whether one is open between these branches. */
export async function isProposed(
  db: Db,
  branches: Pick<MergeRequest, 'source_project_id' | 'source_branch' | 'project_id' | 'target_branch'>,
): Promise<boolean> {
  const found = db
    .selectFrom('merge_requests')
    .select('id')
    .where('source_project_id', '=', branches.source_project_id)
    .where('source_branch', '=', branches.source_branch)
    .where('project_id', '=', branches.project_id)
    .where('target_branch', '=', branches.target_branch)
  return (await found.where('state', 'in', ['opened', 'locked']).limit(1).executeTakeFirst()) !== undefined
}

/** Open merge requests of a project, or of all below a group, that are merged once nothing stands in the way, by the id of their tip. */
export async function scheduledIn(db: Db, place: RuledPlace): Promise<Array<{ id: number; head_oid: string }>> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['id', 'head_oid'])
    .where(inRuledPlace(place))
    .where('state', '=', 'opened')
    .where('merge_when_pipeline_succeeds', '=', true)
    .where('head_oid', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id, head_oid }) => ({ id, head_oid: head_oid as string }))
}

/** The given branches into which merge requests are open. */
export async function targetsAmong(db: Db, project_id: number, branches: string[]): Promise<string[]> {
  const found = await db
    .selectFrom('merge_requests')
    .select('target_branch')
    .distinct()
    .where('project_id', '=', project_id)
    .where(among(db, 'target_branch', branches))
    .where('state', '=', 'opened')
    .execute()
  return found.map(({ target_branch }) => target_branch)
}

export interface NamedPerson extends Pick<User, 'id' | 'username' | 'name'> {
  /** The given addresses that belong to the person. */
  addresses: string[]
}

/** People by id, with those of the addresses that belong to each. Two statements. */
export async function peopleNamed(db: Db, ids: number[], addresses: string[]): Promise<Map<number, NamedPerson>> {
  const found = await db.selectFrom('users').select(['id', 'username', 'name']).where('id', 'in', ids).execute()
  const own = await db
    .selectFrom('emails')
    .select(['user_id', 'email'])
    .where('user_id', 'in', ids)
    .where('confirmed_at', 'is not', null)
    .where('email_key', 'in', ['', ...addresses.map((one) => one.toLowerCase())])
    .orderBy('is_primary', 'desc')
    .orderBy('id')
    .execute()
  const addressesOf = (id: number) => own.filter(({ user_id }) => user_id === id).map(({ email }) => email)
  return new Map(found.map((person) => [person.id, { ...person, addresses: addressesOf(person.id) }]))
}

/** Adds issues that it closes. */
export async function addClosedIssues(tx: Tx, merge_request_id: number, issueIds: number[]): Promise<void> {
  if (issueIds.length === 0) return
  // One of them may have been deleted since it was found.
  const there = await tx.selectFrom('issues').select('id').where('id', 'in', issueIds).execute()
  const rows = there.map(({ id }) => ({ merge_request_id, issue_id: id }))
  // A reader and the queue may find the same issues at the same time.
  const insertion = (values: typeof rows) =>
    tx
      .insertInto('merge_request_closes')
      .values(values)
      .onConflict((one) => one.doNothing())
  if (rows.length > 0) await insertion(rows).execute()
}
