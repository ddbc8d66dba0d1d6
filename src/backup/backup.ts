/**
 * Makes one backup: a snapshot of the database, then the repositories with their refs as of that snapshot, then the objects its rows refer
 * to. It becomes a generation only when it is complete.
 */
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import type { Config } from '../config.ts'
import { beginBackup, endBackup, renewBackup } from '../db/backups.ts'
import { openSnapshot } from '../db/snapshot.ts'
import { createFoldersDurably } from '../durable.ts'
import { StartRefused } from '../failure.ts'
import { programVersion } from '../version.ts'
import { copyFile, flushFolders, inParallel, removeFolder, sumFile, writeLines } from './files.ts'
import { keepGenerations, planGeneration, removeUnfinished, settleGeneration } from './generations.ts'
import { lockFolder } from './lock.ts'
import { formatVersion, type Manifest, writeManifest } from './manifest.ts'
import { isFatal, objectList, referringTables, saveObjects, wordsOf } from './objects.ts'
import type { Progress } from './progress.ts'
import { type Generation, repositoryList, type SavedRepository, saveRepository, saveWiki } from './repositories.ts'
import { copyingOnce } from './shared-packs.ts'
import { openSource, type Source } from './source.ts'
import { dumpTables, projectsIn, recordsIn, type SavedProject, wikisIn } from './tables.ts'
import { tipsInSnapshot } from './tips.ts'
import { verifyGeneration } from './verify.ts'

export interface BackupOptions {
  verify: boolean
  /** How many complete generations to keep; null for all. */
  keep: number | null
  progress: Progress
  signal: AbortSignal
}

/** Returns the folder of the generation, and whether it is complete; what is missing is in the faults of `progress`. */
export async function backUp(config: Config, target: string, options: BackupOptions): Promise<{ folder: string; isComplete: boolean }> {
  const source = await openSource(config)
  try {
    await assertNotNested(config.home, target)
    await createFoldersDurably(target, 0o700)
    const release = lockFolder(target)
    try {
      await removeUnfinished(target)
      return await makeGeneration(source, target, options)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
      throw new StartRefused(`no space is left in ${target}; the backups before this one are as they were`, { cause: error })
    } finally {
      release()
    }
  } finally {
    await source.close()
  }
}

/** A backup inside the data folder would be lost with it, and would contain itself. */
async function assertNotNested(home: string, target: string): Promise<void> {
  const [data, backup] = [`${await realPath(home)}${sep}`, `${await realPath(target)}${sep}`]
  if (backup.startsWith(data))
    throw new StartRefused(`${target} is inside the data folder ${home}: name a folder elsewhere, on another disk`)
  if (data.startsWith(backup)) throw new StartRefused(`the data folder ${home} is inside ${target}: name a folder that does not contain it`)
}

/** Resolves symbolic links, even if the last parts of the path don't exist yet. */
async function realPath(path: string): Promise<string> {
  return realpath(path).catch(async () => (path === dirname(path) ? path : join(await realPath(dirname(path)), basename(path))))
}

async function makeGeneration(source: Source, target: string, options: BackupOptions) {
  const { progress, signal } = options
  const lease = await keepLease(source)
  let draft: string | null = null
  try {
    const started = new Date()
    const plan = await planGeneration(target, started)
    draft = plan.draft
    await mkdir(draft, { mode: 0o700 })
    const manifest = await fill(
      source,
      {
        ...plan,
        folder: draft,
        marks: { last_event: 0, intents: new Set() },
        tipsOf: async () => new Map(),
        progress,
        signal,
        copyOnce: copyingOnce(),
      },
      started,
    )
    await lease.requireUnbroken()
    await writeManifest(draft, manifest)
    await flushFolders(draft)
    if (options.verify) {
      progress.phase = 'verifying'
      await verifyGeneration(draft, progress)
    }
    const isComplete = progress.faults.length === 0
    const folder = await settleGeneration(target, draft, plan.name, isComplete)
    draft = null
    if (isComplete && options.keep !== null) await keepGenerations(target, options.keep)
    return { folder, isComplete }
  } finally {
    await lease.end()
    // Makes room for the next attempt; earlier generations are unchanged.
    if (draft !== null) await removeFolder(draft).catch(() => {})
  }
}

const renewal_ms = 60_000

/** Renews the lease of the backup, which prevents the removal of anything that the snapshot refers to. */
async function keepLease({ db }: Source) {
  const id = await beginBackup(db)
  let isBroken = false
  const renew = async () => {
    // The database may be unavailable for a moment; the lease is checked at the end.
    if (!(await renewBackup(db, id).catch(() => true))) isBroken = true
  }
  const timer = setInterval(renew, renewal_ms)
  return {
    async requireUnbroken() {
      if (isBroken || !(await renewBackup(db, id)))
        throw new Error('the lease of the backup ran out meanwhile: the database was away for too long')
    },
    async end() {
      clearInterval(timer)
      await endBackup(db, id).catch(() => {})
    },
  }
}

async function fill(source: Source, to: Generation, started: Date): Promise<Manifest> {
  const manifest = await saveDatabase(source, to, started)
  to.marks = await marksOf(to, manifest)
  to.tipsOf = tipsInSnapshot(source, to.folder, manifest)
  to.progress.phase = 'repositories'
  manifest.files[repositoryList] = await saveRepositories(source, to, manifest)
  to.progress.phase = 'objects'
  for (const table of referringTables(manifest)) manifest.files[objectList(table)] = await saveObjects(source, to, manifest, table)
  to.progress.phase = 'keys and settings'
  for (const name of await ownFiles(source.home)) {
    const path = join(to.folder, 'home', name)
    await mkdir(dirname(path), { recursive: true })
    to.progress.copied_bytes += await copyFile(join(source.home, name), path)
    manifest.files[`home/${name}`] = await sumFile(path)
  }
  const { repositories, objects, faults } = to.progress
  return { ...manifest, repositories, objects, faults: [...faults], finished_at: new Date().toISOString() }
}

async function saveDatabase({ location }: Source, { folder, progress }: Generation, started: Date): Promise<Manifest> {
  progress.phase = 'database'
  const snapshot = await openSnapshot(location)
  try {
    const { migrations, sequences } = snapshot
    return {
      format: formatVersion,
      gitstead: programVersion,
      snapshot_at: started.toISOString(),
      finished_at: '',
      migrations,
      sequences,
      ...(await dumpTables(snapshot, folder, progress)),
      repositories: 0,
      objects: 0,
      faults: [],
    }
  } finally {
    await snapshot.close()
  }
}

/** Ids of events are never reused, so the highest one separates later events even if its row is deleted. */
async function marksOf({ folder }: Generation, manifest: Manifest): Promise<Generation['marks']> {
  const intents = new Set<number>()
  for await (const { id } of recordsIn(folder, manifest, 'push_intents')) intents.add(Number(id))
  let last_event = 0
  for await (const { id } of recordsIn(folder, manifest, 'events')) last_event = Math.max(last_event, Number(id))
  return { last_event, intents }
}

const repositoriesAtOnce = 3

function saveRepositories(source: Source, to: Generation, manifest: Manifest) {
  const save = async (name: string, work: () => Promise<SavedRepository>): Promise<SavedRepository | null> => {
    to.signal.throwIfAborted()
    try {
      const saved = await work()
      to.progress.repositories += 1
      return saved
    } catch (error) {
      if (isFatal(error)) throw error
      to.progress.fault(`repository of ${name}: ${wordsOf(error)}`)
      return null
    }
  }
  async function* lines() {
    const saveProject = (project: SavedProject) => save(`project ${project.id}`, () => saveRepository(source, to, project))
    for await (const saved of inParallel(projectsIn(to.folder, manifest), repositoriesAtOnce, saveProject)) if (saved) yield saved
    const saveOne = (id: number) => save(`wiki ${id}`, () => saveWiki(source, to, id))
    for await (const saved of inParallel(wikisIn(to.folder, manifest), repositoriesAtOnce, saveOne)) if (saved) yield saved
  }
  return writeLines(join(to.folder, repositoryList), lines())
}

/** Files of the data folder that can't be recreated: the keys by which clients recognize the server, settings, first secrets. */
async function ownFiles(home: string): Promise<string[]> {
  const there = await readdir(home)
  const keys = await readdir(join(home, 'ssh')).catch(() => [])
  return [
    ...['gitstead.env', 'root-secrets', 'secret-key'].filter((name) => there.includes(name)),
    ...keys.filter((name) => /^ssh_host_\w+_key(\.pub)?$/.test(name)).map((name) => join('ssh', name)),
  ]
}
