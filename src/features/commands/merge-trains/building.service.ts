/** Merges the requests of a batch one after the other, each onto the result of the one before. No branch moves here. */
import type { App } from '../../../app.ts'
import type { MergeTrainCar } from '../../../db/tables.ts'
import { isAncestor } from '../../../git/history/ancestry.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { mergeRequestTrainRef, setServiceRefs } from '../../../git/refs/service-refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { rebase } from '../../../git/write/rebase.ts'
import type { Pusher } from '../../repository/pushes/pushes.ts'
import { paramsOf } from '../../review/merge-requests/merge-requests.ts'
import type { Mergeability } from '../../review/mergeability/mergeability.ts'
import { closingBy, isSquashed, transplanted, type WrittenMerge, writeMergeOf } from '../merging/merging.ts'
import { verdictOn } from './checks.service.ts'

export interface BuiltCar {
  car: MergeTrainCar
  base_oid: string
  written: WrittenMerge
}

export type Built =
  | { kind: 'built'; cars: BuiltCar[] }
  /** This one has to leave before the others can be merged. */
  | { kind: 'leaves'; car: MergeTrainCar; because: string }
  | { kind: 'waits' }

/** Kept alive by a ref of each, so that runners can fetch it and housekeeping keeps it. */
export async function build(app: App, cars: readonly MergeTrainCar[], onto: string): Promise<Built> {
  const built: BuiltCar[] = []
  const refs = new Map<string, string>()
  let tip = onto
  for (const car of cars) {
    const repo = app.git.open(car.project_id)
    const verdict = await verdictOn(app, car)
    if (verdict.kind === 'waits') return verdict
    if (verdict.kind === 'leaves') return { ...verdict, car }
    const written = await mergeOnto(app, repo, verdict, { onto: tip, after_oid: car.after_oid })
    if (!written) return { kind: 'leaves', car, because: 'it conflicts with the target branch, or with what is before it in the train' }
    if (written.tip_oid === tip) return { kind: 'leaves', car, because: 'the target branch has all its changes' }
    built.push({ car, base_oid: tip, written })
    refs.set(mergeRequestTrainRef(verdict.found.merge_request.iid), written.tip_oid)
    tip = written.tip_oid
  }
  const [first] = cars
  if (first) await setServiceRefs(app.git.open(first.project_id), refs)
  return { kind: 'built', cars: built }
}

/**
 * Merges by the project's method, with a rebase if that needs it. If the one below in its stack was rebased or squashed, `onto` lacks the
 * commits that this one is based on: then only its own commits are moved there. Null if that conflicts.
 */
async function mergeOnto(
  app: App,
  repo: Repo,
  { pusher, found: { merge_request, version } }: { pusher: Pusher; found: Mergeability },
  { onto, after_oid }: { onto: string; after_oid: string | null },
): Promise<WrittenMerge | null> {
  const head_oid = version?.head_oid
  if (!head_oid) return null
  const squashes = isSquashed(merge_request, version, pusher)
  const isForward = (await mergeBase(repo, [onto, head_oid])) === onto
  const isApart = after_oid !== null && !(await isAncestor(repo, after_oid, onto))
  const staysAsIs = pusher.project.merge_method === 'merge' || isForward || squashes
  const theirs = isApart
    ? await transplanted(repo, { tip: head_oid, from: after_oid, onto }, pusher.user)
    : staysAsIs
      ? head_oid
      : await rebased(repo, pusher, head_oid, onto)
  if (theirs === null) return null
  const { commits, issues } = await closingBy(app, pusher, merge_request)
  const params = paramsOf(merge_request)
  const sides = { ours: onto, theirs }
  return writeMergeOf(app, repo, pusher, {
    merge_request,
    commits,
    issues,
    params,
    tree: null,
    sides,
    isForward: true,
    isSquashed: squashes,
  })
}

async function rebased(repo: Repo, { user }: Pusher, tip: string, onto: string): Promise<string | null> {
  const outcome = await rebase(repo, { tip, onto }, user)
  return outcome.kind === 'done' ? outcome.oid : null
}
