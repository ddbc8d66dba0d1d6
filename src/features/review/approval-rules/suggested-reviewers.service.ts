/** Suggests reviewers for a change: the owners of its files by the CODEOWNERS file of the target branch. */
import { accessLevels } from '../../../access/levels.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { type OwnedChange, ownedEntries } from './code-owner-rules.service.ts'
import { namedOwners } from './owners.queries.ts'
import { type ApprovedProject, approversAmong, membersOfGroups, visibleGroups } from './people.queries.ts'

const maxSuggested = 5
/** Owners whose access is looked up: those of most entries. */
const maxLookedUp = 100

interface Suggesting {
  project: ApprovedProject
  target_branch: string
  change: OwnedChange
  /** Its author and its reviewers, for example. */
  except: readonly number[]
}

/**
 * Owners of most entries first; whom the file names themselves before members of its groups, of which only those that the viewer sees count.
 * No statement without a file, ten otherwise.
 */
export async function suggestedReviewers(
  app: App,
  viewer: Viewer,
  { project, target_branch, change, except }: Suggesting,
): Promise<UserInBrief[]> {
  // A page goes without suggestions where git takes too long to compare.
  const found = await ownedEntries(app.git.open(project.id), target_branch, change).catch((error: unknown) => {
    if (error instanceof Failure) return null
    throw error
  })
  const entries = found?.owned ?? []
  if (entries.length === 0) return []
  const names = await namedOwners(app.db, project, [...new Set(entries.flatMap(({ entry }) => entry.owners))])
  const groups = await visibleGroups(app.db, viewer, [...new Set([...names.values()].flatMap(({ group_ids }) => group_ids))])
  const members = await membersOfGroups(
    app.db,
    groups.map(({ id }) => id),
  )
  const weights = new Map<number, number>()
  const add = (ids: readonly number[], weight: number) => {
    for (const id of ids) weights.set(id, (weights.get(id) ?? 0) + weight)
  }
  for (const owner of entries.flatMap(({ entry }) => entry.owners)) {
    const { user_ids = [], group_ids = [] } = names.get(owner) ?? {}
    add(user_ids, entries.length + 1)
    for (const id of group_ids) add(members.get(id) ?? [], 1)
  }
  for (const id of except) weights.delete(id)
  const ranked = [...weights].sort(([one, a], [other, b]) => b - a || one - other).map(([id]) => id)
  const people = await approversAmong(app.db, project, ranked.slice(0, maxLookedUp))
  const able = ranked.filter((id) => people.get(id)?.mayAct && (people.get(id)?.level ?? 0) >= accessLevels.reporter)
  const users = await usersInBrief(app.db, able.slice(0, maxSuggested))
  return able.slice(0, maxSuggested).flatMap((id) => users.get(id) ?? [])
}
