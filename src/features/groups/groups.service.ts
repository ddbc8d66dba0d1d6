/** The rules of groups: who may make one where, and what it may be called. */
import type { GroupAccess, LocatedGroup } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import { inTransaction, isTaken } from '../../db/database.ts'
import type { User, Visibility } from '../../db/tables.ts'
import { forbidden, invalid } from '../../failure.ts'
import { complainOfBlank, complainOfLength, complainOfVisibility, refuseWith } from '../complaints.ts'
import { insertMember } from '../members/members.service.ts'
import { insertNamespace } from '../namespaces/namespaces.service.ts'
import { complainOfPath } from '../namespaces/paths.ts'

export interface NewGroup {
  name: string
  path: string
  description?: string | undefined
  visibility: Visibility
  lfs_enabled: boolean
  request_access_enabled: boolean
}

const longestText = 255
const deepest = 20

/** Creates a group, below `parent` if given, with its creator as owner. Throws 403 or 400. */
export async function createGroup(app: App, creator: User, input: NewGroup, parent: GroupAccess | null): Promise<LocatedGroup> {
  if (parent ? parent.level < accessLevels.owner : !(creator.can_create_group || creator.admin)) throw forbidden()
  refuseMalformed(input, parent?.group ?? null)
  try {
    return await inTransaction(app.db, async (tx) => {
      const { name, path, description = '', visibility, lfs_enabled, request_access_enabled } = input
      const group = await insertNamespace(tx, {
        kind: 'group',
        name,
        path,
        description,
        visibility,
        lfs_enabled,
        request_access_enabled,
        owner_id: null,
        parent: parent?.group ?? null,
      })
      await insertMember(tx, { namespace_id: group.id }, { user_id: creator.id, access_level: accessLevels.owner, expires_at: null })
      return group
    })
  } catch (error) {
    throw isTaken(error) ? refusal({ path: ['has already been taken'] }, error) : error
  }
}

function refuseMalformed({ name, path, visibility, description }: NewGroup, parent: LocatedGroup | null): void {
  refuseWith(
    {
      path: complainOfPath(path, 'namespace', parent?.full_path ?? null),
      name: complainOfBlank(name) ?? complainOfLength(name, longestText) ?? complainOfFormat(name),
      description: complainOfLength(description, longestText),
      visibility_level: parent && complainOfVisibility(visibility, parent.visibility),
      parent_id: parent && parent.full_path.split('/').length >= deepest ? 'has too deep level of nesting' : null,
    },
    refusal,
  )
}

function complainOfFormat(name: string): string | null {
  return /^[\p{L}\p{N}\p{M}\p{Pd}_. ()]+$/u.test(name) ? null : "can contain only letters, digits, '_', '.', dash and space."
}

/** `Failed to save group {path: …}`, as the clients of this endpoint know it. */
function refusal(complaints: Record<string, string[]>, cause?: unknown) {
  const said = Object.entries(complaints).map(([field, sentences]) => `:${field}=>${JSON.stringify(sentences)}`)
  return invalid(`Failed to save group {${said.join(', ')}}`, cause)
}
