/** Groups (spec 2.3). */
import { Type } from 'typebox'
import { Day, nullable, resource } from '../../../http/parameters/schema.ts'
import { CustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { StorageLimits } from '../../storage/quotas/quotas.schema.ts'
import { ProjectAny } from '../projects/projects.schema.ts'

const text = Type.String()
const bytes = Type.Integer()
const longestGrace_h = 2_147_483_647

export const Group = resource('Group', {
  id: Type.Integer(),
  web_url: text,
  name: text,
  path: text,
  description: text,
  visibility: text,
  lfs_enabled: Type.Boolean(),
  avatar_url: nullable(text),
  request_access_enabled: Type.Boolean(),
  require_two_factor_authentication: Type.Boolean(),
  two_factor_grace_period: Type.Integer(),
  full_name: text,
  full_path: text,
  parent_id: nullable(Type.Integer()),
  archived: Type.Boolean({ description: 'By itself, or with a group above it' }),
  marked_for_deletion_on: nullable(Day),
  custom_attributes: Type.Optional(CustomAttributes),
  statistics: Type.Optional(
    Type.Object({
      storage_size: bytes,
      repository_size: bytes,
      wiki_size: bytes,
      snippets_size: bytes,
      lfs_objects_size: bytes,
      job_artifacts_size: bytes,
      packages_size: bytes,
      uploads_size: bytes,
      terraform_states_size: bytes,
      secure_files_size: bytes,
    }),
  ),
})

/** Requirements of a group on the second factor of its members. */
export const secondFactorOfMembers = {
  require_two_factor_authentication: Type.Optional(Type.Boolean({ description: 'Whether members need a second factor' })),
  two_factor_grace_period: Type.Optional(
    Type.Integer({ minimum: 0, maximum: longestGrace_h, description: 'Hours in which they may put it off' }),
  ),
}

export const GroupDetails = resource('GroupDetails', {
  ...Group.properties,
  storage_limits: StorageLimits,
  projects: Type.Optional(Type.Array(ProjectAny)),
  shared_projects: Type.Optional(Type.Array(ProjectAny)),
  /** The groups it is shared with. */
  shared_with_groups: Type.Optional(
    Type.Array(
      Type.Object({
        group_id: Type.Integer(),
        group_name: text,
        group_full_path: text,
        group_access_level: Type.Integer(),
        expires_at: nullable(text),
      }),
    ),
  ),
})
