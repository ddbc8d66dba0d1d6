/**
 * Change ids: what stays the same of a change when its commit is made anew. Gerrit's hooks write them into the message as a trailer
 * (`Change-Id: I…`), jj into a header of the commit.
 */
import { trailersOf } from '../objects/commit-trailers.ts'
import type { Repo } from '../repository/repository.ts'

/** A branch with more commits is read without change ids. */
export const maxChanges = 100
const maxCommits_bytes = 4 * 1024 * 1024

/** A hash, in any case. */
const ofGerrit = /^I[0-9a-f]{40}$/i
/** Sixteen bytes in digits from z to k. */
const ofJj = /^[k-z]{32}$/

/** The change ids of these commits; null for a commit without one. Of more than `maxChanges` commits, or longer ones, none is read. */
export async function readChangeIds(repo: Repo, oids: readonly string[]): Promise<Array<string | null>> {
  const none = oids.map(() => null)
  if (oids.length > maxChanges) return none
  const found: Array<string | null> = []
  let left_bytes = maxCommits_bytes
  // One after another: a message may be as long as an object may be.
  for (const oid of oids) {
    const object = await repo.git.objects.contents(repo.dir, oid)
    left_bytes -= object?.data.length ?? 0
    if (left_bytes < 0) return none
    found.push(object?.type === 'commit' ? changeIdOf(object.data) : null)
  }
  return found
}

/** Reads the change id from a raw commit; text that merely resembles one is ignored, however long it is. */
export function changeIdOf(data: Buffer): string | null {
  const blank = data.indexOf('\n\n')
  const [head, message] = blank < 0 ? [data, ''] : [data.subarray(0, blank), data.toString('utf8', blank + 2)]
  const trailer = trailersOf(message)['Change-Id']
  if (trailer !== undefined && ofGerrit.test(trailer)) return `I${trailer.slice(1).toLowerCase()}`
  const header = changeIdHeader(head)
  return header !== null && ofJj.test(header) ? header : null
}

/** The header in which jj keeps the id, as it is written. */
export function changeIdHeader(head: Buffer): string | null {
  const line = head
    .toString('latin1')
    .split('\n')
    .find((one) => one.startsWith('change-id '))
  return line?.slice('change-id '.length) ?? null
}
