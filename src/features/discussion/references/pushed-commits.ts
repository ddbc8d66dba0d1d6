/** Processes the messages of pushed commits: those on the default branch close issues, and all add notes to what they mention. */

import { findProject, type LocatedProject } from '../../../access/find.ts'
import { canUpdateIssue } from '../../../access/issues.ts'
import { peopleOfAddresses } from '../../../access/readers.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { commitsAhead } from '../../../git/history/history-page.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { closeIssueIn, lockIssue } from '../../planning/issues/issues.ts'
import { closingReferences } from './closing.ts'
import { findCommits, type NamedCommit, projectById } from './commits.ts'
import { mentionedAmong, noteMentionsInCommit } from './cross-references.service.ts'
import { commitNamesIn, referencesIn } from './parse.ts'
import { resolveReferences } from './resolve.ts'

/** Per branch and push: the newest. */
const maxCommits = 100

/** One branch of a push. */
export interface PushedBranch {
  before: string
  after: string
  isDefault: boolean
}

const followed = new Set(['issue', 'merge_request'] as const)

/** Processes the new commits of a push. May run twice: what was closed or noted before is skipped. */
export async function readPushedCommits(
  app: App,
  projectId: number,
  userId: number,
  branch: PushedBranch,
  stopping?: AbortSignal,
): Promise<void> {
  const [pusher, project] = [await userById(app.db, userId), await projectById(app.db, projectId)]
  if (!pusher || !project) return
  const repo = app.git.open(project.id)
  for (const commit of await newCommits(app, repo, project, branch)) {
    if (!/[#!/]|[0-9a-f]{7}/.test(commit.message)) continue
    const names = commitNamesIn(commit.message, app.config.url)
    const commits = await findCommits(app, { project, author: pusher }, names, stopping)
    await inTransaction(app.db, (tx) => followCommit(tx, app.config.url, { project, pusher, commit, isDefault: branch.isDefault, commits }))
  }
}

/** Oldest first. Commits that a fork has from its source were processed there. */
async function newCommits(app: App, repo: Repo, project: LocatedProject, { before, after }: PushedBranch): Promise<Commit[]> {
  const tip = await resolveCommit(repo, after)
  const known = /^0+$/.test(before) ? project.default_branch && `refs/heads/${project.default_branch}` : before
  const from = known ? await resolveCommit(repo, known) : null
  if (!tip || !from) return []
  const { commits } = await commitsAhead(repo, from, tip, maxCommits)
  const { forked_from_id } = project
  if (forked_from_id === null) return commits.toReversed()
  const source = app.git.open(forked_from_id)
  const isThere = await Promise.all(commits.map(({ oid }) => objectInfo(source, oid)))
  return commits.filter((_, index) => isThere[index] === null).toReversed()
}

interface Followed {
  project: LocatedProject
  pusher: User
  commit: Commit
  isDefault: boolean
  /** The commits that its message mentions. */
  commits: NamedCommit[]
}

async function followCommit(tx: Tx, site: string, { project, pusher, commit, isDefault, commits }: Followed): Promise<void> {
  const closing = isDefault ? closingReferences(commit.message, site) : []
  const mentioned = [...referencesIn(commit.message, site)]
  if (closing.length + mentioned.length + commits.length === 0) return
  // The pusher can't close or add notes to things they can't see, whoever wrote the commit.
  const resolved = await resolveReferences(tx, pusher, project, [...closing, ...mentioned], followed)
  const { email } = commit.author
  const author = (await peopleOfAddresses(tx, project, [email])).get(email.toLowerCase())
  const author_id = author && mayAct(author) ? author.id : pusher.id
  const closed = new Set<number>()
  for (const { row: issue } of mentionedAmong(closing, resolved)) {
    // A fork doesn't close issues of the project it was forked from.
    if (issue.project_id === project.forked_from_id) continue
    if (await closeBy(tx, issue.id, pusher, author_id, { commit_oid: commit.oid, project })) closed.add(issue.id)
  }
  const others = mentionedAmong(mentioned, resolved).filter(({ kind, row }) => kind !== 'issue' || !closed.has(row.id))
  await noteMentionsInCommit(tx, { project, oid: commit.oid, author_id, at: now() }, others, commits)
}

/** False if the pusher may not close it. */
async function closeBy(
  tx: Tx,
  issueId: number,
  pusher: User,
  author_id: number,
  by: { commit_oid: string; project: { id: number; full_path: string } },
): Promise<boolean> {
  const issue = await lockIssue(tx, issueId)
  if (!issue) return false
  const access = await findProject(tx, String(issue.project_id), pusher)
  if (access.project.archived || !canUpdateIssue(access, issue, await peopleIds(tx, 'issue_assignees', issue.id), pusher)) return false
  await closeIssueIn(tx, author_id, issue, by)
  return true
}
