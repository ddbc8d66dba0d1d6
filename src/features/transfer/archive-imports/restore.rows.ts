/** Inserts the rows of an archive, with the ids of this instance in place of the original ones. */

import { randomBytes } from 'node:crypto'
import { accessLevels, visibilities } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import type { User } from '../../../db/tables.ts'
import { Failure } from '../../../failure.ts'
import { readSettings, restrictedVisibilityError } from '../../instance/settings/settings.ts'
import { nextNumber } from '../../spaces/numbering/numbering.ts'
import { loadLockedProject } from '../../spaces/projects/projects.ts'
import { safeName } from '../../spaces/uploads/uploads.ts'
import { abandonAll, refer } from '../../storage/object-storage/object-storage.ts'
import {
  archiveError,
  type Line,
  planningTableNames,
  type RowTable,
  readPages,
  rowTableNames,
  rowTables,
  type Unpacked,
} from '../archive/archive.ts'
import { lockImport } from './archive-imports.queries.ts'
import type { People } from './people.ts'
import { clearRows, insertPipeline, insertRelease, insertRows, insertUpload } from './restore.queries.ts'
import { restoreComments } from './restore-comments.ts'
import { clearPlanning, completePlanning } from './restore-planning.queries.ts'
import { insertPlanning } from './restore-planning.ts'
import { completeSnippets } from './restore-snippets.queries.ts'
import type { PlanningIds } from './restoring.ts'

export interface Restoring {
  app: App
  project_id: number
  importer: User
  unpacked: Unpacked
  people: People
  /** New secrets of uploads, keyed by those in the archive, if they differ. */
  secrets: Map<string, string>
  /** New ids of pipelines, keyed by those in the archive. */
  pipelines: Map<number, number>
  /** Includes releases: null for one whose tag had a release already. */
  planning: PlanningIds
}

/** Writes every table except the members, after deleting the rows of an earlier attempt. */
export async function restoreRows(restoring: Restoring, signal?: AbortSignal): Promise<void> {
  const { project_id, unpacked } = restoring
  await whileImporting(restoring, async (tx) => {
    await clearPlanning(tx, project_id)
    await abandonAll(tx, await clearRows(tx, project_id))
  })
  // Before all texts, as the URLs of uploads in them may change.
  await restoreUploads(restoring)
  for (const table of rowTableNames) {
    const file = unpacked.tables.get(table)
    if (!file || table === 'members' || table === 'uploads') continue
    for await (const page of readPages(table, file)) {
      signal?.throwIfAborted()
      await whileImporting(restoring, (tx) => insertPage(restoring, tx, table, page))
    }
  }
  await restorePlanning(restoring, signal)
}

/** Labels before issues, and so on: lines refer to earlier tables. */
async function restorePlanning(restoring: Restoring, signal: AbortSignal | undefined): Promise<void> {
  const { app, importer, project_id, unpacked, people } = restoring
  const words = {
    relink: (text: string) => relink(restoring, text),
    noted: (note: string, created_at: string, person: number | null) => noted({ note, created_at }, people.nameToNote(person)),
  }
  await restoreComments(restoring, words, (work) => whileImporting(restoring, work))
  for (const table of planningTableNames) {
    const file = unpacked.tables.get(table)
    if (!file) continue
    for await (const page of readPages(table, file)) {
      signal?.throwIfAborted()
      await whileImporting(restoring, (tx) => insertPlanning({ ...restoring, ...words }, tx, table, page))
    }
  }
  const settings = await readSettings(app.db)
  const refused = visibilities.filter((level) => restrictedVisibilityError(settings, importer, level) !== null)
  await whileImporting(restoring, async (tx) => {
    await completeSnippets(tx, project_id, refused)
    await completePlanning(tx, project_id)
  })
}

async function insertPage(restoring: Restoring, tx: Tx, table: RowTable, page: Array<Line<RowTable>>): Promise<void> {
  if (table === 'pipelines') return insertPipelines(restoring, tx, page as Array<Line<'pipelines'>>)
  if (table === 'releases') return insertReleases(restoring, tx, page as Array<Line<'releases'>>)
  const rows = page.map((line) => rowOf(restoring, table, line))
  return insertRows(
    tx,
    table,
    rows.filter(({ release_id }) => release_id !== null),
  )
}

async function insertPipelines(restoring: Restoring, tx: Tx, page: Array<Line<'pipelines'>>): Promise<void> {
  for (const line of page) {
    const { id: _, ...row } = rowOf(restoring, 'pipelines', line)
    const iid = await nextNumber(tx, { project_id: restoring.project_id }, 'pipeline')
    restoring.pipelines.set(line.id, await insertPipeline(tx, { ...row, iid }))
  }
}

/** Before version 2, they had no date of their own. */
async function insertReleases(restoring: Restoring, tx: Tx, page: Array<Line<'releases'>>): Promise<void> {
  const ids = restoring.planning.get('releases') ?? new Map<number, number | null>()
  restoring.planning.set('releases', ids)
  for (const line of page) {
    const { id: _, ...row } = rowOf(restoring, 'releases', line)
    const id = await insertRelease(tx, { ...row, released_at: line.released_at ?? line.created_at })
    if (line.id !== undefined) ids.set(line.id, id)
  }
}

/** Text columns that may link to uploads. */
const linking = ['description']

/** Ids of lines in other tables. */
interface References {
  person?: number | null
  pipeline?: number
  release?: number
}

function rowOf(restoring: Restoring, table: RowTable, line: Line<RowTable>): Record<string, unknown> {
  const { project_id, people, importer, pipelines, planning } = restoring
  const { person = null, pipeline, release, ...row } = line as Record<string, unknown> & References
  const column = rowTables[table]
  for (const name of linking) if (typeof row[name] === 'string') row[name] = relink(restoring, row[name])
  const mayBeNobody = column === 'user_id' || table === 'releases'
  if (column) row[column] = person === null && mayBeNobody ? null : (people.userOf(person) ?? importer.id)
  if (pipeline !== undefined) {
    const id = pipelines.get(pipeline)
    if (id === undefined) throw archiveError('has a status of a pipeline that it lacks')
    row.pipeline_id = id
  }
  if (release !== undefined) {
    const id = planning.get('releases')?.get(release)
    if (id === undefined) throw archiveError('has a link of a release that it lacks')
    row.release_id = id
  }
  return { ...row, project_id }
}

/** Adds the author's name to a text that is attributed to the importer. */
function noted({ note, created_at }: Pick<Line<'commit_comments'>, 'note' | 'created_at'>, author: string | null): string {
  return author === null
    ? note
    : `${note || '*Blank note*'}\n\n *By ${author} on ${created_at.replace(/\..*/, '')} (imported from Gitstead project)*`
}

/** The text with the new URLs of its uploads. */
export function relink({ secrets }: Pick<Restoring, 'secrets'>, text: string): string {
  if (secrets.size === 0) return text
  return text.replace(/\/uploads\/([0-9a-f]{32})\//g, (whole, secret: string) => {
    const fresh = secrets.get(secret)
    return fresh === undefined ? whole : `/uploads/${fresh}/`
  })
}

async function restoreUploads(restoring: Restoring): Promise<void> {
  const file = restoring.unpacked.tables.get('uploads')
  if (!file) return
  for await (const page of readPages('uploads', file)) {
    if (new Set(page.map(({ secret }) => secret)).size < page.length) throw archiveError('lists an upload twice')
    await whileImporting(restoring, async (tx) => {
      for (const line of page) await restoreUpload(restoring, tx, line)
    })
    // Each belongs to one row.
    for (const { secret } of page) restoring.unpacked.uploads.delete(secret)
  }
}

/** If the same job runs twice, one run finishes first: then the project is in use, and the other run must not change it. */
export async function whileImporting(
  { app, project_id }: Pick<Restoring, 'app' | 'project_id'>,
  work: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    await loadLockedProject(tx, project_id)
    if ((await lockImport(tx, project_id)) === null) throw new Error('the import has come to its end meanwhile')
    await work(tx)
  })
}

async function restoreUpload(restoring: Restoring, tx: Tx, line: Line<'uploads'>): Promise<void> {
  const { project_id, people, importer, unpacked, secrets } = restoring
  const { secret, filename, person, created_at } = line
  const stored = unpacked.uploads.get(secret)
  if (!stored) throw archiveError(`lacks uploads/${secret}`)
  if (safeName(filename) !== filename) throw archiveError('has an upload whose name is no name of a file')
  if (!(await refer(tx, stored.store_key))) throw new Failure('timed_out', 'The import took longer than a day.')
  const user_id = person === null ? null : (people.userOf(person) ?? importer.id)
  const row = { project_id, user_id, filename, created_at, ...stored }
  if (await insertUpload(tx, { ...row, secret })) return
  const fresh = randomBytes(16).toString('hex')
  secrets.set(secret, fresh)
  await insertUpload(tx, { ...row, secret: fresh })
}

export interface RestoredMember {
  user_id: number
  access_level: number
  expires_at: string | null
  created_at: string
}

/** The members in an administrator's archive. Owners become maintainers; the importer is one anyway. */
export async function restoredMembers({ unpacked, people, importer }: Restoring): Promise<RestoredMember[]> {
  const file = unpacked.tables.get('members')
  const members = new Map<number, RestoredMember>()
  if (!file) return []
  for await (const page of readPages('members', file)) {
    for (const { person, access_level, expires_at, created_at } of page) {
      const user_id = people.userOf(person)
      if (!importer.admin || user_id === null || user_id === importer.id) continue
      members.set(user_id, { user_id, access_level: Math.min(access_level, accessLevels.maintainer), expires_at, created_at })
    }
  }
  return [...members.values()]
}
