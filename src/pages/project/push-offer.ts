/** Offers to create a merge request for a branch to which the viewer has just pushed. */
import { findProject, type LocatedProject } from '../../access/find.ts'
import { canSeeMergeRequests } from '../../access/merge-requests.ts'
import { newMergeRequestAddress } from '../../addresses/merge-requests.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { nullIfMissing } from '../../failure.ts'
import { lastBranchPushOf } from '../../features/discussion/activity/activity.ts'
import { openProposalsOf } from '../../features/review/merge-requests/merge-requests.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import { type Html, html } from '../../html/html.ts'
import { ago } from '../../html/phrases.ts'
import { icon, isolated } from '../frame/parts.ts'

/** After this time the offer is no longer of interest. */
const offered_ms = 2 * 3_600_000

/**
 * Null if there is nothing to propose, or there is a merge request already. At most three statements, and no process but the reader of
 * objects.
 */
export async function pushOffer(app: App, seen: { project: LocatedProject; level: number; user: User | null }): Promise<Html | null> {
  const { project, level, user } = seen
  if (!user || project.archived || project.default_branch === null || !canSeeMergeRequests({ project, level }, user)) return null
  const push = await lastBranchPushOf(app.db, user.id, project.id, new Date(Date.now() - offered_ms).toISOString())
  if (!push) return null
  const { branch, project_id, created_at } = push
  const isFork = project_id !== project.id
  if (branch === project.default_branch && !isFork) return null
  const source = isFork ? await findProject(app.db, String(project_id), user).catch(nullIfMissing) : { project, level }
  if (!source) return null
  const [tip, known] = await Promise.all([
    resolveCommit(app.git.open(project_id), `refs/heads/${branch}`),
    resolveCommit(app.git.open(project.id), `refs/heads/${project.default_branch}`),
  ])
  if (tip === null || tip === known || (await openProposalsOf(app.db, user, project_id, [branch])).has(branch)) return null
  const name = isFork ? `${source.project.full_path}:${branch}` : branch
  const address = newMergeRequestAddress(project, isFork ? { branch, project_id } : { branch })
  return html`
    <div class="notice quiet pushed">
      ${icon('branch')} <span>You pushed to <code>${isolated(name)}</code> ${ago(created_at)}.</span>
      <a class="button" href="${address}">Create a merge request</a>
    </div>
  `
}
