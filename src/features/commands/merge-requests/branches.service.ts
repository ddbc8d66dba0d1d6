/** The branches of merge requests: which pairs are allowed, and their tips. */
import { mayUse } from '../../../access/features.ts'
import { canPush, findProject, type LocatedProject, type ProjectAccess } from '../../../access/find.ts'
import { canSeeMergeRequests } from '../../../access/merge-requests.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, forbidden, invalid, nullIfMissing } from '../../../failure.ts'
import { isBranchName } from '../../../git/refs/names.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { branchProtectionOf, isProtectedBranch } from '../../repository/protected-refs/protected-refs.ts'
import { areInOneNetwork } from '../../review/merge-requests/merge-requests.ts'

/** A branch of a project. */
export interface Side {
  project: LocatedProject
  branch: string
}

/**
 * The target project of a merge request. Throws 404 if the caller can't see the project, 403 if they may not create merge requests there,
 * 422 if it accepts none.
 */
export async function findTarget(db: Db, user: User, source: ProjectAccess, targetId: number | undefined): Promise<ProjectAccess> {
  const target = targetId === undefined || targetId === source.project.id ? source : await findProject(db, String(targetId), user)
  if (!mayUse('merge_requests', source) || !canPush(source)) throw forbidden()
  if (target.project.merge_requests_access_level === 'disabled') {
    throw new Failure('unprocessable', ['Target project has disabled merge requests'])
  }
  if (!canSeeMergeRequests(target, user) || target.project.archived) throw forbidden()
  return target
}

/** Throws 422 if there can be no merge request between the two: they are the same branch, or projects unrelated by forks. */
export async function assertPair(db: Db, source: Side, target: Side): Promise<void> {
  if (source.project.id !== target.project.id) {
    if (await areInOneNetwork(db, source.project.id, target.project.id)) return
    throw new Failure('unprocessable', ['Source project is not a fork of the target project'])
  }
  if (source.branch === target.branch) {
    throw new Failure('unprocessable', ["You can't use same project/branch for source and target"])
  }
}

/** The commit at the tip of a branch. Throws 400 if there is no such branch. */
export async function tipOf(repo: Repo, branch: string, field: 'source_branch' | 'target_branch'): Promise<string> {
  if (branch.trim() === '') throw invalid({ [field]: ["can't be blank"] })
  const oid = isBranchName(branch) ? await resolveCommit(repo, `refs/heads/${branch}`) : null
  if (oid === null) throw invalid({ [field]: [`does not exist`] })
  return oid
}

/**
 * Whether users who may merge into the target can be allowed to push to the source branch, and this user may allow that. Only in forks that
 * others can see.
 */
export async function mayAllowCollaboration(app: App, user: User, { project, branch }: Side, target: LocatedProject): Promise<boolean> {
  if (project.id === target.id || project.visibility === 'private' || target.visibility === 'private') return false
  const access = await findProject(app.db, String(project.id), user).catch(nullIfMissing)
  return access !== null && canPush(access) && !isProtectedBranch(await branchProtectionOf(app.db, project.id), branch)
}
