/** Who sees and changes protected environments; for endpoints and pages. */
import { notFound } from '../../../failure.ts'
import { type ProjectGranted, project, unarchived, using } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id, nameInPath } from '../../../http/parameters/schema.ts'
import { protectionById, protectionNamed } from './protected-environments.queries.ts'

const byName = nested(
  { protected_environment: nameInPath('Name of the environment') },
  async ({ project }: ProjectGranted, { protected_environment }, app) => {
    const protection = await protectionNamed(app.db, project.id, protected_environment)
    if (!protection) throw notFound()
    return { protection }
  },
)
const byId = nested({ protected_environment_id: Id }, async ({ project }: ProjectGranted, { protected_environment_id }, app) => {
  const protection = await protectionById(app.db, project.id, protected_environment_id)
  if (!protection) throw notFound()
  return { protection }
})

export const protectionsSeen = using('builds', project('manage_deployments'))
export const protectionsManaged = unarchived(protectionsSeen)
export const protectionSeen = within(protectionsSeen, byName)
export const protectionManaged = within(protectionsManaged, byName)
export const protectionInPath = within(protectionsManaged, byId)
