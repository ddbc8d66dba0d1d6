/** The fields by which the status of an export or an import names its project. */
import { Type } from 'typebox'
import type { LocatedProject } from '../../access/find.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { Instant, nullable } from '../../http/schema.ts'
import { presentProject } from '../spaces/projects/projects.ts'

const text = Type.String()

export const identity = {
  id: Type.Integer(),
  description: nullable(text),
  name: text,
  name_with_namespace: text,
  path: text,
  path_with_namespace: text,
  created_at: Instant,
}

export async function presentIdentity(app: App, project: LocatedProject, user: User | null) {
  const { id, description, name, name_with_namespace, path, path_with_namespace, created_at } = await presentProject(app, project, user, {
    simple: true,
  })
  return { id, description, name, name_with_namespace, path, path_with_namespace, created_at }
}
