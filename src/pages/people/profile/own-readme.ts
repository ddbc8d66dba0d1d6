/** The README of a user's profile: that of their project with the same name as the user. */
import { canDownload, findProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Html } from '../../../html/html.ts'
import { readmeOf } from '../../repository/files/readme.ts'
import { folderAt } from '../../repository/files/tree.ts'

/** Null where there is none, or the viewer can't read it. */
export async function ownReadme(
  app: App,
  { username }: Pick<User, 'username'>,
  { user, ip }: { user: User | null; ip: string },
): Promise<Html | null> {
  const access = await findProject(app.db, `${username}/${username}`, user).catch(nullIfMissing)
  const revision = access?.project.default_branch ?? null
  if (!access || revision === null || !canDownload(access, user)) return null
  const { project, level } = access
  try {
    const repo = app.git.open(project.id)
    const commit = await resolveCommit(repo, `refs/heads/${revision}`)
    if (commit === null) return null
    const place = { revision, commit, path: '' }
    const { rows } = await folderAt(repo, place)
    return await readmeOf(app, { project, repo, place, rows, reader: { project, level, user, ip } })
  } catch (error) {
    // The rest of the profile is of use without it.
    if (error instanceof Failure) return null
    throw error
  }
}
