/** Which ref changes are allowed, whichever protocol is used: by the protection of refs, by code owners, and by push rules. */
import { mayUse } from '../../../access/features.ts'
import type { LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import { goForward } from '../../../git/history/ancestry.ts'
import { quarantineSize } from '../../../git/objects/quarantine.ts'
import { findCaseConflict } from '../../../git/refs/case-conflict.ts'
import { refError } from '../../../git/refs/names.ts'
import { branchOf, isCreation, isDeletion, type RefChange, tagOf } from '../../../git/refs/ref-updates.ts'
import { isServiceRef } from '../../../git/refs/service-refs.ts'
import { type Room, refusalOfSizeIn, roomsOf } from '../../storage/quotas/quotas.ts'
import { refusalOfOwned } from '../code-owners/code-owners.ts'
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
import { refusalByRules } from '../push-rules/push-rules.ts'
import { branchesOpenTo } from './collaboration.service.ts'
import type { Pusher } from './pusher.ts'

/**
 * How a change is made: through git, with its new objects in quarantine; or through the API, which only forces a branch if the caller asks
 * for it. A merge requires the right to push to the branch or to merge into it. What is copied from elsewhere passed the rules there.
 */
export type Protocol =
  | { name: 'git'; quarantine: string; options?: readonly string[] }
  | { name: 'api'; is_forced: boolean; is_merge?: boolean; is_copy?: boolean }

/** Asks for the limits of what may be stored. */
type Rooms = () => Promise<Room[]>

/** Limit of moved protected branches per push: git must check each of them. */
const maxMoves = 200

const notAllowed = 'You are not allowed to push code to this project.'

/** Why the pusher may change no refs of the project at all; null if they may change some. */
export async function refusalOfAll(app: App, pusher: Pusher): Promise<string | null> {
  const { project, level } = pusher
  if (project.archived) return 'You are not allowed to push code to an archived project.'
  if (!mayUse('repository', pusher)) return 'The repository of this project is disabled.'
  if (isBeingFilled(project)) return 'The repository is still being imported. Push again once that is done.'
  if (may('push_code', level)) return null
  return (await branchesOpenTo(app, pusher)).size > 0 ? null : notAllowed
}

/** Why the changes are denied, as a sentence for the pusher; null if they are allowed. */
export async function refusalOf(
  app: App,
  pusher: Pusher,
  changes: RefChange[],
  protocol: Protocol,
  rooms: Rooms = () => roomsOf(app, pusher.project),
): Promise<string | null> {
  return (await refusalByProtection(app, pusher, changes, protocol, rooms)) ?? refusalByPushRules(app, pusher, changes, protocol)
}

/** Last, as it reads whatever the push brings. */
async function refusalByPushRules(app: App, pusher: Pusher, changes: RefChange[], protocol: Protocol): Promise<string | null> {
  if (protocol.name === 'git') {
    const { quarantine, options = [] } = protocol
    return refusalByRules(app, pusher, changes, { quarantine, isGit: true, isMerge: false, options })
  }
  if (protocol.is_copy) return null
  return refusalByRules(app, pusher, changes, { quarantine: '', isGit: false, isMerge: protocol.is_merge === true, options: [] })
}

async function refusalByProtection(
  app: App,
  pusher: Pusher,
  changes: RefChange[],
  protocol: Protocol,
  rooms: Rooms,
): Promise<string | null> {
  const { project } = pusher
  const refusal = await refusalOfAll(app, pusher)
  if (refusal) return refusal
  if (!may('push_code', pusher.level)) return refusalOfCollaborator(app, pusher, changes)
  if (await isFirstPushDenied(app, pusher, changes)) {
    return 'The project has no default branch yet: only a project maintainer or owner can push the first one.'
  }
  const full = await refusalOfPushedSize(rooms, changes, protocol)
  if (full !== null) return full
  const conflict = await findCaseConflict(app.git.open(project.id), changes)
  if (conflict) {
    return `The ref ${conflict.ref} differs only in case from ${conflict.existing}, and the file system of this server ignores case.`
  }
  const protection = await protectionOf(app.db, project.id)
  for (const change of changes) {
    const refusal = refusalOfOne(pusher, protection, change, protocol)
    if (refusal) return refusal
  }
  const quarantine = protocol.name === 'git' ? protocol.quarantine : ''
  const isForcing = protocol.name === 'git' || protocol.is_forced
  const force = isForcing ? await refusalOfForce(app, pusher, protection, changes, quarantine) : null
  if (force !== null || (protocol.name === 'api' && protocol.is_merge)) return force
  return refusalOfOwned({ repo: app.git.open(project.id), protection, defaultBranch: project.default_branch, quarantine }, changes)
}

/** Commits by the API aren't measured: their requests are small, and the next one finds the repository full. */
async function refusalOfPushedSize(rooms: Rooms, changes: RefChange[], protocol: Protocol): Promise<string | null> {
  if (changes.every(isDeletion)) return null
  const limits = await rooms()
  if (limits.length === 0) return null
  return refusalOfSizeIn(limits, protocol.name === 'git' ? await quarantineSize(protocol.quarantine) : 0)
}

/** A user who may only push because of merge requests can add commits to their branches or rewrite them, and nothing else. */
async function refusalOfCollaborator(app: App, pusher: Pusher, changes: RefChange[]): Promise<string | null> {
  const open = await branchesOpenTo(app, pusher)
  const isAllowed = (change: RefChange) => {
    const branch = branchOf(change.ref)
    return branch !== null && open.has(branch) && !isCreation(change) && !isDeletion(change)
  }
  return changes.every(isAllowed) ? null : notAllowed
}

/** Whether the branches of a fork or import are still to be copied: pushed ones would conflict with them. */
function isBeingFilled({ import_status }: LocatedProject): boolean {
  return import_status === 'scheduled' || import_status === 'started'
}

/** Whether these are the first branches, and the pusher may not create them. */
async function isFirstPushDenied(app: App, { project, level }: Pusher, changes: RefChange[]): Promise<boolean> {
  const first = project.default_branch === null && changes.some(({ ref }) => branchOf(ref) !== null)
  return first && !(await mayCreateFirstBranch(app.db, level))
}

/** Whether the pusher may commit to the branch, or create it; includes branches of merge requests. */
export async function mayCommitTo(app: App, pusher: Pusher, branch: string): Promise<boolean> {
  const { project, level } = pusher
  if (project.archived) return false
  if (!may('push_code', level)) return (await branchesOpenTo(app, pusher, branch)).has(branch)
  if (!mayPushTo(await branchProtectionOf(app.db, project.id), level, branch)) return false
  return project.default_branch !== null || mayCreateFirstBranch(app.db, level)
}

/** Whether the pusher may merge into the branch: users who may push to it, or whom its protection allows to merge. */
export async function mayMergeTo(app: App, { project, level }: Omit<Pusher, 'user'> & Partial<Pusher>, branch: string): Promise<boolean> {
  if (project.archived) return false
  const protection = await branchProtectionOf(app.db, project.id)
  return mayPushTo(protection, level, branch) || mayMergeInto(protection, level, branch)
}

function refusalOfOne(pusher: Pusher, protection: Protection, change: RefChange, protocol: Protocol): string | null {
  if (isServiceRef(change.ref)) return `The ref ${change.ref} is kept by the service.`
  // A ref with an invalid name, from an earlier release, can still be deleted.
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

/** Checked last, since it is the only check that needs git. */
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

/** The former commit of a tag is the pusher's claim, which git doesn't verify for deletions. */
function refusalOfTag({ level }: Pusher, protection: Protection, change: RefChange & { tag: string }): string | null {
  const isNew = isCreation(change) && !isDeletion(change)
  if (!isNew && !may('change_tags', level)) return 'You are not allowed to change existing tags on this project.'
  if (!isProtectedTag(protection, change.tag)) return null
  if (isDeletion(change)) return 'Protected tags cannot be deleted.'
  if (!isNew) return 'Protected tags cannot be updated.'
  return mayCreateTag(protection, level, change.tag) ? null : 'You are not allowed to create this tag as it is protected.'
}
