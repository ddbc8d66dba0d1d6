/** The fields by which the status of an export or an import names its project. */
import type { LocatedProject } from '../../access/find.ts'
import type { App } from '../../app.ts'
import type { Presented } from '../../http/parameters/schema.ts'
import { identitiesOf, identityFields, type ProjectIdentity } from '../spaces/projects/projects.ts'

export const identity = identityFields

export async function presentIdentity(app: App, { id }: LocatedProject) {
  const found = await identitiesOf(app.db, [id])
  return found.get(id) as Presented<typeof ProjectIdentity>
}
