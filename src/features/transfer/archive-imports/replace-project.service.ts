/** Replaces a project with an imported one: who may do that, and what the new one inherits. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { App } from '../../../app.ts'
import type { Db, Tx } from '../../../db/database.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { lockWithForks, recountForks, removeProjectIn, sourceOf } from '../../spaces/projects/projects.ts'
import { leadsTo, moveRelations } from './replace-project.queries.ts'

/** The project with a path; null if the user can't see one. Throws 403 with `refusal` if they may not delete it. */
export async function findReplaceable(app: App, user: User, path: string, refusal: string): Promise<LocatedProject | null> {
  const found = await findProject(app.db, path, user).catch(nullIfMissing)
  // An old path may lead to a project that has moved.
  if (found?.project.full_path.toLowerCase() !== path.toLowerCase()) return null
  if (!may('replace_project', found.level)) throw new Failure('forbidden', refusal)
  return found.project
}

/**
 * Locks the new project, and the old one with its source and forks. Null if there is nothing to replace, or the old project is no longer at
 * its path.
 */
export async function lockReplaced(tx: Db, id: number, old: LocatedProject | null): Promise<Replaced | null> {
  await lockWithForks(tx, old ? [old.id, id] : [id])
  if (!old || !(await leadsTo(tx, old.full_path, old.id))) return null
  return { id: old.id, source: (await sourceOf(tx, old.id))?.visibility ?? null }
}

export interface Replaced {
  id: number
  /** The visibility of the source of the fork; null if it isn't a fork. */
  source: Visibility | null
}

/**
 * The new project inherits members, group shares, stars, deploy keys, tokens and fork relations, unless it has its own. Everything else
 * is removed with the old one.
 */
export async function replaceProject(tx: Tx, old: number, id: number): Promise<void> {
  await moveRelations(tx, old, id)
  await removeProjectIn(tx, old)
  await recountForks(tx, id)
}
