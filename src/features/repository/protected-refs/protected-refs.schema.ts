/** Protected branches as JSON. */
import { Type } from 'typebox'
import { resource } from '../../../http/parameters/schema.ts'

export const AccessLevels = Type.Array(Type.Object({ access_level: Type.Integer(), access_level_description: Type.String() }))

export const ProtectedBranch = resource('ProtectedBranch', {
  id: Type.Integer(),
  name: Type.String(),
  push_access_levels: AccessLevels,
  merge_access_levels: AccessLevels,
  allow_force_push: Type.Boolean(),
  code_owner_approval_required: Type.Boolean(),
})
