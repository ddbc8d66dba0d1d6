/**
 * Refs of the service itself: those of merge requests, which clients may fetch, and those that keep commits alive, which are hidden from
 * clients. Their targets are in the database, so they can be written again at any time.
 */
import { command } from '../process/command.ts'
import { type Repo, run } from '../repository/repository.ts'
import { flushRefs } from './ref-updates.ts'

/** Folders below `refs/` that users may not push to. */
export const serviceFolders = ['merge-requests', 'keep-around', 'environments', 'pipelines', 'unborn']
const reserved = new RegExp(`^refs/(${serviceFolders.join('|')})(/|$)`, 'i')

/** Whether a ref belongs to the service. Ignores case, as some file systems do. */
export function isServiceRef(ref: string): boolean {
  return reserved.test(ref)
}

/** Whether a revision begins with a ref of a merge request that this handle hides. */
export function isHidden({ showsMergeRequests }: Repo, name: string): boolean {
  return showsMergeRequests !== true && /^refs\/merge-requests(?:\/|$)/i.test(name)
}

/** Reads the target of such a ref; null if there is none. */
export async function readServiceRef(repo: Repo, ref: string): Promise<string | null> {
  return (await repo.git.objects.info(repo.dir, ref))?.oid ?? null
}

/** The ref of the source commit of a merge request. */
export function mergeRequestHeadRef(iid: number): string {
  return `refs/merge-requests/${iid}/head`
}

/** The ref of the result of merging a merge request into its target. */
export function mergeRequestMergeRef(iid: number): string {
  return `refs/merge-requests/${iid}/merge`
}

/** The ref of the result of merging it after those before it in the queue of its target. */
export function mergeRequestTrainRef(iid: number): string {
  return `refs/merge-requests/${iid}/train`
}

/** The ref that keeps a commit alive when its branches are gone. */
export function keepAroundRef(oid: string): string {
  return `refs/keep-around/${oid}`
}

const deadline_ms = 60_000
const zeros = '0'.repeat(40)

/**
 * Sets these refs, wherever they point now, and removes those whose object is null: all or none, and on disk when it resolves. One process.
 * Throws `git_failed` if an object is missing.
 */
export async function setServiceRefs(repo: Repo, refs: ReadonlyMap<string, string | null>): Promise<void> {
  if (refs.size === 0) return
  const orders = [...refs].map(([ref, oid]) => (oid === null ? `delete ${ref}\0\0` : `update ${ref}\0${oid}\0\0`))
  await run(repo, command`update-ref --stdin -z`, { input: orders.join(''), deadline_ms })
  await flushRefs(
    repo,
    [...refs].map(([ref, oid]) => ({ ref, before: zeros, after: oid ?? zeros })),
  )
}
