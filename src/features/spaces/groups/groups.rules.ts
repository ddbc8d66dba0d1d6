/** Validates the fields of a group. */
import type { User, Visibility } from '../../../db/tables.ts'
import type { Failure } from '../../../failure.ts'
import { assertValid, blankError, isMoreOpen, lengthError } from '../../../validation.ts'
import { restrictedVisibilityError, type Settings } from '../../instance/settings/settings.ts'
import { pathError } from '../../namespaces/namespaces.ts'

/** The fields that a user chose. */
export interface GroupFields {
  name?: string | undefined
  path?: string | undefined
  description?: string | undefined
  visibility?: Visibility | undefined
}

/** The group above; null at the top level. */
export type Parent = { full_path: string; visibility: Visibility } | null

const longestText = 255
/** Maximum depth of nested groups. */
export const deepest = 100

/** Throws 400 with the errors by field. */
export function assertWellFormed(
  fields: GroupFields,
  place: { parent: Parent; settings: Settings; user: User },
  refuse: (fieldErrors: Record<string, string[]>) => Failure,
): void {
  const { name, path, description, visibility } = fields
  const { parent, settings, user } = place
  assertValid(
    {
      path: path === undefined ? null : pathError(path, 'namespace', parent?.full_path ?? null),
      name: name === undefined ? null : (blankError(name) ?? lengthError(name, longestText) ?? formatError(name)),
      description: lengthError(description, longestText),
      visibility_level: restrictedVisibilityError(settings, user, visibility) ?? parentError(visibility, parent),
      parent_id: parent && parent.full_path.split('/').length >= deepest ? 'has too deep level of nesting' : null,
    },
    refuse,
  )
}

function formatError(name: string): string | null {
  return /^[\p{L}\p{N}\p{M}\p{Pd}_. ]+$/u.test(name) ? null : "can contain only letters, digits, '_', '.', dash and space."
}

function parentError(visibility: Visibility | undefined, parent: Parent): string | null {
  if (visibility === undefined || !parent || !isMoreOpen(visibility, parent.visibility)) return null
  return `${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`
}

/** Nothing in a group may be more visible than the group. */
export function contentError(visibility: Visibility, inside: { projects: Visibility[]; groups: Visibility[] }): string | null {
  const wider = (one: Visibility) => isMoreOpen(one, visibility)
  if (inside.projects.some(wider)) return `${visibility} is not allowed since this group contains projects with higher visibility.`
  return inside.groups.some(wider) ? `${visibility} is not allowed since there are sub-groups with higher visibility.` : null
}
