/** Which ref changes are allowed, whatever the protocol they come by. */
import { mayUse } from '../../../access/features.ts'
import type { LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { goForward } from '../../../git/history/ancestry.ts'
import { findCaseConflict } from '../../../git/refs/case-conflict.ts'
import { refError } from '../../../git/refs/names.ts'
import { branchOf, isCreation, isDeletion, type RefChange, tagOf } from '../../../git/refs/ref-updates.ts'
import { isServiceRef } from '../../../git/refs/service-refs.ts'
import {
  branchProtectionOf,
  isProtectedBranch,
  isProtectedTag,
  mayCreateFirstBranch,
  mayCreateTag,
  mayForcePushTo,
  mayMergeInto,
  mayPushTo,
  type Protection,
  protectionOf,
} from '../protected-refs/protected-refs.ts'
import { branchesOpenTo } from './collaboration.service.ts'
import type { Pusher } from './pusher.ts'

/**
 * How a change came: through git, with its new objects in quarantine, or through the API, which forces a branch only where the
 * caller asks for it. A merge needs the right to push to the branch or to merge into it.
 */
export type Protocol = { name: 'git'; quarantine: string } | { name: 'api'; is_forced: boolean; is_merge?: boolean }

/** Moves of protected branches in one push: each is checked by git. */
const maxMoves = 200

const notAllowed = 'You are not allowed to push code to this project.'

/** Why the pusher may change no ref of the project at all; null where they may change some. */
export async function refusalOfAll(app: App, pusher: Pusher): Promise<string | null> {
  const { project, level } = pusher
  if (project.archived) return 'You are not allowed to push code to an archived project.'
  if (!mayUse('repository', pusher)) return 'The repository of this project is disabled.'
  if (isBeingFilled(project)) return 'The repository is still being brought here. Push again when that is done.'
  if (may('push_code', level)) return null
  return (await branchesOpenTo(app, pusher)).size > 0 ? null : notAllowed
}

/** Why the changes are denied, in a sentence for the pusher; null where they are allowed. */
export async function refusalOf(app: App, pusher: Pusher, changes: RefChange[], protocol: Protocol): Promise<string | null> {
  const { project } = pusher
  const refusal = await refusalOfAll(app, pusher)
  if (refusal) return refusal
  if (!may('push_code', pusher.level)) return refusalOfCollaborator(app, pusher, changes)
  if (await isFirstPushDenied(app, pusher, changes)) {
    return 'The project has no default branch yet: only a project maintainer or owner can push the first one.'
  }
  const conflict = await findCaseConflict(app.git.open(project.id), changes)
  if (conflict) {
    return `The ref ${conflict.ref} differs only in case from ${conflict.existing}, and the file system of this server ignores case.`
  }
  const protection = await protectionOf(app.db, project.id)
  for (const change of changes) {
    const refusal = refusalOfOne(pusher, protection, change, protocol)
    if (refusal) return refusal
  }
  if (protocol.name === 'api') return protocol.is_forced ? refusalOfForce(app, pusher, protection, changes, '') : null
  return refusalOfForce(app, pusher, protection, changes, protocol.quarantine)
}

/** Somebody who may push because of merge requests adds commits to their branches, or rewrites them, and does nothing else. */
async function refusalOfCollaborator(app: App, pusher: Pusher, changes: RefChange[]): Promise<string | null> {
  const open = await branchesOpenTo(app, pusher)
  const isAllowed = (change: RefChange) => {
    const branch = branchOf(change.ref)
    return branch !== null && open.has(branch) && !isCreation(change) && !isDeletion(change)
  }
  return changes.every(isAllowed) ? null : notAllowed
}

/** Whether the branches of a fork or an import are yet to come: pushed ones would be in their way. */
function isBeingFilled({ import_status }: LocatedProject): boolean {
  return import_status === 'scheduled' || import_status === 'started'
}

/** Whether these are the first branches, and the pusher may not create them. */
async function isFirstPushDenied(app: App, { project, level }: Pusher, changes: RefChange[]): Promise<boolean> {
  const first = project.default_branch === null && changes.some(({ ref }) => branchOf(ref) !== null)
  return first && !(await mayCreateFirstBranch(app.db, level))
}

/** Whether the pusher may commit to the branch, or create it; also where a merge request lets them push to it. */
export async function mayCommitTo(app: App, pusher: Pusher, branch: string): Promise<boolean> {
  const { project, level } = pusher
  if (project.archived) return false
  if (!may('push_code', level)) return (await branchesOpenTo(app, pusher, branch)).has(branch)
  if (!mayPushTo(await branchProtectionOf(app.db, project.id), level, branch)) return false
  return project.default_branch !== null || mayCreateFirstBranch(app.db, level)
}

/** Whether the pusher may merge into the branch: those who may push to it, and those whom its protection lets merge. */
export async function mayMergeTo(app: App, { project, level }: Omit<Pusher, 'user'> & Partial<Pusher>, branch: string): Promise<boolean> {
  if (project.archived) return false
  const protection = await branchProtectionOf(app.db, project.id)
  return mayPushTo(protection, level, branch) || mayMergeInto(protection, level, branch)
}

function refusalOfOne(pusher: Pusher, protection: Protection, change: RefChange, protocol: Protocol): string | null {
  if (isServiceRef(change.ref)) return `The ref ${change.ref} is kept by the service.`
  // A ref with such a name, from an earlier release, can still be deleted.
  const fieldError = isDeletion(change) ? null : refError(change.ref)
  if (fieldError !== null) return fieldError
  const branch = branchOf(change.ref)
  if (branch !== null) return refusalOfBranch(pusher, protection, { ...change, branch }, protocol)
  const tag = tagOf(change.ref)
  return tag === null ? null : refusalOfTag(pusher, protection, { ...change, tag })
}

function refusalOfBranch(
  { project, level }: Pusher,
  protection: Protection,
  change: RefChange & { branch: string },
  protocol: Protocol,
): string | null {
  const { branch } = change
  if (isDeletion(change)) {
    if (branch === project.default_branch) return 'The default branch of a project cannot be deleted.'
    if (!isProtectedBranch(protection, branch)) return null
    if (!may('delete_protected_branches', level)) {
      return 'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.'
    }
    return protocol.name === 'api' ? null : 'You can only delete protected branches using the web interface.'
  }
  if (mayPushTo(protection, level, branch)) return null
  if (protocol.name === 'api' && protocol.is_merge && mayMergeInto(protection, level, branch)) return null
  return 'You are not allowed to push code to protected branches on this project.'
}

/** Checked last, since it alone needs git. */
async function refusalOfForce(
  app: App,
  { project }: Pusher,
  protection: Protection,
  changes: RefChange[],
  quarantine: string,
): Promise<string | null> {
  const moves = changes.filter((change) => {
    const branch = branchOf(change.ref)
    return branch !== null && !isCreation(change) && !isDeletion(change) && !mayForcePushTo(protection, branch)
  })
  const different = [...new Map(moves.map((change) => [`${change.before} ${change.after}`, change])).values()]
  if (different.length > maxMoves) return `No more than ${maxMoves} protected branches can be moved by one push.`
  if (await goForward(app.git.open(project.id), different, quarantine)) return null
  return 'You are not allowed to force push code to a protected branch on this project.'
}

/** The commit of a tag before is the pusher's claim, which git doesn't check for deletions. */
function refusalOfTag({ level }: Pusher, protection: Protection, change: RefChange & { tag: string }): string | null {
  const isNew = isCreation(change) && !isDeletion(change)
  if (!isNew && !may('change_tags', level)) return 'You are not allowed to change existing tags on this project.'
  if (!isProtectedTag(protection, change.tag)) return null
  if (isDeletion(change)) return 'Protected tags cannot be deleted.'
  if (!isNew) return 'Protected tags cannot be updated.'
  return mayCreateTag(protection, level, change.tag) ? null : 'You are not allowed to create this tag as it is protected.'
}
