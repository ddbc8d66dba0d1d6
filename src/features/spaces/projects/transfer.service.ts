/** Moves a project to another namespace, with everything that belongs to it. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { type Failure, invalid } from '../../../failure.ts'
import { isMoreOpen } from '../../../validation.ts'
import { lockNamespaces, moveRoute } from '../../namespaces/namespaces.ts'
import {
  canCreateIn,
  hasTooMany,
  isWikiTaken,
  loadLockedPlace,
  loadLockedProject,
  movedMeanwhile,
  type Place,
  takesIn,
} from './placement.service.ts'
import { locateProject, updateProject } from './projects.queries.ts'

/**
 * Moves the project into the namespace. Its visibility is limited to that of the new group. Throws 400 if its name or path is taken there,
 * or if the user may not create projects there.
 */
export async function transferProject(app: App, project: LocatedProject, namespace: Place, user: User): Promise<LocatedProject> {
  if (namespace.id === project.namespace_id || !(await canCreateIn(app, user, namespace))) throw refusal(notAllowed)
  try {
    await inTransaction(app.db, async (tx) => {
      // The old namespace is locked as well: a concurrent deletion or replacement there finds the project or doesn't, but never half of it.
      await lockNamespaces(tx, [project.namespace_id, namespace.id])
      const place = await loadLockedPlace(tx, namespace.id)
      const locked = await loadLockedProject(tx, project.id)
      if (locked.namespace_id === place.id || !takesIn(place) || (await hasTooMany(tx, user, place))) throw refusal(notAllowed)
      if (locked.namespace_id !== project.namespace_id) throw movedMeanwhile()
      if ((await loadLockedPlace(tx, locked.namespace_id)).archived) throw refusal(inArchived)
      const narrowed = place.kind === 'group' && isMoreOpen(locked.visibility, place.visibility)
      const visibility = narrowed ? place.visibility : locked.visibility
      const full_path = `${place.full_path}/${locked.path}`
      if (await isWikiTaken(tx, full_path, locked.id)) throw refusal(taken)
      await updateProject(tx, locked.id, { namespace_id: place.id, visibility, updated_at: now() })
      await moveRoute(tx, locked.id, full_path)
      const moved = { from_namespace_id: locked.namespace_id, to_namespace_id: place.id, before: locked.full_path, after: full_path }
      await publish(tx, { type: 'project_transferred', project_id: locked.id, ...moved })
      if (!narrowed) return
      await publish(tx, { type: 'project_visibility_changed', project_id: locked.id, before: locked.visibility, after: visibility })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? refusal(taken, error) : error
  }
  return locateProject(app.db, project.id)
}

const inArchived = 'The group of the project is archived.'
const notAllowed = 'Transfer failed, please contact an admin.'
const taken = 'Project with same name or path in target namespace already exists'

/** The error in the format that clients of this version expect. */
function refusal(sentence: string, cause?: unknown): Failure {
  return invalid(`Failed to transfer project {:new_namespace=>[${JSON.stringify(sentence)}]}`, cause)
}
