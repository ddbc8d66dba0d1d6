/** Renames paths that an earlier version allowed to end in `.keys` and the like: see `fileEndings`. */
import type { App } from '../../../app.ts'
import { isUniqueViolation } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { changeUser } from '../../people/users/users.ts'
import { renameGroup } from '../groups/groups.ts'
import { renameProject } from '../projects/projects.ts'
import { namespacesWithReservedPaths, projectsWithReservedPaths } from './reserved-names.queries.ts'

/** Names to try before giving up on a namespace. */
const maxTries = 100

/** Leaves space for a number within the limit of a path. */
const longest = 250

/** Renames each in its own transaction, as its owner would: hooks are notified, and projects are still found at their old paths. */
export async function renameReserved(app: App, stopping?: AbortSignal): Promise<void> {
  for (const { id, kind, owner_id, path } of await namespacesWithReservedPaths(app.db)) {
    stopping?.throwIfAborted()
    const rename = (to: string) => (owner_id === null ? renameGroup(app, id, to) : changeUser(app, owner_id, { username: to }))
    await tryToRename(app, { [kind === 'user' ? 'user_id' : 'group_id']: owner_id ?? id, path }, rename)
  }
  for (const project of await projectsWithReservedPaths(app.db)) {
    stopping?.throwIfAborted()
    await tryToRename(app, { project_id: project.id, path: project.path }, (to) => renameProject(app, project, to))
  }
}

/** One that can't be renamed doesn't block the others. */
async function tryToRename(
  app: App,
  what: { path: string; [id: string]: unknown },
  rename: (to: string) => Promise<unknown>,
): Promise<void> {
  try {
    const after = await firstFree(what.path, rename)
    app.log.warn({ ...what, after }, 'renamed: the path ended in what is reserved for addresses of files')
  } catch (error) {
    app.log.error({ err: error, ...what }, 'not renamed, though the path ends in what is reserved for addresses of files')
  }
}

/** `ada.keys` becomes `ada-keys`, or `ada-keys-2` if that is taken. */
async function firstFree(path: string, rename: (to: string) => Promise<unknown>): Promise<string> {
  const plain = path.replace(/\.(?=[^.]*$)/, '-').slice(0, longest)
  for (let number = 1; ; number += 1) {
    const to = number === 1 ? plain : `${plain}-${number}`
    try {
      await rename(to)
      return to
    } catch (error) {
      if (!isTaken(error) || number === maxTries) throw error
    }
  }
}

function isTaken(error: unknown): boolean {
  return isUniqueViolation(error) || (error instanceof Failure && error.code === 'conflict')
}
