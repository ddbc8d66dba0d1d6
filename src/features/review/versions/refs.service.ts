/** The refs of merge requests in the repository of the target: `refs/merge-requests/:iid/head`, and those that keep commits. */
import type { App } from '../../../app.ts'
import {
  keepAroundRef,
  mergeRequestHeadRef,
  mergeRequestMergeRef,
  mergeRequestTrainRef,
  readServiceRef,
  setServiceRefs,
} from '../../../git/refs/service-refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { mergeRequestById, mergeRequestByIid } from '../merge-requests/merge-requests.ts'
import { newestVersion } from './versions.queries.ts'

/**
 * Updates the refs of a merge request from its rows, and keeps the commits of its newest version alive: both are done when it resolves.
 * Safe to repeat, also concurrently: the last one sees the newest rows. One process; none if the refs are up to date.
 */
export async function ensureRefs(app: App, id: number): Promise<void> {
  for (;;) {
    const wanted = await wantedRefs(app, id)
    if (!wanted) return
    const repo = app.git.open(wanted.project_id)
    const wrong = await wrongRefs(repo, wanted.refs)
    if (wrong.size === 0) return
    await setServiceRefs(repo, wrong)
  }
}

/** Null if the merge request was deleted, or has no version. */
async function wantedRefs(app: App, id: number): Promise<{ project_id: number; refs: Map<string, string> } | null> {
  const [found, version] = [await mergeRequestById(app.db, id), await newestVersion(app.db, id)]
  if (!found || !version) return null
  const { head_oid, start_oid } = version
  const kept = [head_oid, start_oid, found.merge_commit_oid, found.squash_commit_oid].filter((oid) => oid !== null)
  const refs = [[mergeRequestHeadRef(found.iid), head_oid] as const, ...kept.map((oid) => [keepAroundRef(oid), oid] as const)]
  return { project_id: found.project_id, refs: new Map(refs) }
}

async function wrongRefs(repo: Repo, refs: Map<string, string>): Promise<Map<string, string>> {
  const wrong = new Map<string, string>()
  for (const [ref, oid] of refs) if ((await readServiceRef(repo, ref)) !== oid) wrong.set(ref, oid)
  return wrong
}

/** Sets the ref of the merge result, or removes it (null). */
export async function setMergeRef(repo: Repo, iid: number, oid: string | null): Promise<void> {
  await setServiceRefs(repo, new Map([[mergeRequestMergeRef(iid), oid]]))
}

/** Removes the refs of a deleted merge request. Commits are kept alive. */
export async function removeRefs(app: App, project_id: number, iid: number): Promise<void> {
  // A caller who may choose numbers may have reused this one.
  if (await mergeRequestByIid(app.db, project_id, iid)) return
  const refs = [mergeRequestHeadRef(iid), mergeRequestMergeRef(iid), mergeRequestTrainRef(iid)]
  await setServiceRefs(app.git.open(project_id), new Map(refs.map((ref) => [ref, null])))
}
