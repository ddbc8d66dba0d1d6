/** The source of a merge request, as far as the viewer may see it. */
import { canDownload, canPush, findProject, type ProjectAccess } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { nullIfMissing } from '../../../failure.ts'
import { branchProtectionOf, isProtectedBranch } from '../../../features/repository/protected-refs/protected-refs.ts'
import { mayCommitTo } from '../../../features/repository/pushes/pushes.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { MergeRequestSeen } from './seen.ts'

export interface Source {
  /** Null if the project is gone, or the viewer can't see it. */
  full_path: string | null
  /** Whether it is another project than the target. */
  isFork: boolean
  /** The tip of the branch; null if it is gone, or the viewer may not read it. */
  tip: string | null
  mayPush: boolean
  mayRemove: boolean
}

const hidden: Source = { full_path: null, isFork: true, tip: null, mayPush: false, mayRemove: false }

/** At most three statements. */
export async function readSource(seen: MergeRequestSeen): Promise<Source> {
  const { app, user, project, merge_request } = seen
  const access = await accessToSource(seen)
  if (!access) return hidden
  const isFork = access.project.id !== project.id
  const { full_path } = access.project
  const tip = canDownload(access, user) ? await tipOfSource(app, access, merge_request.source_branch) : null
  const mayPush = tip !== null && user !== null && (await mayCommitTo(app, { user, ...access }, merge_request.source_branch))
  return {
    full_path,
    isFork,
    tip,
    mayPush,
    mayRemove: mayPush && canPush(access) && (await isRemovable(app, access, merge_request.source_branch)),
  }
}

/** The project of the source branch with the viewer's level in it; null if it is gone, or they can't see it. */
export async function accessToSource({ app, project, level, user, merge_request }: MergeRequestSeen): Promise<ProjectAccess | null> {
  const { source_project_id } = merge_request
  if (source_project_id === null) return null
  return source_project_id === project.id ? { project, level } : findProject(app.db, String(source_project_id), user).catch(nullIfMissing)
}

export function tipOfSource(app: App, { project }: ProjectAccess, branch: string): Promise<string | null> {
  return resolveCommit(app.git.open(project.id), `refs/heads/${branch}`)
}

async function isRemovable(app: App, { project }: ProjectAccess, branch: string): Promise<boolean> {
  return branch !== project.default_branch && !isProtectedBranch(await branchProtectionOf(app.db, project.id), branch)
}
