/** Where the commits of a merge request come from, as far as the viewer may know. */
import { canDownload, findProject } from '../../../access/find.ts'
import { nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Source } from './frame.ts'
import type { RequestSeen } from './seen.ts'

/** One statement where it is a fork. */
export async function readSource({ app, project, repo, user, merge_request }: RequestSeen): Promise<Source> {
  const { source_project_id, source_branch } = merge_request
  const ref = `refs/heads/${source_branch}`
  if (source_project_id === project.id) {
    return { full_path: project.full_path, isFork: false, isThere: (await resolveCommit(repo, ref)) !== null }
  }
  const found = source_project_id === null ? null : await findProject(app.db, String(source_project_id), user).catch(nullIfMissing)
  if (!found) return { full_path: null, isFork: true, isThere: false }
  const reads = canDownload(found, user)
  const tip = reads ? await resolveCommit(app.git.open(found.project.id), ref) : null
  return { full_path: found.project.full_path, isFork: true, isThere: tip !== null }
}
