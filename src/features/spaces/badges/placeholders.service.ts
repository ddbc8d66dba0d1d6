/** Values for the placeholders in addresses of badges for each project. */
import { canDownload, findProject, type ProjectAccess } from '../../../access/find.ts'
import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { oldestProjectOf } from './badges.queries.ts'

export interface BadgeUrls {
  link_url: string
  image_url: string
}

/** Values by the names of placeholders; null for what the project has not, or the reader may not know. */
export type Placeholders = Record<'project_path' | 'project_id' | 'default_branch' | 'commit_sha', string | null>

/** The values of a project for one viewer. The commit is looked up only where one of the addresses needs it. */
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
 * The values of a group are those of an example, which is the oldest project directly in it that the viewer can see. Null where there is
 * none, and where no address needs one.
 */
export async function examplesOf(app: App, groupId: number, viewer: Viewer, urls: BadgeUrls[]): Promise<Placeholders | null> {
  const id = mention(urls, '%{') ? await oldestProjectOf(app.db, groupId, viewer) : null
  return id === null ? null : placeholdersOf(app, await findProject(app.db, String(id), viewer), viewer, urls)
}

function mention(urls: BadgeUrls[], part: string): boolean {
  return urls.some(({ link_url, image_url }) => link_url.includes(part) || image_url.includes(part))
}

/** The address with the values in the place of `%{project_path}` and the others; what has no value stays as it is. */
export function fillIn(url: string, values: Placeholders): string {
  return url.replace(/%\{(project_path|project_id|default_branch|commit_sha)\}/g, (placeholder, name: keyof Placeholders) => {
    const value = values[name]
    // A branch may be called anything: only its slashes mean something here.
    return value === null ? placeholder : value.split('/').map(encodeURIComponent).join('/')
  })
}
