/** The refs of imported merge requests: made of their rows, so that an archive can't choose any. */
import type { Repo } from '../../../git/repository/repository.ts'
import { commitsAmong } from '../../../git/transfer/bundle.ts'
import { archiveError, readPages, type Unpacked } from '../archive/archive.ts'

/** `refs/merge-requests/:iid/head` by the newest version of each, and refs that keep the commits of all versions. Throws `invalid` where one lacks. */
export async function refsOfMergeRequests(repo: Repo, { tables }: Unpacked): Promise<Map<string, string>> {
  const [requests, versions] = [tables.get('merge_requests'), tables.get('merge_request_versions')]
  const refs = new Map<string, string>()
  if (!requests || !versions) return refs
  const iids = new Map<number, number>()
  for await (const page of readPages('merge_requests', requests)) for (const { id, iid } of page) iids.set(id, iid)
  const newest = new Map<number, number>()
  for await (const page of readPages('merge_request_versions', versions)) {
    const found = await commitsAmong(
      repo,
      page.flatMap(({ base_oid, start_oid, head_oid }) => [base_oid ?? head_oid, start_oid, head_oid]),
    )
    for (const { id, merge_request, base_oid, start_oid, head_oid } of page) {
      const iid = iids.get(merge_request)
      if (iid === undefined) throw archiveError('refers to a line of tables/merge_requests.jsonl that it lacks')
      if (![base_oid ?? head_oid, start_oid, head_oid].every((oid) => found.has(oid)))
        throw archiveError('lacks commits of a merge request')
      for (const oid of [start_oid, head_oid]) refs.set(`refs/keep-around/${oid}`, oid)
      if (id < (newest.get(iid) ?? 0)) continue
      newest.set(iid, id)
      refs.set(`refs/merge-requests/${iid}/head`, head_oid)
    }
  }
  return refs
}
