/** Conflicts of a merge request: lists them, and resolves them with a commit on the source branch. */
import type { App } from '../../../app.ts'
import type { MergeRequest } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type ConflictedFile, conflictsBetween, writeResolvedMerge } from '../../../git/write/conflicts.ts'
import type { MergeSides } from '../../../git/write/merge.ts'
import { changeRefs, type Pusher } from '../../repository/pushes/pushes.ts'
import { mergeRequestById } from '../../review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../review/versions/versions.ts'
import { type ConflictShown, type FileResolution, type Labels, labelOf, presentConflict, resolvedText } from './resolutions.ts'
import { onSourceBranch } from './source-branch.ts'

/** Limit of all texts together, so that they fit into a form. */
const maxTexts_bytes = 300 * 1024
const maxMessage_chars = 100_000

type Branches = Pick<MergeRequest, 'source_branch' | 'target_branch'>

export interface Conflicts {
  files: ConflictShown[]
  labels: Labels
}

/** Every file in conflict between both tips; null if they have no common history. Three processes. */
export async function conflictsOf(repo: Repo, branches: Branches, sides: MergeSides): Promise<Conflicts | null> {
  const found = await conflictsBetween(repo, sides)
  if (found === null) return null
  const labels = { ours: labelOf(branches.source_branch, sides.ours), theirs: labelOf(branches.target_branch, sides.theirs) }
  return { files: withinForm(found).map((file) => presentConflict(file, sides, labels)), labels }
}

function withinForm(files: ConflictedFile[]): ConflictedFile[] {
  let left = maxTexts_bytes
  return files.map((file): ConflictedFile => {
    left -= Buffer.byteLength(file.content ?? '')
    return left < 0 && file.content !== null ? { ...file, content: null, reason: 'too large' } : file
  })
}

export interface ResolveRequest {
  /** The tips whose conflicts were shown. */
  sides: MergeSides
  files: readonly FileResolution[]
  /** Empty for the default message. */
  message: string
}

/** The reason for each file that isn't resolved, keyed by path. */
export type Unresolved = Record<string, 'markers left' | 'not resolved'>

export type ResolveOutcome = { kind: 'done' } | { kind: 'unresolved'; files: Unresolved }

/**
 * Merges the target branch into the source branch with these resolutions, by a push on behalf of the user. Throws 403 if they may not push
 * to the source branch, 405 if the merge request isn't open, 409 if one of the branches has moved.
 */
export async function resolveConflicts(
  app: App,
  caller: Pusher,
  merge_request: MergeRequest,
  request: ResolveRequest,
): Promise<ResolveOutcome> {
  const outcome = await onSourceBranch(app, caller, merge_request, async (source): Promise<ResolveOutcome> => {
    const { pusher, repo, ref, tip, onto, bringTarget } = source
    if (tip !== request.sides.ours || onto !== request.sides.theirs) throw moved()
    await bringTarget()
    const sides = { ours: tip, theirs: onto }
    const conflicts = await conflictsOf(repo, merge_request, sides)
    // Without conflicts there would only be a merge commit, which nobody asked for.
    if (!conflicts || conflicts.files.length === 0) throw moved()
    const { texts, unresolved } = textsOf(conflicts, request.files)
    if (Object.keys(unresolved).length > 0) return { kind: 'unresolved', files: unresolved }
    const message = request.message.trim().slice(0, maxMessage_chars) || usualMessage(merge_request, conflicts)
    const merged = await writeResolvedMerge(repo, sides, texts, { author: caller.user, committer: caller.user, message })
    if (merged.kind !== 'done') throw moved()
    await changeRefs(app, pusher, [{ ref, before: tip, after: merged.oid }]).catch((error: unknown) => {
      throw error instanceof Failure && error.code === 'ref_moved' ? moved() : error
    })
    return { kind: 'done' }
  })
  if (outcome.kind === 'done') await currentVersion(app, (await mergeRequestById(app.db, merge_request.id)) ?? merge_request)
  return outcome
}

function textsOf({ files, labels }: Conflicts, resolutions: readonly FileResolution[]) {
  const given = new Map(resolutions.map((resolution) => [resolution.path, resolution]))
  const texts = new Map<string, Buffer>()
  const unresolved: Unresolved = {}
  for (const file of files) {
    const resolution = given.get(file.path)
    const resolved = resolution ? resolvedText(file, resolution, labels) : ({ kind: 'not resolved' } as const)
    if (resolved.kind === 'done') texts.set(file.path, Buffer.from(resolved.text))
    else unresolved[file.path] = resolved.kind
  }
  return { texts, unresolved }
}

/** The message that git proposes after a merge with conflicts. */
export function usualMessage({ source_branch, target_branch }: Branches, { files }: Pick<Conflicts, 'files'>): string {
  const paths = files.map(({ path }) => `#   ${path}\n`).join('')
  return `Merge branch '${target_branch}' into '${source_branch}'\n\n# Conflicts:\n${paths}`
}

function moved(): Failure {
  return new Failure('conflict', 'One of the branches has moved. Look at the conflicts again.')
}
