/** Creates commits for the API: each is written first, and becomes part of the history when its branch moves to it. */
import { mayUse } from '../../../access/features.ts'
import type { App } from '../../../app.ts'
import { badParameter, type Failure, forbidden, invalid, notFound } from '../../../failure.ts'
import { lastCommitOf } from '../../../git/history/history.ts'
import { fsckError, isLookedInto } from '../../../git/objects/fsck.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { countedFor, showingMergeRequests } from '../../../git/repository/handles.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { cherryPickOnto, revertOnto } from '../../../git/write/cherry-pick.ts'
import { writeCommit } from '../../../git/write/fast-import.ts'
import { openTreeBuilder } from '../../../git/write/tree-builder.ts'
import { userKey } from '../../../limits/callers.ts'
import { getBranch } from '../branches/branches.ts'
import { changeRefs, mayCommitTo, type Pusher } from '../pushes/pushes.ts'
import { applyStep, pointing, type Step, stepOf } from './actions.ts'
import type { Action } from './commit-actions.schema.ts'
import { pickMessage, revertMessage } from './messages.ts'
import { type CommitRequest, startOf } from './start.ts'

/** How errors differ between the endpoints that commit. */
interface Refusals {
  /** The message if a file has a later commit than the caller knows. */
  stale?: (path: string) => string
  /** The failure if the caller may not push to the branch; 403 by default. */
  denied?: (reason: string) => Failure
}

const hasChanged = (path: string) => `The file has changed since you started editing it: ${path}`

/** Creates one commit of all actions, or throws 400 and changes nothing; 403, or `denied`, if the pusher may not push to the branch. */
export function commitActions(
  app: App,
  pusher: Pusher,
  request: CommitRequest,
  actions: Action[],
  refusals: Refusals = {},
): Promise<Commit> {
  return commitSteps(app, pusher, request, () => actions.map(stepOf), refusals)
}

/**
 * Creates a commit that sets the submodule at `path` to the commit `oid`, which need not be in this repository. Fails as `commitActions`
 * does.
 */
export function commitSubmodule(app: App, pusher: Pusher, request: CommitRequest, path: string, oid: string): Promise<Commit> {
  return commitSteps(app, pusher, request, () => [pointing(path, oid)])
}

async function commitSteps(
  app: App,
  pusher: Pusher,
  request: CommitRequest,
  stepsOf: () => Step[],
  { stale = hasChanged, denied = forbidden }: Refusals = {},
): Promise<Commit> {
  const { branch, commit_message: message, author_name, author_email } = request
  const { user } = pusher
  if (message.trim() === '') throw badParameter('commit_message is empty')
  await assertCanPush(app, pusher, branch, denied)
  const repo = countedFor(app.git.open(pusher.project.id), userKey(pusher.user))
  const { parent, before, is_forced } = await startOf(app, repo, pusher, request)
  const steps = stepsOf()
  if (parent) await assertUnchanged(repo, parent.oid, steps, stale)
  const draft = openTreeBuilder(repo, parent?.tree ?? null)
  for (const step of steps) await applyStep(draft, step)

  const oid = await writeCommit(repo, {
    parents: parent ? [parent.oid] : [],
    author: { name: author_name || user.name, email: author_email || user.email },
    committer: user,
    message,
    changes: draft.changes,
  })
  const commit = await readCommit(repo, oid)
  // One of several actions may change nothing; a single one that does is an error.
  if (steps.length === 1 && commit.tree === parent?.tree) {
    throw invalid('The commit would change nothing: the content is identical to the current content')
  }
  if (steps.some(({ path }) => isLookedInto(path.join('/')))) await assertAllowedByFsck(repo, commit)
  await changeRefs(app, pusher, [{ ref: `refs/heads/${branch}`, before, after: oid }], { is_forced })
  return commit
}

/** Commits of the API pass the same checks as pushed ones. */
async function assertAllowedByFsck(repo: Repo, { oid, parents }: Commit): Promise<void> {
  const fieldError = await fsckError(repo, oid, parents)
  if (fieldError) throw invalid(`Git refuses what the commit holds: ${fieldError}`)
}

async function assertCanPush(app: App, pusher: Pusher, branch: string, denied: (reason: string) => Failure = forbidden): Promise<void> {
  if (await mayCommitTo(app, pusher, branch)) return
  throw (pusher.project.archived ? forbidden : denied)('You are not allowed to push into this branch')
}

/** Maximum of concurrent processes that look up last commits. */
const atOnce = 4
/** Each requires a walk through the history. */
const maxGuarded = 1_000

/** Throws 400 if a file to be changed has a later commit than the caller knows. */
async function assertUnchanged(repo: Repo, tip: string, steps: Step[], stale: (path: string) => string): Promise<void> {
  const guarded = steps.filter(({ action, last_commit_id }) => last_commit_id && action !== 'create')
  if (guarded.length > maxGuarded) throw invalid(`At most ${maxGuarded} actions of one commit may tell a last_commit_id`)
  for (let at = 0; at < guarded.length; at += atOnce) {
    const some = guarded.slice(at, at + atOnce)
    const last = await Promise.all(some.map(({ from }) => lastCommitOf(repo, tip, from.join('/'))))
    const changed = some.find(({ last_commit_id }, index) => last[index] !== null && last[index] !== last_commit_id)
    if (changed) throw invalid(stale(changed.from.join('/')))
  }
}

export type CommitOperation = 'cherry-pick' | 'revert'

/**
 * Cherry-picks or reverts the commit `sha` on `branch`: for a merge, its changes against its first parent. Throws 400 on a conflict, or if
 * nothing would change.
 */
export async function applyCommit(app: App, pusher: Pusher, kind: CommitOperation, sha: string, branch: string): Promise<Commit> {
  await assertCanPush(app, pusher, branch)
  const repo = countedFor(app.git.open(pusher.project.id), userKey(pusher.user))
  const named = await resolveCommit(showingMergeRequests(repo, mayUse('merge_requests', pusher)), sha)
  if (!named) throw notFound('Commit')
  const { oid: tip } = await getBranch(repo, branch)
  const [picked, onto] = [await readCommit(repo, named), await readCommit(repo, tip)]
  const tree = await (kind === 'revert' ? revertOnto : cherryPickOnto)(repo, picked, onto)
  if (tree === null || tree === onto.tree) {
    throw invalid(
      `Sorry, we cannot ${kind} this commit automatically. This commit may already have been ${kind}ed, or a more recent commit may have updated some of its content.`,
    )
  }
  const { user } = pusher
  const { author } = picked
  const oid = await writeCommit(repo, {
    parents: [tip],
    author: kind === 'revert' ? user : { ...author, date: new Date(author.date) },
    committer: user,
    message: await (kind === 'revert' ? revertMessage(app, pusher, picked) : pickMessage(app, repo, pusher, picked)),
    tree,
  })
  await changeRefs(app, pusher, [{ ref: `refs/heads/${branch}`, before: tip, after: oid }])
  return readCommit(repo, oid)
}
