/** Collects evidence of a release: a snapshot of it, with its milestones and their issues, and a checksum of that. */
import { createHash } from 'node:crypto'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { grouped } from '../../../db/rows.ts'
import type { Release } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { countEvidences, insertEvidence, issuesIn, milestonesIn, projectOf } from './evidences.queries.ts'

/** Maximum per release. */
const maxEvidences = 20

/** The oldest issues are named. */
const maxIssues = 1_000

/** Throws 400 if the release has reached the limit. */
export async function collectEvidence(app: App, release: Release): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    if ((await countEvidences(tx, release.id)) >= maxEvidences) throw invalid(`A release has at most ${maxEvidences} pieces of evidence`)
    await collectEvidenceIn(tx, release)
  })
}

export async function collectEvidenceIn(tx: Tx, release: Release): Promise<void> {
  const summary = JSON.stringify(await summaryOf(tx, release))
  const sha = createHash('sha256').update(summary).digest('hex')
  await insertEvidence(tx, { release_id: release.id, sha, summary, collected_at: now() })
}

async function summaryOf(tx: Tx, release: Release) {
  const [project, milestones] = [await projectOf(tx, release), await milestonesIn(tx, release.id)]
  const ids = milestones.map(({ id }) => id)
  const issues = ids.length === 0 ? [] : await issuesIn(tx, release, ids, maxIssues)
  const issuesOf = grouped(issues, ({ milestone_id }) => milestone_id ?? 0)
  const { id, tag_name, name, description, created_at, released_at } = release
  return {
    release: {
      id,
      tag_name,
      name: name ?? tag_name,
      project,
      created_at,
      released_at,
      description,
      milestones: milestones.map((milestone) => ({
        ...milestone,
        issues: (issuesOf.get(milestone.id) ?? []).map(({ milestone_id: _, ...issue }) => issue),
      })),
    },
  }
}
