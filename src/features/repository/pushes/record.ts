/** Records a push: reads what has changed in the repository, and publishes the domain event from which everything else follows. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { findReadme } from '../../../git/history/readme.ts'
import { readHead, setHead } from '../../../git/refs/head.ts'
import { branchOf, isDeletion, type RefChange } from '../../../git/refs/ref-updates.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Pusher } from './pusher.ts'
import { deleteIntent } from './pushes.queries.ts'

export interface Recorded extends Pick<Pusher, 'project' | 'user' | 'starts_pipelines'> {
  /** Sealed (`pusher.ts`). */
  push_options?: string | null
}

/**
 * Updates the project after `changes` of its refs; when it returns, every reader sees the push. Does nothing if the intent was settled
 * meanwhile. `at` is the time of the push; `also` writes related rows in the same transaction.
 */
export async function recordPush(
  app: App,
  { project, user, starts_pipelines = true, push_options = null }: Recorded,
  changes: RefChange[],
  intent: number | null,
  at = now(),
  also: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  const repo = app.git.open(project.id)
  const default_branch = await settleDefaultBranch(repo, project.default_branch, changes)
  const readme_path = await findReadme(repo)
  const recorded = await inTransaction(app.db, async (tx) => {
    if (intent !== null && !(await deleteIntent(tx, intent))) return false
    const has_new_default_branch = project.default_branch === null && default_branch !== null
    const found = { default_branch, has_new_default_branch, readme_path, starts_pipelines, push_options }
    await publish(tx, { type: 'refs_pushed', project_id: project.id, user_id: user.id, at, changes, ...found })
    await also(tx)
    return true
  })
  if (recorded) app.log.info({ project: project.full_path, user: user.username, refs: changes.length }, 'push')
}

/** The branch of HEAD if it was pushed; otherwise `main`, `master` or the first pushed branch, to which HEAD is then set. */
async function settleDefaultBranch(repo: Repo, current: string | null, changes: RefChange[]): Promise<string | null> {
  if (current !== null) return current
  const pushed = changes.filter((change) => !isDeletion(change)).flatMap(({ ref }) => branchOf(ref) ?? [])
  const head = await readHead(repo)
  const branch = [head, 'main', 'master', ...pushed].find((name) => pushed.includes(name))
  if (branch === undefined) return null
  if (branch !== head) await setHead(repo, branch)
  return branch
}
