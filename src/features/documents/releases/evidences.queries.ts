/** SQL for the evidence of releases. */
import { isNotByBanned } from '../../../access/visible.ts'
import type { Db, Tx } from '../../../db/database.ts'
import { among } from '../../../db/prepared-queries.ts'
import type { Milestone, Release, ReleaseEvidence } from '../../../db/tables.ts'

/** Lists leave out the summary, which may be long. */
export type EvidenceInBrief = Omit<ReleaseEvidence, 'summary'>

/** The evidence of each release by its id, the oldest first. */
export async function evidencesOf(db: Db, releaseIds: number[]): Promise<Map<number, EvidenceInBrief[]>> {
  const evidences = new Map<number, EvidenceInBrief[]>(releaseIds.map((id) => [id, []]))
  if (releaseIds.length === 0) return evidences
  const rows = await db
    .selectFrom('release_evidences')
    .select(['id', 'release_id', 'sha', 'collected_at'])
    .where(among(db, 'release_id', releaseIds))
    .orderBy('id')
    .execute()
  for (const row of rows) evidences.get(row.release_id)?.push(row)
  return evidences
}

export async function countEvidences(db: Db, release_id: number): Promise<number> {
  const count = db.selectFrom('release_evidences').select((eb) => eb.fn.countAll<number>().as('number'))
  return Number((await count.where('release_id', '=', release_id).executeTakeFirstOrThrow()).number)
}

export async function evidenceAt(db: Db, release_id: number, id: number): Promise<ReleaseEvidence | null> {
  const found = db.selectFrom('release_evidences').selectAll().where('release_id', '=', release_id).where('id', '=', id)
  return (await found.executeTakeFirst()) ?? null
}

export async function insertEvidence(tx: Tx, row: Omit<ReleaseEvidence, 'id'>): Promise<void> {
  await tx.insertInto('release_evidences').values(row).execute()
}

export type EvidentMilestone = Pick<Milestone, 'id' | 'iid' | 'title' | 'description' | 'state' | 'due_date' | 'created_at'>

/** The milestones of the release, the oldest first. */
export function milestonesIn(db: Db, release_id: number): Promise<EvidentMilestone[]> {
  return db
    .selectFrom('milestones')
    .innerJoin('release_milestones', 'release_milestones.milestone_id', 'milestones.id')
    .select(['milestones.id', 'iid', 'title', 'description', 'state', 'due_date', 'created_at'])
    .where('release_milestones.release_id', '=', release_id)
    .orderBy('milestones.id')
    .execute()
}

/** Issues of these milestones, the oldest first; only those visible to everybody who can see issues of the release's project. */
export function issuesIn(db: Db, { project_id }: Release, milestoneIds: number[], limit: number) {
  return db
    .selectFrom('issues')
    .innerJoin('users', 'users.id', 'issues.author_id')
    .select(['issues.id', 'iid', 'title', 'issues.state', 'due_date', 'issues.created_at', 'milestone_id', 'users.name as author_name'])
    .where('project_id', '=', project_id)
    .where(among(db, 'milestone_id', milestoneIds))
    .where('confidential', '=', false)
    .where(isNotByBanned('issues.author_id', null))
    .orderBy('issues.id')
    .limit(limit)
    .execute()
}

export function projectOf(db: Db, { project_id }: Release) {
  return db
    .selectFrom('projects')
    .select(['id', 'name', 'description', 'created_at'])
    .where('id', '=', project_id)
    .executeTakeFirstOrThrow()
}
