/** Values for the placeholders in URLs of badges, per project. */
import { canDownload, findProject, type ProjectAccess } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { oldestProjectOf } from './badges.queries.ts'

export interface BadgeUrls {
  link_url: string
  image_url: string
}

/** Values by placeholder; null if the project has none, or the reader may not know it. */
export type Placeholders = Record<'project_path' | 'project_id' | 'default_branch' | 'commit_sha', string | null>

/** The values of a project for one viewer. The commit is only looked up if one of the URLs needs it. */
export async function placeholdersOf(
  app: App,
  { project, level }: ProjectAccess,
  viewer: Viewer,
  urls: BadgeUrls[],
): Promise<Placeholders> {
  const default_branch = canDownload({ project, level }, viewer) ? project.default_branch : null
  const branch = default_branch !== null && mention(urls, '%{commit_sha}') ? `refs/heads/${default_branch}` : null
  const commit_sha = branch && (await resolveCommit(app.git.open(project.id), branch))
  return { project_path: project.full_path, project_id: String(project.id), default_branch, commit_sha }
}

/**
 * The values of a group are those of an example, the oldest project directly in it that the viewer can see. Null if there is none, or no
 * URL needs one.
 */
export async function examplesOf(app: App, groupId: number, viewer: Viewer, urls: BadgeUrls[]): Promise<Placeholders | null> {
  const id = mention(urls, '%{') ? await oldestProjectOf(app.db, groupId, viewer) : null
  return id === null ? null : placeholdersOf(app, await findProject(app.db, String(id), viewer), viewer, urls)
}

function mention(urls: BadgeUrls[], part: string): boolean {
  return urls.some(({ link_url, image_url }) => link_url.includes(part) || image_url.includes(part))
}

/** Fills in `%{project_path}` and the other placeholders; those without a value are left as written. */
export function fillIn(url: string, values: Placeholders): string {
  return url.replace(/%\{(project_path|project_id|default_branch|commit_sha)\}/g, (placeholder, name: keyof Placeholders) => {
    const value = values[name]
    // A branch may have any name; only slashes are kept unencoded.
    return value === null ? placeholder : value.split('/').map(encodeURIComponent).join('/')
  })
}
