/** A project that gives way to one out of an archive: who may ask for that, and what the new one gets of it. */
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import type { Db } from '../../../db/database.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { Failure, nullIfMissing } from '../../../failure.ts'
import { lockWithForks, recountForks, removeProjectIn, sourceOf } from '../../spaces/projects/projects.ts'
import { leadsTo, passOn } from './replacing.queries.ts'

/** The project at a path; null where there is none that the user can see. Throws 403 in these words where he may not delete it. */
export async function findReplaceable(app: App, user: User, path: string, refusal: string): Promise<LocatedProject | null> {
  const found = await findProject(app.db, path, user).catch(nullIfMissing)
  // It may have been there once, and be elsewhere now.
  if (found?.project.full_path.toLowerCase() !== path.toLowerCase()) return null
  if (found.level < accessLevels.owner) throw new Failure('forbidden', refusal)
  return found.project
}

/**
 * Holds the new project, and the old one with all that is related to it: gives its id, and how open what it is a fork of is.
 * Null where there is none, or where it has left its path since it was looked for: then nothing has to give way.
 */
export async function lockReplaced(tx: Db, id: number, old: LocatedProject | null): Promise<Replaced | null> {
  await lockWithForks(tx, old ? [old.id, id] : [id])
  if (!old || !(await leadsTo(tx, old.full_path, old.id))) return null
  return { id: old.id, source: (await sourceOf(tx, old.id))?.visibility ?? null }
}

export interface Replaced {
  id: number
  /** Null where it is no fork. */
  source: Visibility | null
}

/**
 * People and groups have the same part in the new project as in the old one, unless it gives them another; its stars, deploy
 * keys and relations of forks pass on, too. All else goes with it.
 */
export async function replaceProject(tx: Db, old: number, id: number): Promise<void> {
  await passOn(tx, old, id)
  await removeProjectIn(tx, old)
  await recountForks(tx, id)
}
