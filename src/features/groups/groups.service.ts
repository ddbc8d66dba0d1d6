/** The rules of groups: who may make one where, and what it may be called. */
import type { GroupAccess, LocatedGroup } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import { inTransaction, isTaken } from '../../db/database.ts'
import type { User, Visibility } from '../../db/tables.ts'
import { forbidden, invalid } from '../../failure.ts'
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

const openness = { private: 0, internal: 1, public: 2 }
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

function refuseMalformed({ name, path, visibility, description = '' }: NewGroup, parent: LocatedGroup | null): void {
  const complaints: Record<string, string[]> = {}
  const complaint = complainOfPath(path, 'namespace', parent?.full_path ?? null)
  if (complaint) complaints.path = [complaint]
  if (name.trim() === '') complaints.name = ["can't be blank"]
  else if (!/^[\p{L}\p{N}\p{Pd}_. ()]+$/u.test(name)) complaints.name = ["can contain only letters, digits, '_', '.', dash and space."]
  if (description.length > 255) complaints.description = ['is too long (maximum is 255 characters)']
  if (parent && openness[visibility] > openness[parent.visibility])
    complaints.visibility_level = [`${visibility} is not allowed in a ${parent.visibility} group`]
  if (parent && parent.full_path.split('/').length >= deepest) complaints.parent_id = ['has too deep level of nesting']
  if (Object.keys(complaints).length > 0) throw refusal(complaints)
}

/** `Failed to save group {path: …}`, as the clients of this endpoint know it. */
function refusal(complaints: Record<string, string[]>, cause?: unknown) {
  const said = Object.entries(complaints).map(([field, sentences]) => `:${field}=>${JSON.stringify(sentences)}`)
  return invalid(`Failed to save group {${said.join(', ')}}`, cause)
}
