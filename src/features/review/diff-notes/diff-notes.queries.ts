/** SQL for notes on diffs. */
import type { Db, Tx } from '../../../db/database.ts'
import { noteColumnsBesidesBody } from '../../../db/tables/notes.ts'
import type { BodilessNote } from '../../../db/tables.ts'
import type { DiffRefs } from './positions.ts'

/** The refs of each version of the merge request, oldest first. */
export async function refsOfVersions(db: Db, mergeRequestId: number): Promise<DiffRefs[]> {
  const found = await db
    .selectFrom('merge_request_versions')
    .select(['base_oid', 'start_oid', 'head_oid'])
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('id')
    .execute()
  return found.map(({ base_oid, start_oid, head_oid }) => ({ base_sha: base_oid, start_sha: start_oid, head_sha: head_oid }))
}

/** The given commits that are in any version of the merge request. */
export async function commitsAmong(db: Db, mergeRequestId: number, oids: string[]): Promise<Set<string>> {
  if (oids.length === 0) return new Set()
  const found = await db
    .selectFrom('merge_request_version_commits')
    .innerJoin('merge_request_versions', 'merge_request_versions.id', 'merge_request_version_commits.version_id')
    .select('merge_request_version_commits.oid')
    .distinct()
    .where('merge_request_versions.merge_request_id', '=', mergeRequestId)
    .where('merge_request_version_commits.oid', 'in', oids)
    .execute()
  return new Set(found.map(({ oid }) => oid))
}

/** The first notes of the discussions on its diff, oldest first, without their bodies. */
export function diffNotesOf(db: Db, mergeRequestId: number): Promise<BodilessNote[]> {
  return db
    .selectFrom('notes')
    .select(noteColumnsBesidesBody)
    .where('merge_request_id', '=', mergeRequestId)
    .where('opens_discussion', '=', true)
    .where('type', '=', 'DiffNote')
    .where('commit_oid', 'is', null)
    .orderBy('id')
    .execute()
}

/** Moves the notes of a discussion, unless they were moved meanwhile. */
export async function movePositions(tx: Tx, opening: BodilessNote, change: { position: string; line_code: string | null }): Promise<void> {
  await ofDiscussion(tx, opening)
    .set({ ...change, outdated_by: null })
    .execute()
}

/** Marks the notes of a discussion as outdated, with the change that caused it. */
export async function outdatePositions(tx: Tx, opening: BodilessNote, outdated_by: string): Promise<boolean> {
  const changed = await ofDiscussion(tx, opening).set({ outdated_by }).returning('id').execute()
  return changed.length > 0
}

function ofDiscussion(tx: Tx, { merge_request_id, discussion_id, position }: BodilessNote) {
  return tx
    .updateTable('notes')
    .where('merge_request_id', '=', merge_request_id)
    .where('discussion_id', '=', discussion_id)
    .where('position', '=', position)
}
