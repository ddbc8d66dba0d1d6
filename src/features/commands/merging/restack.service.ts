/**
 * Rebases what was built on another request, without the commits of that: onto the branch into which it was merged, or onto its own branch
 * after it was rebased for the same reason.
 */
import { isDeepStrictEqual } from 'node:util'
import { findProject } from '../../../access/find.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure } from '../../../failure.ts'
import { changeDigests } from '../../../git/diff/change-digest.ts'
import { isAncestor } from '../../../git/history/ancestry.ts'
import { readChangeIds } from '../../../git/history/change-ids.ts'
import { commitRange } from '../../../git/history/commit-range.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { readCommit } from '../../../git/objects/read.ts'
import type { RefChange } from '../../../git/refs/ref-updates.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { maxRebased, rebase } from '../../../git/write/rebase.ts'
import { transplantedTree } from '../../../git/write/transplant.ts'
import { changeRefs, type Pusher } from '../../repository/pushes/pushes.ts'
import { isQueuedBehind, mergeRequestById, updateMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import { changesOfVersion, currentVersion, everListed, newestVersion } from '../../review/versions/versions.ts'
import { onSourceBranch } from './source-branch.ts'

/** Commits with the change id of one of the other request: more are not compared. */
const maxCompared = 50

/**
 * In the name of its author, by a push, and only where it is clean: the result has exactly the changes that it had on top of the other.
 * Otherwise it stays as it is, `merge_error` says what to do, and this returns false. Does nothing where it has none of those commits. Safe
 * to repeat.
 */
export async function restack(app: App, id: number, below: MergeRequest): Promise<boolean> {
  const known = await mergeRequestById(app.db, id)
  if (!known || !isAbove(known, below) || isQueuedBehind(known)) return true
  const merge_request = (await currentVersion(app, known))?.merge_request
  const author = await userById(app.db, known.author_id)
  const repo = app.git.open(known.project_id)
  const target = await resolveCommit(repo, `refs/heads/${known.target_branch}`)
  if (!merge_request?.head_oid || !author || target === null) return true
  const { project } = await findProject(app.db, String(known.project_id), everything)
  const sides = { tip: merge_request.head_oid, onto: target }
  try {
    const after = await lastOfBelow(app, repo, sides, below)
    if (after === null && (project.merge_method === 'merge' || (await isAncestor(repo, sides.onto, sides.tip)))) return true
    if (!mayAct(author)) throw new Failure('forbidden', '403 Forbidden')
    const from = after ?? (await mergeBase(repo, [sides.tip, sides.onto]))
    await rebaseAfter(app, { user: author, project }, merge_request, { below, tip: sides.tip, from })
    return true
  } catch (error) {
    if (!(error instanceof Failure) || !settled.has(error.code)) throw error
    app.log.info({ err: error, merge_request: id }, 'merging: not rebased onto what was below')
    await inTransaction(app.db, (tx) => updateMergeRequest(tx, id, { merge_error: toDo(merge_request, below) }))
    return false
  }
}

/** Failures that a retry would meet again. */
const settled: ReadonlySet<string> = new Set(['forbidden', 'ref_denied', 'method_not_allowed', 'unprocessable', 'timed_out', 'too_large'])

function isAbove(one: MergeRequest, below: MergeRequest): boolean {
  if (one.state !== 'opened' || one.id === below.id || one.project_id !== below.project_id) return false
  if (below.state === 'merged') return one.target_branch === below.target_branch
  return below.state === 'opened' && below.source_project_id === one.project_id && one.target_branch === below.source_branch
}

function toDo({ target_branch }: MergeRequest, { iid, state }: MergeRequest): string {
  const what = state === 'merged' ? 'merged' : 'rebased'
  return `After !${iid} was ${what}, this could not be rebased. Rebase it onto ${target_branch} without the commits of !${iid}, and push it.`
}

interface Sides {
  tip: string
  onto: string
}

/**
 * The newest of its commits that the other request had, in any version; or that makes the same change as one of it, under the same change
 * id. Null if there is none.
 */
export async function lastOfBelow(app: App, repo: Repo, { tip, onto }: Sides, below: MergeRequest): Promise<string | null> {
  const { oids } = await commitRange(repo, tip, onto, maxRebased)
  const listed = await everListed(app.db, below.id, oids)
  const last = await newestVersion(app.db, below.id)
  const theirs = last ? await changesOfVersion(app.db, last.id) : []
  const byChange = new Map(theirs.flatMap(({ change_id, oid }) => (change_id === null ? [] : [[change_id, oid] as const])))
  const change_ids = byChange.size === 0 ? [] : await readChangeIds(repo, oids)
  let compared = 0
  for (const [index, oid] of oids.entries()) {
    if (listed.has(oid)) return oid
    const other = byChange.get(change_ids[index] ?? '')
    if (other === undefined || compared === maxCompared) continue
    compared += 1
    if (await areAlike(repo, oid, other)) return oid
  }
  return null
}

async function areAlike(repo: Repo, ...oids: [string, string]): Promise<boolean> {
  const changed = async (oid: string) => changeDigests(repo, (await readCommit(repo, oid)).parents[0] ?? null, oid)
  const [one, other] = await Promise.all(oids.map(changed))
  return isDeepStrictEqual(one, other)
}

interface Above {
  below: MergeRequest
  tip: string
  /** The commit on which its own changes are; null if it has no history in common with the target. */
  from: string | null
}

/** The commits after `from`, on top of `onto`. Null unless the result has exactly the changes that they had. */
export async function transplanted(
  repo: Repo,
  { tip, from, onto }: { tip: string; from: string; onto: string },
  user: User,
): Promise<string | null> {
  const outcome = await rebase(repo, { tip, onto, after: from }, user)
  if (outcome.kind !== 'done') return null
  const expected = await transplantedTree(repo, { from, to: tip, onto })
  return expected === (await readCommit(repo, outcome.oid)).tree ? outcome.oid : null
}

type Caller = Pick<Pusher, 'user' | 'project'>

function rebaseAfter(app: App, caller: Caller, merge_request: MergeRequest, { below, from, ...known }: Above): Promise<void> {
  return onSourceBranch(app, caller, merge_request, async ({ pusher, repo, ref, tip, onto, bringTarget }) => {
    // Somebody has pushed since: what they did counts.
    if (tip !== known.tip) return
    await bringTarget()
    const after = from === null ? null : await transplanted(repo, { tip, from, onto }, caller.user)
    if (after === null) throw new Failure('unprocessable', 'Its commits conflict with the target, or a rebase would change what it does')
    if (after === onto) throw new Failure('unprocessable', 'All of its changes are there already')
    if (after === tip) return
    const change = { ref, before: tip, after }
    await changeRefs(app, pusher, [change], { is_forced: true, also: (tx) => follow(tx, merge_request, caller.user, { below, change }) })
  })
}

async function follow(
  tx: Tx,
  { id }: MergeRequest,
  { id: actor_id }: User,
  { below, change }: { below: MergeRequest; change: RefChange },
): Promise<void> {
  const merge_request = await updateMergeRequest(tx, id, { merge_error: null })
  const [before_oid, after_oid] = [change.before, change.after]
  await publish(tx, { type: 'merge_request_restacked', merge_request, actor_id, at: now(), below, before_oid, after_oid })
}
