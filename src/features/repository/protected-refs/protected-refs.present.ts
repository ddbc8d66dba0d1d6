/** A rule of protected branches as JSON. */
import type { Static } from 'typebox'
import type { ProtectedBranch as Row } from '../../../db/tables.ts'
import type { AccessLevels, ProtectedBranch } from './protected-refs.schema.ts'
import { protectionLevels } from './protected-refs.service.ts'

export function presentBranchRule({ id, name, push_level, merge_level, allow_force_push }: Row): Static<typeof ProtectedBranch> {
  return { id, name, push_access_levels: presentLevel(push_level), merge_access_levels: presentLevel(merge_level), allow_force_push }
}

export function presentLevel(access_level: number): Static<typeof AccessLevels> {
  return [{ access_level, access_level_description: protectionLevels[access_level] as string }]
}
