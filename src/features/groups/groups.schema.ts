/** Groups (spec 2.3). */
import { Type } from 'typebox'
import { nullable } from '../../http/schema.ts'
import { ProjectAny } from '../projects/projects.schema.ts'

const text = Type.String()

export const Group = Type.Object({
  id: Type.Integer(),
  web_url: text,
  name: text,
  path: text,
  description: text,
  visibility: text,
  lfs_enabled: Type.Boolean(),
  avatar_url: nullable(text),
  request_access_enabled: Type.Boolean(),
  full_name: text,
  full_path: text,
  parent_id: nullable(Type.Integer()),
})

export const GroupDetails = Type.Object({
  ...Group.properties,
  projects: Type.Optional(Type.Array(ProjectAny)),
  shared_projects: Type.Optional(Type.Array(ProjectAny)),
})
