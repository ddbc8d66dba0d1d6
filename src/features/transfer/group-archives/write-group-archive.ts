/** Writes the archive of a group with everything below it, with at most one page of rows in memory. */
import type { LocatedGroup } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { writeBundle } from '../../../git/transfer/bundle.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { wikiWithPages } from '../../documents/wikis/wikis.ts'
import { addBytes, addMade, addPeople, addStored, appendLines, type Packing, packed, page_rows } from '../archive/archive.ts'
import { formatVersion, type Line, tables } from './group-format.ts'
import { groupsFrom, type Row, readRows } from './rows.queries.ts'

interface Writing extends Packing {
  top: number
  /** The groups, labels and boards that were written: what was added meanwhile is not referred to. */
  groups: Set<number>
  labels: Set<number>
  boards: Set<number>
  people: Set<number>
}

export interface ArchiveOptions {
  /** Whether to include the email addresses of members: for administrators only, since anybody can add anybody as a member. */
  with_addresses: boolean
  signal?: AbortSignal | undefined
}

/** Null if the group is gone. The caller closes it. */
export async function writeGroupArchive(app: App, group_id: number, { with_addresses, signal }: ArchiveOptions): Promise<TempFile | null> {
  const groups = await groupsFrom(app.db, group_id)
  if (groups[0]?.id !== group_id) return null
  const writing = {
    top: group_id,
    groups: new Set<number>(),
    labels: new Set<number>(),
    boards: new Set<number>(),
    people: new Set<number>(),
  }
  return packed(app, { signal }, (packing) => fill({ ...packing, ...writing }, groups, with_addresses))
}

async function fill(writing: Writing, groups: LocatedGroup[], with_addresses: boolean): Promise<void> {
  await addBytes(writing, 'GROUP_VERSION', Buffer.from(`${formatVersion}\n`))
  for (const { id } of groups) writing.groups.add(id)
  await addMade(writing, 'tables/groups.jsonl', async (file) => {
    await appendLines(
      file,
      groups.map((group) => groupLine(group, writing.top)),
    )
    return true
  })
  for (const table of Object.keys(readRows) as Array<keyof typeof readRows>) await addTable(writing, table)
  await addPeople(writing, writing.people, with_addresses ? writing.people : null)
  for (const group of groups) {
    if (group.avatar_key) await addStored(writing, `avatars/${group.id}`, group.avatar_key, null)
    const wiki = await wikiWithPages(writing.app, { kind: 'group', row: group, level: accessLevels.owner })
    if (!wiki) continue
    await addMade(writing, `wikis/${group.id}.bundle`, (file) =>
      writeBundle(wiki, (chunk) => file.append(chunk), { signal: writing.signal }),
    )
  }
}

function groupLine(group: LocatedGroup, top: number): Line<'groups'> {
  const names = Object.keys(tables.groups.properties) as Array<keyof Line<'groups'>>
  const known = { ...group, parent: group.id === top ? null : group.parent_id }
  return Object.fromEntries(names.map((name) => [name, known[name]])) as Line<'groups'>
}

async function addTable(writing: Writing, table: keyof typeof readRows): Promise<void> {
  const { app, top, signal } = writing
  await addMade(writing, `tables/${table}.jsonl`, async (file) => {
    for (let last = 0; ; ) {
      signal?.throwIfAborted()
      const rows = await readRows[table](app.db, top, last, page_rows)
      await appendLines(
        file,
        rows.map((row) => lineOf(writing, table, row)).filter((line) => line !== null),
      )
      if (rows.length < page_rows) return true
      last = rows.at(-1)?.row_id ?? 0
    }
  })
}

/** Null for a row that refers to what was added after its table was read. */
function lineOf(writing: Writing, table: keyof typeof readRows, { row_id, ...row }: Row): Record<string, unknown> | null {
  const { groups, labels, boards, people, top } = writing
  if (table === 'board_lists') return boards.has(row.board as number) && labels.has(row.label as number) ? row : null
  const isWithin = groups.has(row.group as number)
  // A label that only a list needs is one of the exported group in the archive.
  if (table === 'labels') labels.add(row_id)
  else if (!isWithin) return null
  if (table === 'boards') boards.add(row_id)
  if (table === 'members') people.add(row.person as number)
  return isWithin ? row : { ...row, group: top }
}
