/** Renames what an earlier version let end in `.keys` and the like: see `fileEndings`. */
import type { App } from '../../../app.ts'
import { isUniqueViolation } from '../../../db/database.ts'
import { Failure } from '../../../failure.ts'
import { changeUser } from '../../people/users/users.ts'
import { renameGroup } from '../groups/groups.ts'
import { renameProject } from '../projects/projects.ts'
import { namespacesWithReservedPaths, projectsWithReservedPaths } from './reserved-names.queries.ts'

/** Names that are tried before one is left as it is. */
const maxTries = 100

/** So many characters leave space for a number in a path. */
const longest = 250

/** Each by itself, as its owner would rename it: hooks tell of it, and projects are found at their earlier paths. */
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

/** One that can't be renamed doesn't stand in the way of the others. */
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

/** `ada.keys` becomes `ada-keys`, or `ada-keys-2` where that is taken. */
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
