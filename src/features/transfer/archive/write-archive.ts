/** Writes the archive of a project through temporary files, with at most one page of rows in memory. */
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { commitsAmong, writeBundle } from '../../../git/transfer/bundle.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { wikiWithPages } from '../../documents/wikis/wikis.ts'
import { levelsOf, switchesOf } from '../../spaces/projects/projects.ts'
import { largeFilesAfter, type Row, rowsAfter } from './archive.queries.ts'
import { statusInArchive } from './ci-format.ts'
import { formatVersion, ProjectSettings, type RowTable, rowTableNames, rowTables, tables } from './format.ts'
import { addBytes, addMade, addPeople, addStored, appendLines, type Packing, packed, page_rows } from './packing.ts'
import { type PlanningRow, readPlanning } from './planning.queries.ts'
import { type PlanningTable, planningTableNames } from './planning-format.ts'
import { noteWritten, peopleIn, planningLine, type Written } from './planning-lines.ts'

/** For tables with texts of megabytes. */
const fewer_rows = 20
const longRows: RowTable[] = ['releases']
const longPlanning: PlanningTable[] = ['issues', 'merge_requests', 'snippets', 'snippet_files', 'notes', 'suggestions']

interface Writing extends Packing {
  project: LocatedProject
  /** The users to whom rows of the project refer. */
  people: Set<number>
  /** The members whose addresses are included; null if none are. */
  members: Set<number> | null
  pipelines: Set<number>
  /** Includes releases. */
  planning: Written
  /** Commits of versions of merge requests. */
  kept: Set<string>
  /** The uploads to add, by the key of their content in the store. */
  uploads: Array<{ secret: string; size: number; store_key: string }>
}

export interface ArchiveOptions {
  /** Whether to include the email addresses of members: for administrators only, since anybody can add anybody as a member. */
  with_addresses: boolean
  signal?: AbortSignal | undefined
  /** Called with the size of the archive so far, in bytes. */
  onWritten?: (bytes: number) => void
}

/** The caller closes it. */
export function writeArchive(app: App, project: LocatedProject, { with_addresses, ...options }: ArchiveOptions): Promise<TempFile> {
  return packed(app, options, (packing) =>
    fill({
      ...packing,
      project,
      people: new Set(),
      members: with_addresses ? new Set() : null,
      pipelines: new Set(),
      planning: new Map(),
      kept: new Set(),
      uploads: [],
    }),
  )
}

async function fill(writing: Writing): Promise<void> {
  const { app, project } = writing
  await addBytes(writing, 'VERSION', Buffer.from(`${formatVersion}\n`))
  await addBytes(writing, 'project.json', Buffer.from(`${JSON.stringify(settingsOf(project), null, 2)}\n`))
  for (const table of rowTableNames) await addTable(writing, table)
  for (const table of planningTableNames) await addPlanning(writing, table)
  await addPeople(writing, writing.people, writing.members)
  await addRepository(writing)
  await addWiki(writing)
  if (project.avatar_key) await addStored(writing, 'avatar', project.avatar_key, null)
  for (const { secret, size, store_key } of writing.uploads) await addStored(writing, `uploads/${secret}`, store_key, size)
  for (let last = ''; ; ) {
    const files = await largeFilesAfter(app.db, project.id, last, page_rows)
    for (const { oid, size, store_key } of files) await addStored(writing, `lfs/${oid}`, store_key, size)
    if (files.length < page_rows) break
    last = files.at(-1)?.oid ?? ''
  }
}

function settingsOf(project: LocatedProject): ProjectSettings {
  const tag_list = (JSON.parse(project.tag_list) as string[]).sort()
  // Archived with its group alone: where it is imported it is in another one.
  const archived = project.archived && !project.archived_by_group
  const known = { ...project, ...switchesOf(project), archived, tag_list, feature_levels: levelsOf(project) }
  const names = Object.keys(ProjectSettings.properties) as Array<keyof ProjectSettings>
  return Object.fromEntries(names.map((name) => [name, known[name]])) as ProjectSettings
}

async function addTable(writing: Writing, table: RowTable): Promise<void> {
  const { app, project, signal } = writing
  const limit = longRows.includes(table) ? fewer_rows : page_rows
  await addMade(writing, `tables/${table}.jsonl`, async (file) => {
    for (let last = 0; ; ) {
      signal?.throwIfAborted()
      const rows = await rowsAfter(app.db, table, project.id, last, limit)
      const whole = rows.filter((row) => isWhole(writing, table, row))
      for (const row of whole) collect(writing, table, row)
      await appendLines(
        file,
        whole.map((row) => lineOf(table, row)),
      )
      if (rows.length < limit) return true
      last = rows.at(-1)?.id ?? 0
    }
  })
}

async function addPlanning(writing: Writing, table: PlanningTable): Promise<void> {
  const { app, project, planning, people, signal } = writing
  const limit = longPlanning.includes(table) ? fewer_rows : page_rows
  await addMade(writing, `tables/${table}.jsonl`, async (file) => {
    for (let [last, second] = [0, -1]; ; ) {
      signal?.throwIfAborted()
      const rows = await readPlanning[table](app.db, project.id, last, limit, second)
      const whole = table === 'merge_request_versions' ? await withCommits(writing, rows) : rows
      const lines = whole.map((row) => planningLine(planning, table, row)).filter((line) => line !== null)
      for (const line of lines) for (const id of peopleIn(line)) people.add(id)
      await appendLines(file, lines)
      const end = rows.at(-1)
      if (!end || rows.length < limit) return true
      last = end.row_id
      second = end.row_second ?? -1
    }
  })
}

/** Versions whose commits are in the repository: without them nobody could read the version. */
async function withCommits({ app, project, kept }: Writing, rows: PlanningRow[]): Promise<PlanningRow[]> {
  const oidsOf = ({ start_oid, head_oid }: PlanningRow) => [start_oid, head_oid] as string[]
  const found = await commitsAmong(app.git.open(project.id), rows.flatMap(oidsOf))
  const whole = rows.filter((row) => oidsOf(row).every((oid) => found.has(oid)))
  for (const oid of whole.flatMap(oidsOf)) kept.add(oid)
  return whole
}

/** The project changes meanwhile: a status may belong to a pipeline, or a link to a release, that was added after those were read. */
function isWhole({ pipelines, planning }: Writing, table: RowTable, row: Row): boolean {
  if (table === 'release_links') return planning.get('releases')?.has(row.release_id as number) ?? false
  return table !== 'commit_statuses' || pipelines.has(row.pipeline_id as number)
}

/** Collects what else the archive needs for this row. */
function collect({ people, members, pipelines, planning, uploads }: Writing, table: RowTable, row: Row): void {
  if (table === 'pipelines') pipelines.add(row.id)
  if (table === 'releases') noteWritten(planning, table, row.id)
  const column = rowTables[table]
  const person = column === null ? null : (row[column] as number | null)
  if (person !== null) people.add(person)
  if (person !== null && table === 'members') members?.add(person)
  if (table === 'uploads') uploads.push(row as unknown as Writing['uploads'][number])
}

/** Columns that refer to a line of another table. */
const references: Record<string, string> = { pipeline: 'pipeline_id', release: 'release_id' }

/** The row without columns that are specific to its instance. */
function lineOf(table: RowTable, row: Row): Record<string, unknown> {
  const column = rowTables[table]
  const names = Object.keys(tables[table].properties)
  const columnOf = (name: string) => (name === 'person' ? (column ?? name) : (references[name] ?? name))
  const line = Object.fromEntries(names.map((name) => [name, row[columnOf(name)]]))
  if (table === 'pipelines') line.status = statusInArchive(String(row.status), row.source === 'external')
  if (table === 'commit_statuses') line.status = statusInArchive(String(row.status), row.kind === 'external')
  return line
}

async function addRepository(writing: Writing): Promise<void> {
  const repo = writing.app.git.open(writing.project.id)
  await addMade(writing, 'repository.bundle', (file) =>
    writeBundle(repo, (chunk) => file.append(chunk), { also: writing.kept, signal: writing.signal }),
  )
}

async function addWiki(writing: Writing): Promise<void> {
  const repo = await wikiWithPages(writing.app, { kind: 'project', row: writing.project, level: accessLevels.owner })
  if (repo) await addMade(writing, 'wiki.bundle', (file) => writeBundle(repo, (chunk) => file.append(chunk), { signal: writing.signal }))
}
