/** The rules of context commits: commits of the project, named by their ids. */
import type { App } from '../../../app.ts'
import { inTransaction } from '../../../db/database.ts'
import { invalid } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { lockMergeRequest } from '../merge-requests/merge-requests.ts'
import { addToContext, countContext } from './context-commits.queries.ts'

/** Maximum per merge request. */
export const maxContext = 100

/** Returns their full ids. Throws 400 naming those that are no commits of the project, and if there would be too many. */
export async function addContextCommits(app: App, repo: Repo, merge_request_id: number, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => (/^[0-9a-f]{7,64}$/i.test(id) ? resolveCommit(repo, id) : null)))
  const unknown = ids.filter((_, index) => found[index] === null)
  if (unknown.length > 0) throw invalid(`One or more context commits' sha is not valid: ${unknown.join(', ')}`)
  const oids = [...new Set(found.flatMap((oid) => oid ?? []))]
  await inTransaction(app.db, async (tx) => {
    await lockMergeRequest(tx, merge_request_id)
    await addToContext(tx, merge_request_id, oids)
    if ((await countContext(tx, merge_request_id)) > maxContext) throw invalid(`A merge request has at most ${maxContext} context commits`)
  })
  return oids
}
