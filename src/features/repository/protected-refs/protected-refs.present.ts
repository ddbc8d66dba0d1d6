/** A rule of protected branches as JSON. */
import type { Static } from 'typebox'
import type { ProtectedBranch as Row } from '../../../db/tables.ts'
import type { AccessLevels, ProtectedBranch } from './protected-refs.schema.ts'
import { protectionLevels } from './protected-refs.service.ts'

export function presentBranchRule(rule: Row): Static<typeof ProtectedBranch> {
  return {
    id: rule.id,
    name: rule.name,
    push_access_levels: presentLevel(rule.push_level),
    merge_access_levels: presentLevel(rule.merge_level),
    allow_force_push: rule.allow_force_push,
    code_owner_approval_required: rule.code_owner_approval_required,
  }
}

export function presentLevel(access_level: number): Static<typeof AccessLevels> {
  return [{ access_level, access_level_description: protectionLevels[access_level] as string }]
}
