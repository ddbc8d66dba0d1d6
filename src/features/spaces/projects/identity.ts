/** The fields that name a project where it is shown with something else: a todo, a board, an export. */
import { Type } from 'typebox'
import { locatedProjects } from '../../../access/find.ts'
import type { Db } from '../../../db/database.ts'
import { Instant, nullable, type Presented, resource } from '../../../http/parameters/schema.ts'
import { fullNamesOf } from '../../namespaces/namespaces.ts'
import { ownersOf } from './details.queries.ts'

const text = Type.String()

export const identityFields = {
  id: Type.Integer(),
  description: nullable(text),
  name: text,
  name_with_namespace: text,
  path: text,
  path_with_namespace: text,
  created_at: Instant,
}

export const ProjectIdentity = resource('ProjectIdentity', identityFields)

/** By id: three statements, regardless of their number. Whether the caller can see them is for the caller of this to know. */
export async function identitiesOf(db: Db, ids: number[]): Promise<Map<number, Presented<typeof ProjectIdentity>>> {
  const distinct = [...new Set(ids)]
  if (distinct.length === 0) return new Map()
  const projects = await locatedProjects(db).where('projects.id', 'in', distinct).execute()
  const owners = projects.flatMap(({ namespace_owner_id }) => namespace_owner_id ?? [])
  const groups = projects.flatMap(({ namespace_owner_id, namespace_id }) => (namespace_owner_id === null ? namespace_id : []))
  const [people, names] = await Promise.all([ownersOf(db, [...new Set(owners)]), fullNamesOf(db, groups)])
  return new Map(
    projects.map((project) => {
      const namespace = people.get(project.namespace_owner_id ?? 0)?.name ?? names.get(project.namespace_id) ?? project.namespace_name
      const identity = {
        id: project.id,
        description: project.description,
        name: project.name,
        name_with_namespace: `${namespace} / ${project.name}`,
        path: project.path,
        path_with_namespace: project.full_path,
        created_at: project.created_at,
      }
      return [project.id, identity]
    }),
  )
}
