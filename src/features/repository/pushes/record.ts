/** What follows from a push: its events, what the project shows of it, the work for the queue. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { type Db, inTransaction } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { Instant } from '../../../db/tables.ts'
import { findReadme } from '../../../git/history/readme.ts'
import { readHead, setHead } from '../../../git/refs/head.ts'
import { branchOf, isCreation, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { touchAfterPush } from '../../spaces/projects/projects.service.ts'
import { keepInOrderAfterPush } from '../housekeeping/housekeeping.service.ts'
import { protectDefaultBranch } from '../protected-refs/protected-refs.service.ts'
import { recountAfterPush } from '../stats/stats.service.ts'
import type { Pusher } from './push-rules.ts'
import { enqueueDescription } from './pushes.jobs.ts'
import { insertEvents, takeIntent } from './pushes.queries.ts'

/**
 * Brings the project in line with its refs after `changes`; when it returns, every reader sees the push.
 * An intent that somebody else has settled meanwhile is left as it is. `at` is when it happened; `also` writes what belongs to it
 * in the same transaction.
 */
export async function recordPush(
  app: App,
  { project, user }: Pick<Pusher, 'project' | 'user'>,
  changes: RefChange[],
  intent: number | null,
  at = now(),
  also: (tx: Db) => Promise<void> = async () => {},
): Promise<void> {
  const repo = app.git.open(project.id)
  const default_branch = await settleDefaultBranch(repo, project.default_branch, changes)
  const readme_path = await findReadme(repo)
  const recorded = await inTransaction(app.db, async (tx) => {
    if (intent !== null && !(await takeIntent(tx, intent))) return false
    await recordEvents(tx, project, { author_id: user.id, created_at: at }, changes)
    await touchAfterPush(tx, project.id, { default_branch, readme_path })
    if (project.default_branch === null && default_branch !== null) await protectDefaultBranch(tx, project.id, default_branch)
    await recountAfterPush(tx, project.id, default_branch, changes)
    await enqueueDescription(tx, project.id)
    await keepInOrderAfterPush(tx, project.id)
    await also(tx)
    return true
  })
  if (recorded) app.log.info({ project: project.full_path, user: user.username, refs: changes.length }, 'push')
}

/** One event for each branch and tag. */
async function recordEvents(
  db: Db,
  project: LocatedProject,
  by: { author_id: number; created_at: Instant },
  changes: RefChange[],
): Promise<void> {
  const told = changes.filter(({ ref }) => /^refs\/(heads|tags)\//.test(ref))
  await insertEvents(
    db,
    told.map((change) => ({
      project_id: project.id,
      ...by,
      action: 'pushed' as const,
      target_type: null,
      target_id: null,
      ref: change.ref,
      before_oid: isCreation(change) ? null : change.before,
      after_oid: isDeletion(change) ? null : change.after,
      commit_count: null,
      commit_title: null,
    })),
  )
}

/** The branch HEAD names where it was pushed; otherwise the most usual of those that were, which HEAD then names. */
async function settleDefaultBranch(repo: Repo, current: string | null, changes: RefChange[]): Promise<string | null> {
  if (current !== null) return current
  const pushed = changes.filter((change) => !isDeletion(change)).flatMap(({ ref }) => branchOf(ref) ?? [])
  const head = await readHead(repo)
  const branch = [head, 'main', 'master', ...pushed].find((name) => pushed.includes(name))
  if (branch === undefined) return null
  if (branch !== head) await setHead(repo, branch)
  return branch
}
