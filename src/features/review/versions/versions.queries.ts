/** SQL for versions of merge requests, and for moved branches that need new ones. */
import { type Db, type PageOf, paginate, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { among } from '../../../db/prepared-queries.ts'
import type {
  Instant,
  MergeRequest,
  MergeRequestVersion,
  MergeRequestVersionCommit,
  MergeRequestVersionFile,
  PendingVersion,
} from '../../../db/tables.ts'
import type { ChangedFile } from '../../../git/diff/changed-files.ts'
import type { VersionContents } from './contents.ts'
import { realSize } from './contents.ts'

/** Rows per statement: engines limit the values. */
const rowsAtOnce = 500

export async function insertVersion(
  tx: Tx,
  merge_request_id: number,
  contents: VersionContents,
  created_at: Instant = now(),
): Promise<MergeRequestVersion> {
  const { base_oid, start_oid, head_oid, state, additions, deletions } = contents
  const row = { merge_request_id, base_oid, start_oid, head_oid, state, additions, deletions, created_at }
  const version = await tx
    .insertInto('merge_request_versions')
    .values({ ...row, real_size: realSize(contents.file_count), files: contents.file_count, commits: contents.commit_count })
    .returningAll()
    .executeTakeFirstOrThrow()
  await insertFiles(tx, version.id, contents.files)
  await insertCommits(tx, version.id, contents)
  return version
}

const statuses = { A: 'added', D: 'deleted', R: 'renamed' } as const

async function insertFiles(tx: Tx, version_id: number, files: ChangedFile[]): Promise<void> {
  const rows = files.map(({ status, only_spaces: _, ...file }, position) => ({
    version_id,
    position,
    ...file,
    status: statuses[status as keyof typeof statuses] ?? ('modified' as const),
  }))
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await tx
      .insertInto('merge_request_version_files')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute()
  }
}

async function insertCommits(tx: Tx, version_id: number, { commits, change_ids }: VersionContents): Promise<void> {
  const rows = commits.map((oid, position) => ({ version_id, position, oid, change_id: change_ids[position] ?? null }))
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await tx
      .insertInto('merge_request_version_commits')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute()
  }
}

export async function hasApprovals(db: Db, merge_request_id: number): Promise<boolean> {
  const found = db.selectFrom('approvals').select('user_id').where('merge_request_id', '=', merge_request_id).limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** The newest; null if there is none yet. */
export async function newestVersion(db: Db, merge_request_id: number): Promise<MergeRequestVersion | null> {
  const found = db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', merge_request_id)
    .orderBy('id', 'desc')
    .limit(1)
  return (await found.executeTakeFirst()) ?? null
}

export async function versionById(db: Db, merge_request_id: number, id: number): Promise<MergeRequestVersion | null> {
  const found = db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', merge_request_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

/** Newest first. */
export function versionPage(db: Db, merge_request_id: number, page: PageOf) {
  return paginate(
    db.selectFrom('merge_request_versions').selectAll().where('merge_request_id', '=', merge_request_id).orderBy('id', 'desc'),
    page,
  )
}

/** Numbers and paths of its files, in the order of their patches; at most 3,000. */
export function filesOfVersion(db: Db, version_id: number): Promise<MergeRequestVersionFile[]> {
  return db.selectFrom('merge_request_version_files').selectAll().where('version_id', '=', version_id).orderBy('position').execute()
}

/** Newest first. */
export async function commitOidsOfVersion(db: Db, version_id: number, page: { limit: number; offset: number }): Promise<string[]> {
  const found = db
    .selectFrom('merge_request_version_commits')
    .select('oid')
    .where('version_id', '=', version_id)
    .orderBy('position')
    .limit(page.limit)
    .offset(page.offset)
  return (await found.execute()).map(({ oid }) => oid)
}

export type ChangeCommit = Pick<MergeRequestVersionCommit, 'oid' | 'change_id'>

/** All commits of a version with their change ids, newest first. */
export function changesOfVersion(db: Db, version_id: number): Promise<ChangeCommit[]> {
  const found = db.selectFrom('merge_request_version_commits').select(['oid', 'change_id']).where('version_id', '=', version_id)
  return found.orderBy('position').execute()
}

/** Filters commits to those that any version of the merge request has listed. */
export async function everListed(db: Db, merge_request_id: number, oids: string[]): Promise<Set<string>> {
  const listed = new Set<string>()
  for (let at = 0; at < oids.length; at += rowsAtOnce) {
    const some = await db
      .selectFrom('merge_request_version_commits as listed')
      .innerJoin('merge_request_versions as version', 'version.id', 'listed.version_id')
      .select('listed.oid')
      .where('version.merge_request_id', '=', merge_request_id)
      .where('listed.oid', 'in', oids.slice(at, at + rowsAtOnce))
      .execute()
    for (const { oid } of some) listed.add(oid)
  }
  return listed
}

/** Ids of the open merge requests with one of these branches on one side. */
export function openOnes(
  db: Db,
  side: 'source' | 'target',
  project_id: number,
  branches: string[],
): Promise<Array<Pick<MergeRequest, 'id' | 'source_branch' | 'target_branch'>>> {
  return db
    .selectFrom('merge_requests')
    .select(['id', 'source_branch', 'target_branch'])
    .where(side === 'source' ? 'source_project_id' : 'project_id', '=', project_id)
    .where(among(db, side === 'source' ? 'source_branch' : 'target_branch', branches))
    .where('state', 'in', ['opened', 'locked'])
    .orderBy('id')
    .execute()
}

/** The open merge requests into a branch whose newest version has one of these commits. */
export async function openOnesWithCommits(db: Db, project_id: number, target_branch: string, oids: string[]): Promise<number[]> {
  const ids = new Set<number>()
  for (let at = 0; at < oids.length; at += rowsAtOnce) {
    const some = await db
      .selectFrom('merge_requests')
      .innerJoin('merge_request_versions as version', 'version.merge_request_id', 'merge_requests.id')
      .innerJoin('merge_request_version_commits as listed', 'listed.version_id', 'version.id')
      .select('merge_requests.id')
      .distinct()
      .where('merge_requests.project_id', '=', project_id)
      .where('merge_requests.target_branch', '=', target_branch)
      .where('merge_requests.state', '=', 'opened')
      .where('listed.oid', 'in', oids.slice(at, at + rowsAtOnce))
      .execute()
    for (const { id } of some) ids.add(id)
  }
  return [...ids]
}

export async function keepPatchId(db: Db, id: number, patch_id: string): Promise<void> {
  await db.updateTable('merge_request_versions').set({ patch_id }).where('id', '=', id).execute()
}

export async function insertPending(
  db: Db,
  rows: Array<{ merge_request_id: number; user_id: number | null; head_oid: string | null; created_at: Instant }>,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    await db
      .insertInto('pending_versions')
      .values(rows.slice(at, at + rowsAtOnce))
      .execute()
  }
}

/** Oldest first. */
export function pendingOf(db: Db, merge_request_id: number): Promise<PendingVersion[]> {
  return db.selectFrom('pending_versions').selectAll().where('merge_request_id', '=', merge_request_id).orderBy('id').execute()
}

/** False if another transaction has already deleted it. */
export async function deletePending(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('pending_versions').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Merge requests that wait for a version and have this project as source or target. */
export async function waitingIn(db: Db, project_id: number, limit: number): Promise<number[]> {
  const found = await db
    .selectFrom('merge_requests')
    .select('id')
    .where((eb) => eb.or([eb('source_project_id', '=', project_id), eb('project_id', '=', project_id)]))
    .where('state', '=', 'opened')
    .where('id', 'in', (eb) => eb.selectFrom('pending_versions').select('merge_request_id'))
    .orderBy('id')
    .limit(limit)
    .execute()
  return found.map(({ id }) => id)
}

export async function movePending(tx: Tx, from: number, to: number): Promise<void> {
  await tx.updateTable('pending_versions').set({ user_id: to }).where('user_id', '=', from).execute()
}
