/** What the fields of a group may hold, wherever they come from. */
import type { User, Visibility } from '../../db/tables.ts'
import type { Failure } from '../../failure.ts'
import { complainOfBlank, complainOfLength, isMoreOpen, refuseWith } from '../complaints.ts'
import { complainOfPath } from '../namespaces/paths.ts'
import type { Settings } from '../settings/settings.service.ts'
import { complainOfRestricted } from '../settings/visibility.ts'

/** The fields that a user chose. */
export interface GroupFields {
  name?: string | undefined
  path?: string | undefined
  description?: string | undefined
  visibility?: Visibility | undefined
}

/** The group above; null for one at the top. */
export type Parent = { full_path: string; visibility: Visibility } | null

const longestText = 255
const deepest = 100

/** Throws 400 with what is wrong, field by field. */
export function refuseMalformed(
  fields: GroupFields,
  place: { parent: Parent; settings: Settings; user: User },
  refuse: (complaints: Record<string, string[]>) => Failure,
): void {
  const { name, path, description, visibility } = fields
  const { parent, settings, user } = place
  refuseWith(
    {
      path: path === undefined ? null : complainOfPath(path, 'namespace', parent?.full_path ?? null),
      name: name === undefined ? null : (complainOfBlank(name) ?? complainOfLength(name, longestText) ?? complainOfFormat(name)),
      description: complainOfLength(description, longestText),
      visibility_level: complainOfRestricted(settings, user, visibility) ?? complainOfParent(visibility, parent),
      parent_id: parent && parent.full_path.split('/').length >= deepest ? 'has too deep level of nesting' : null,
    },
    refuse,
  )
}

function complainOfFormat(name: string): string | null {
  return /^[\p{L}\p{N}\p{M}\p{Pd}_. ]+$/u.test(name) ? null : "can contain only letters, digits, '_', '.', dash and space."
}

function complainOfParent(visibility: Visibility | undefined, parent: Parent): string | null {
  if (visibility === undefined || !parent || !isMoreOpen(visibility, parent.visibility)) return null
  return `${visibility} is not allowed since the parent group has a ${parent.visibility} visibility.`
}

/** Nothing in a group is more open than the group. */
export function complainOfContent(visibility: Visibility, inside: { projects: Visibility[]; groups: Visibility[] }): string | null {
  const wider = (one: Visibility) => isMoreOpen(one, visibility)
  if (inside.projects.some(wider)) return `${visibility} is not allowed since this group contains projects with higher visibility.`
  return inside.groups.some(wider) ? `${visibility} is not allowed since there are sub-groups with higher visibility.` : null
}
