/** Which changes of refs are allowed: one judge for every road by which they come. */
import type { LocatedProject } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { isAncestor } from '../../git/history.ts'
import { branchOf, isCreation, isDeletion, type RefChange, tagOf } from '../../git/ref-updates.ts'
import {
  isProtectedBranch,
  isProtectedTag,
  mayCreateTag,
  mayPushTo,
  type Protection,
  protectionOf,
} from '../protected-refs/protected-refs.service.ts'

/** Who changes the refs of which project. */
export interface Pusher {
  user: User
  project: LocatedProject
  /** The access level of the user in the project. */
  level: number
}

/** How a change came: by git itself, with its new objects in quarantine, or by the API, which never forces a branch. */
export type Road = { name: 'git'; quarantine: string } | { name: 'api' }

/** Refs the service keeps for itself. */
const reserved = /^refs\/(merge-requests|keep-around|environments|pipelines|unborn)\//

/** Why the changes are refused, in a sentence for the pusher; null when they may pass. */
export async function refusalOf(app: App, pusher: Pusher, changes: RefChange[], road: Road): Promise<string | null> {
  const { project, level } = pusher
  if (project.archived) return 'You are not allowed to push code to an archived project.'
  if (level < accessLevels.developer) return 'You are not allowed to push code to this project.'
  const protection = await protectionOf(app.db, project.id)
  for (const change of changes) {
    const refusal = await refusalOfOne(app, pusher, protection, change, road)
    if (refusal) return refusal
  }
  return null
}

async function refusalOfOne(app: App, pusher: Pusher, protection: Protection, change: RefChange, road: Road): Promise<string | null> {
  if (reserved.test(change.ref)) return `The ref ${change.ref} is kept by the service.`
  const branch = branchOf(change.ref)
  if (branch !== null) return refusalOfBranch(app, pusher, protection, { ...change, branch }, road)
  const tag = tagOf(change.ref)
  return tag === null ? null : refusalOfTag(pusher, protection, { ...change, tag })
}

async function refusalOfBranch(
  app: App,
  { project, level }: Pusher,
  protection: Protection,
  change: RefChange & { branch: string },
  road: Road,
): Promise<string | null> {
  const { branch } = change
  if (isDeletion(change) && branch === project.default_branch) return 'The default branch of a project cannot be deleted.'
  if (!isProtectedBranch(protection, branch)) return null
  if (isDeletion(change)) {
    if (level < accessLevels.maintainer) {
      return 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.'
    }
    return road.name === 'api' ? null : 'You can only delete protected branches using the web interface.'
  }
  if (road.name === 'git' && (await isForced(app, project.id, change, road.quarantine))) {
    return 'You are not allowed to force push code to a protected branch on this project.'
  }
  return mayPushTo(protection, level, branch) ? null : 'You are not allowed to push code to protected branches on this project.'
}

async function isForced(app: App, projectId: number, change: RefChange, quarantine: string): Promise<boolean> {
  return !isCreation(change) && !(await isAncestor(app.git.open(projectId), change.before, change.after, quarantine))
}

function refusalOfTag({ level }: Pusher, protection: Protection, change: RefChange & { tag: string }): string | null {
  if (!isCreation(change) && level < accessLevels.maintainer) return 'You are not allowed to change existing tags on this project.'
  if (!isProtectedTag(protection, change.tag)) return null
  if (isDeletion(change)) return 'Protected tags cannot be deleted.'
  if (!isCreation(change)) return 'Protected tags cannot be updated.'
  return mayCreateTag(protection, level, change.tag) ? null : 'You are not allowed to create this tag as it is protected.'
}
