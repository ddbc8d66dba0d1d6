/** Writes the archive of a project through temporary files, with at most one page of rows in memory. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import { commitsAmong, writeBundle } from '../../../git/transfer/bundle.ts'
import { openTempFile, type TempFile } from '../../../store/temp-file.ts'
import { wikiWithPages } from '../../documents/wikis/wikis.ts'
import { levelsOf, switchesOf } from '../../spaces/projects/projects.ts'
import { largeFilesAfter, peopleOf, type Row, rowsAfter } from './archive.queries.ts'
import { statusInArchive } from './ci-format.ts'
import { formatVersion, ProjectSettings, type RowTable, rowTableNames, rowTables, tables } from './format.ts'
import { type PlanningRow, readPlanning } from './planning.queries.ts'
import { type PlanningTable, planningTableNames } from './planning-format.ts'
import { noteWritten, peopleIn, planningLine, type Written } from './planning-lines.ts'

const page_rows = 500

/** For tables with texts of megabytes. */
const fewer_rows = 20
const longRows: RowTable[] = ['releases']
const longPlanning: PlanningTable[] = ['issues', 'merge_requests', 'snippets', 'snippet_files', 'notes', 'suggestions']

interface Writing {
  app: App
  project: LocatedProject
  pack: Pack
  /** The users to whom rows of the project refer. */
  people: Set<number>
  /** The members whose addresses are included; null if none are. */
  members: Set<number> | null
  pipelines: Set<number>
  /** Includes releases. */
  planning: Written
  /** Commits of versions of merge requests. */
  kept: Set<string>
  /** Where the content of each upload is. */
  uploads: Array<{ secret: string; size: number; store_key: string }>
  signal: AbortSignal | undefined
}

export interface ArchiveOptions {
  /** Whether to include the email addresses of members: for administrators only, since anybody can add anybody as a member. */
  with_addresses: boolean
  signal?: AbortSignal | undefined
  /** Called with the size of the archive so far, in bytes. */
  onWritten?: (bytes: number) => void
}

/** The caller closes it. */
export async function writeArchive(
  app: App,
  project: LocatedProject,
  { with_addresses, signal, onWritten }: ArchiveOptions,
): Promise<TempFile> {
  const archive = await app.store.openDraft()
  const members = with_addresses ? new Set<number>() : null
  const writing: Writing = {
    app,
    project,
    pack: pack(),
    people: new Set(),
    members,
    pipelines: new Set(),
    planning: new Map(),
    kept: new Set(),
    uploads: [],
    signal,
  }
  try {
    // Most of it is compressed already.
    const written = pipeline(writing.pack, createGzip({ level: 1 }), async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        await archive.append(chunk)
        onWritten?.(archive.size)
      }
    })
    const filled = fill(writing).catch((error: Error) => {
      writing.pack.destroy(error)
      throw error
    })
    await Promise.all([filled, written])
    return archive
  } catch (error) {
    await archive.close()
    throw error
  }
}

async function fill(writing: Writing): Promise<void> {
  const { app, project } = writing
  await addBytes(writing, 'VERSION', Buffer.from(`${formatVersion}\n`))
  await addBytes(writing, 'project.json', Buffer.from(`${JSON.stringify(settingsOf(project), null, 2)}\n`))
  for (const table of rowTableNames) await addTable(writing, table)
  for (const table of planningTableNames) await addPlanning(writing, table)
  await addPeople(writing)
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
  writing.pack.finalize()
}

function settingsOf(project: LocatedProject): ProjectSettings {
  const tag_list = (JSON.parse(project.tag_list) as string[]).sort()
  // Archived with its group alone: where it is imported it is in another one.
  const archived = project.archived && !project.archived_by_group
  const known = { ...project, ...switchesOf(project), archived, tag_list, feature_levels: levelsOf(project) }
  const names = Object.keys(ProjectSettings.properties) as Array<keyof ProjectSettings>
  return Object.fromEntries(names.map((name) => [name, known[name]])) as ProjectSettings
}

/** For content that is small enough for memory. */
function addBytes({ pack }: Writing, name: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => pack.entry({ name }, bytes, (error) => (error ? reject(error) : resolve())))
}

async function addStream({ pack, signal }: Writing, name: string, size: number, source: Readable): Promise<void> {
  signal?.throwIfAborted()
  await pipeline(source, pack.entry({ name, size }))
}

/** For content that is written to disk first, as a tar entry begins with its size. */
async function addMade(writing: Writing, name: string, make: (file: TempFile) => Promise<boolean>): Promise<void> {
  const file = await openTempFile(writing.app.config.home)
  try {
    if (await make(file)) await addStream(writing, name, file.size, file.open())
  } finally {
    await file.close()
  }
}

/** @param size in bytes; null if it is unknown */
async function addStored(writing: Writing, name: string, store_key: string, size: number | null): Promise<void> {
  const source = await writing.app.store.open(store_key)
  if (size !== null) return addStream(writing, name, size, source)
  await addMade(writing, name, async (file) => {
    for await (const chunk of source as AsyncIterable<Buffer>) await file.append(chunk)
    return true
  })
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
      await file.append(Buffer.from(whole.map((row) => `${JSON.stringify(lineOf(table, row))}\n`).join('')))
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
      await file.append(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
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

async function addPeople(writing: Writing): Promise<void> {
  const ids = [...writing.people]
  await addMade(writing, 'tables/people.jsonl', async (file) => {
    for (let at = 0; at < ids.length; at += page_rows) {
      const people = await peopleOf(writing.app.db, ids.slice(at, at + page_rows))
      const lines = people.map((person) => ({ ...person, email: writing.members?.has(person.id) ? person.email : null }))
      await file.append(Buffer.from(lines.map((person) => `${JSON.stringify(person)}\n`).join('')))
    }
    return true
  })
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
