/**
 * Imports a group from its archive, with all groups below it: in one transaction, so that there is all of it or nothing. Wikis follow by
 * jobs of that transaction. The request waits for the rest: the API shows no state of such an import, so its reply alone can say what is
 * wrong with an archive, which has 64 MiB of lines at most.
 */
import type { GroupAccess, LocatedGroup } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { inTransaction, isUniqueViolation, type Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { type Failure, forbidden } from '../../../failure.ts'
import type { LargeUpload } from '../../../http/parameters/upload.ts'
import { enqueue } from '../../../queue/queue.ts'
import { readSettings, type Settings } from '../../instance/settings/settings.ts'
import { assertGroupWellFormed, createGroupIn, groupRefusal, loadLockedGroup, mayCreateGroup } from '../../spaces/groups/groups.ts'
import { archiveError } from '../archive/archive.ts'
import { matchPeople, maxVisibilityBelow, type People } from '../archive-imports/archive-imports.ts'
import { fillWikiJob } from './group-archives.jobs.ts'
import { type Line, type Lines, tableNames } from './group-format.ts'
import { linesOf, readGroupArchive, type Unpacked } from './read-group-archive.ts'
import { restoreRows } from './restore-rows.ts'

export interface GroupImport {
  file: LargeUpload
  /** The name of the exported group in its new place. Subgroups keep theirs. */
  name: string
  path: string
  /** Null for the top. */
  parent: GroupAccess | null
}

/**
 * Throws 403 if the user may not create a group there, and 400 with what is wrong with the name, the path or the archive.
 * @param refusalOf words the errors of fields; as one sentence by default
 */
export async function importGroup(
  app: App,
  importer: User,
  { file, name, path, parent }: GroupImport,
  refusalOf: (fieldErrors: Record<string, string[]>, cause?: unknown) => Failure = groupRefusal,
): Promise<LocatedGroup> {
  if (!mayCreateGroup(importer, parent)) throw forbidden()
  const settings = await readSettings(app.db)
  const place = { settings, importer, name, path, refusalOf }
  assertPlaced(place, parent?.group ?? null)
  const unpacked = await readGroupArchive(app, file.content.open())
  try {
    const lines = await allLines(unpacked)
    const people = await matchPeople(app, importer, unpacked.tables.get('people'))
    return await inTransaction(app.db, async (tx) => {
      const above = parent && (await loadLockedGroup(tx, parent.group.id))
      assertPlaced(place, above)
      return restore(tx, { ...place, above, lines, people, unpacked })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? refusalOf({ path: ['has already been taken'] }, error) : error
  } finally {
    await unpacked.close()
  }
}

interface PlacedImport {
  settings: Settings
  importer: User
  name: string
  path: string
  refusalOf: (fieldErrors: Record<string, string[]>, cause?: unknown) => Failure
}

function assertPlaced({ settings, importer, name, path, refusalOf }: PlacedImport, above: LocatedGroup | null): void {
  if (above !== null && above.marked_for_deletion_at !== null) throw refusalOf({ parent_id: ['is marked for deletion'] })
  if (above?.archived) throw refusalOf({ parent_id: ['is archived'] })
  assertGroupWellFormed({ name, path }, { parent: above, settings, user: importer }, refusalOf)
}

/** In memory, as nothing but the database is waited for in a transaction. */
const maxTables_bytes = 64 * 1024 * 1024

async function allLines(unpacked: Unpacked): Promise<Lines> {
  const size = [...unpacked.tables.values()].reduce((sum, file) => sum + file.size, 0)
  if (size > maxTables_bytes) throw archiveError(`has more than ${maxTables_bytes / 1024 ** 2} MiB in its tables`)
  const lines: Record<string, unknown[]> = {}
  for (const table of tableNames) {
    if (table === 'people') continue
    const all: unknown[] = []
    for await (const page of linesOf(unpacked, table)) all.push(...page)
    lines[table] = all
  }
  return lines as Lines
}

interface Restoring extends PlacedImport {
  above: LocatedGroup | null
  lines: Lines
  people: People
  unpacked: Unpacked
}

async function restore(tx: Tx, restoring: Restoring): Promise<LocatedGroup> {
  const { lines, people, importer, unpacked } = restoring
  const groups = new Map<number, LocatedGroup>()
  for (const line of lines.groups) {
    if (groups.has(line.id)) throw archiveError('lists a group twice')
    const group = await restoreGroup(tx, restoring, groups, line)
    groups.set(line.id, group)
    const store_key = unpacked.wikis.get(line.id)
    if (store_key) await enqueue(tx, fillWikiJob, { group_id: group.id, user_id: importer.id, store_key })
  }
  const [top] = groups.values()
  if (!top) throw archiveError('lacks a group')
  await restoreRows(tx, { groups, lines, people, importer })
  return top
}

async function restoreGroup(
  tx: Tx,
  { settings, importer, above, unpacked, ...chosen }: Restoring,
  groups: Map<number, LocatedGroup>,
  line: Line<'groups'>,
): Promise<LocatedGroup> {
  const { id, parent: number, visibility: wanted, ...fields } = line
  const isTop = groups.size === 0
  const parent = isTop ? above : number === null ? undefined : groups.get(number)
  if (parent === undefined || (isTop && number !== null)) throw archiveError('has a group that is not in another of its groups')
  const visibility = maxVisibilityBelow(wanted, settings, parent) ?? 'private'
  const row = { ...fields, visibility, ...(isTop && { name: chosen.name, path: chosen.path }) }
  const refuse = (errors: Record<string, string[]>) =>
    isTop ? chosen.refusalOf(errors) : archiveError(`has a group that none can be: ${JSON.stringify(errors)}`)
  assertGroupWellFormed(row, { parent, settings, user: importer }, refuse)
  const taken = [...groups.values()].some((other) => other.parent_id === parent?.id && other.path.toLowerCase() === row.path.toLowerCase())
  if (!isTop && taken) throw archiveError('has two groups with the same path')
  return createGroupIn(tx, row, { above: parent, avatar: unpacked.avatars.get(id), owner: isTop ? importer : null })
}
