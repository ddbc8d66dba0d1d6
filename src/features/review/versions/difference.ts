/** Compares the change of a version with that of the one before, as far as approvals depend on it. */
import type { App } from '../../../app.ts'
import type { MergeRequestVersion } from '../../../db/tables.ts'
import type { EventOf } from '../../../domain-events/events.ts'
import { changeDigests } from '../../../git/diff/change-digest.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { codeOwnersAt, ownedAmong, TooMuchToCompare } from '../../repository/code-owners/code-owners.ts'
import type { VersionContents } from './contents.ts'

export type Difference = Pick<EventOf<'merge_request_version_created'>, 'is_same_change' | 'changed_owners'>

const unknown: Difference = { is_same_change: false, changed_owners: null }

/** Two processes, only where somebody has approved it. What git can't compare is another change, of whoever may own it. */
export async function differenceFrom(
  app: App,
  repo: Repo,
  last: MergeRequestVersion,
  contents: VersionContents,
  isApproved: () => Promise<boolean>,
): Promise<Difference> {
  if (last.head_oid === contents.head_oid) return { is_same_change: true, changed_owners: [] }
  if (last.state !== 'collected' || contents.state !== 'collected' || !(await isApproved())) return unknown
  try {
    const before = await changeDigests(repo, last.base_oid, last.head_oid)
    const after = await changeDigests(repo, contents.base_oid, contents.head_oid)
    const paths = differingPaths(before, after)
    return { is_same_change: paths.length === 0, changed_owners: await ownersOf(repo, contents.start_oid, paths) }
  } catch (error) {
    app.log.warn({ err: error, merge_request: last.merge_request_id }, 'versions: changes not compared')
    return unknown
  }
}

/** The paths that two changes have changed otherwise, by their digests. */
export function differingPaths(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}

/** As the file of the target names them; null if that is too much to find out. */
async function ownersOf(repo: Repo, target_oid: string, paths: readonly string[]): Promise<string[] | null> {
  const owners = paths.length === 0 ? null : await codeOwnersAt(repo, target_oid)
  if (!owners) return []
  try {
    return [...new Set(ownedAmong(owners, paths).flatMap(({ entry }) => entry.owners))]
  } catch (error) {
    if (error instanceof TooMuchToCompare) return null
    throw error
  }
}
