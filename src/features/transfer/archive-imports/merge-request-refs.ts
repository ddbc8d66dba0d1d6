/** Creates the refs of imported merge requests from their rows, so that an archive can't choose any. */
import { keepAroundRef, mergeRequestHeadRef } from '../../../git/refs/service-refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { commitsAmong } from '../../../git/transfer/bundle.ts'
import { archiveError, type Line, readPages, type Unpacked } from '../archive/archive.ts'

type Version = Line<'merge_request_versions'>

/**
 * The heads of merge requests, from the newest version of each, and the refs that keep all their commits. Throws `invalid` if a commit is
 * missing.
 */
export async function refsOfMergeRequests(repo: Repo, { tables }: Unpacked): Promise<Map<string, string>> {
  const [requests, versions] = [tables.get('merge_requests'), tables.get('merge_request_versions')]
  const refs = new Map<string, string>()
  if (!requests || !versions) return refs
  const iids = new Map<number, number>()
  for await (const page of readPages('merge_requests', requests)) for (const { id, iid } of page) iids.set(id, iid)
  const newest = new Map<number, number>()
  for await (const page of readPages('merge_request_versions', versions)) {
    await requireCommits(repo, page)
    for (const { id, merge_request, start_oid, head_oid } of page) {
      const iid = iids.get(merge_request)
      if (iid === undefined) throw archiveError('refers to a line of tables/merge_requests.jsonl that it lacks')
      for (const oid of [start_oid, head_oid]) refs.set(keepAroundRef(oid), oid)
      if (id < (newest.get(iid) ?? 0)) continue
      newest.set(iid, id)
      refs.set(mergeRequestHeadRef(iid), head_oid)
    }
  }
  return refs
}

async function requireCommits(repo: Repo, page: Version[]): Promise<void> {
  const wanted = page.flatMap(({ base_oid, start_oid, head_oid }) => [base_oid ?? head_oid, start_oid, head_oid])
  const found = await commitsAmong(repo, wanted)
  if (!wanted.every((oid) => found.has(oid))) throw archiveError('lacks commits of a merge request')
}
