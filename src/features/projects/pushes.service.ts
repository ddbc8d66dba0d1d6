/** What follows from a push: by whatever road it came. */
import type { LocatedProject } from '../../access/find.ts'
import type { App } from '../../app.ts'
import { inTransaction } from '../../db/database.ts'
import { now } from '../../db/instants.ts'
import type { User } from '../../db/tables.ts'
import { isDeletion, type RefChange } from '../../git/packs.ts'
import { readCommit, readTree, resolveCommit } from '../../git/read.ts'
import { readHead, setHead } from '../../git/refs.ts'
import type { Repo } from '../../git/repository.ts'
import { enqueue } from '../../queue/queue.ts'
import { measureProjectJob } from './projects.jobs.ts'
import { updateProject } from './projects.queries.ts'

/** Brings the project in line with its refs after `changes`; when it returns, every reader sees the push. */
export async function recordPush(app: App, project: LocatedProject, pusher: User, changes: RefChange[]): Promise<void> {
  const repo = app.git.open(project.id)
  const default_branch = await settleDefaultBranch(repo, project.default_branch, changes)
  const readme_path = await findReadme(repo)
  const at = now()
  await inTransaction(app.db, async (tx) => {
    await updateProject(tx, project.id, { default_branch, readme_path, last_activity_at: at, updated_at: at })
    await enqueue(tx, measureProjectJob, { project_id: project.id }, { unique_key: `measure ${project.id}` })
  })
  app.log.info({ project: project.full_path, user: pusher.username, refs: changes.length }, 'push')
}

/** The branch HEAD names where it was pushed; otherwise the most usual of those that were, which HEAD then names. */
async function settleDefaultBranch(repo: Repo, current: string | null, changes: RefChange[]): Promise<string | null> {
  if (current !== null) return current
  const pushed = changes
    .filter((change) => change.ref.startsWith('refs/heads/') && !isDeletion(change))
    .map(({ ref }) => ref.slice('refs/heads/'.length))
  const head = await readHead(repo)
  const branch = [head, 'main', 'master', ...pushed].find((name) => pushed.includes(name))
  if (branch === undefined) return null
  if (branch !== head) await setHead(repo, branch)
  return branch
}

async function findReadme(repo: Repo): Promise<string | null> {
  const head = await resolveCommit(repo, 'HEAD')
  if (!head) return null
  const entries = await readTree(repo, (await readCommit(repo, head)).tree)
  return entries?.find(({ type, name }) => type === 'blob' && /^readme(\.\w+)?$/i.test(name))?.name ?? null
}
