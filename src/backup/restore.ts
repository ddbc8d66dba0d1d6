/** Restores a generation to an empty data folder and an empty database. The database comes last, in one transaction. */
import { chown, lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Transaction } from 'kysely'
import { restoring } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { isEmptyDatabase, loadDatabase } from '../db/load.ts'
import { migrationsNamed } from '../db/migrate.ts'
import type { Tables } from '../db/tables.ts'
import { createFoldersDurably, syncFolder } from '../durable.ts'
import { StartRefused } from '../failure.ts'
import type { Git } from '../git/repository/repository.ts'
import { listObjectFiles, makeRepositoryFolders, packRefs } from '../git/transfer/copy.ts'
import { withChecksum } from '../store/checksum.ts'
import { requireKey } from '../store/keys.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { openStore } from '../store/store.ts'
import { copyFile, flushFolders, forEachOf, openPlain, readLines, readPlain, readPlainText, sizeOf, sumFile, tryLink } from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { objectList, objectPath, referringTables, requireSame, type SavedObject, wordsOf } from './objects.ts'
import type { Progress } from './progress.ts'
import { repositoryList, type SavedRepository } from './repositories.ts'
import { type CopyOnce, copyingOnce } from './shared-packs.ts'
import { databaseLocation, openOwnGit, ownerName, repositoryIn } from './source.ts'
import { rowsIn } from './tables.ts'
import { requirePlainRepository } from './trust.ts'
import { verifyGeneration } from './verify.ts'

export interface RestoreOptions {
  /** Verifies the whole generation first, and restores nothing if something is wrong. */
  verify: boolean
  progress: Progress
  signal: AbortSignal
}

/** Throws StartRefused if something exists already, or the generation isn't complete. Returns the settings that were used. */
export async function restoreFrom(env: NodeJS.ProcessEnv, folder: string, options: RestoreOptions): Promise<Config> {
  const manifest = await readManifest(folder)
  migrationsNamed(manifest.migrations)
  const config = await configFor(env, folder)
  const { home } = config
  await createFoldersDurably(home, 0o700)
  const before = await requireEmpty(config)
  options.progress.phase = 'verifying'
  if (options.verify) await verifyGeneration(folder, options.progress)
  else await requireSums(folder, manifest)
  if (options.progress.faults.length > 0) throw new StartRefused(`${folder} is damaged; nothing was restored`)
  await writeFile(join(home, restoring), '', { mode: 0o600, flush: true })
  await syncFolder(home)
  try {
    await fill(config, folder, manifest, options)
  } catch (error) {
    // Restores the initial state, so that it can be tried again.
    for (const name of await readdir(home)) if (!before.includes(name)) await rm(join(home, name), { recursive: true, force: true })
    throw error
  }
  await giveToOwner(home)
  await rm(join(home, restoring))
  await syncFolder(home)
  return config
}

async function fill(config: Config, folder: string, manifest: Manifest, options: RestoreOptions): Promise<void> {
  const { progress } = options
  const { git, close } = await openOwnGit()
  const store = await openStore({ home: config.home, bucket: config.s3 })
  try {
    progress.phase = 'keys and settings'
    await restoreOwnFiles(folder, manifest, config.home)
    progress.phase = 'objects'
    for (const table of referringTables(manifest)) await restoreObjects(store, folder, table, options)
    progress.phase = 'repositories'
    await restoreRepositories(git, folder, config.home, options)
  } finally {
    store.close()
    await close()
  }
  progress.phase = 'database'
  const db = openDatabase(databaseLocation(config))
  try {
    const rows = (table: { name: string }) => counted(rowsIn(folder, table), progress)
    await loadDatabase(db, { ...manifest, rows }, (tx) => disown(tx, manifest))
  } finally {
    await db.destroy()
  }
}

/** The settings as for the server; those of the backup if the data folder has none. */
async function configFor(env: NodeJS.ProcessEnv, folder: string): Promise<Config> {
  const { home } = readConfig(env)
  if ((await sizeOf(join(home, 'gitstead.env'))) !== null) return readConfig(env)
  const { GITSTEAD_HOME: _, ...saved } = parseEnv(await readPlainText(join(folder, 'home', 'gitstead.env')).catch(() => ''))
  const given = Object.entries(env).filter(([, value]) => value)
  return readConfig({ ...saved, ...Object.fromEntries(given) })
}

/** Entries that a data folder may have before a restore. */
const allowed = ['gitstead.env', 'lost+found']

/** Returns such entries, which are kept. */
async function requireEmpty({ home, database_url }: Config): Promise<string[]> {
  const there = await readdir(home)
  if (there.includes(restoring)) throw new StartRefused(`${home} has part of a restore that did not end; empty it first`)
  const other = there.find((name) => !allowed.includes(name))
  if (other !== undefined)
    throw new StartRefused(`the data folder ${home} is not empty (it has ${other}); a backup is restored to an empty one`)
  // The file of an embedded database is part of the folder.
  if (database_url === null) return there
  const db = openDatabase(database_url)
  try {
    if (await isEmptyDatabase(db)) return there
  } finally {
    await db.destroy()
  }
  throw new StartRefused('the database that GITSTEAD_DATABASE_URL names is not empty; a backup is restored to an empty one')
}

/** Verifies the small files, on which all other checks depend. */
async function requireSums(folder: string, { files }: Manifest): Promise<void> {
  for (const [name, expected] of Object.entries(files)) {
    await sumFile(join(folder, name))
      .then((sum) => requireSame(sum, expected))
      .catch((error) => {
        throw new StartRefused(`${join(folder, name)} is damaged: ${wordsOf(error)}`)
      })
  }
}

async function restoreOwnFiles(folder: string, { files }: Manifest, home: string): Promise<void> {
  for (const name of Object.keys(files).filter((path) => path.startsWith('home/'))) {
    const path = join(home, name.slice('home/'.length))
    if ((await sizeOf(path)) !== null) continue
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await copyFile(join(folder, name), path, 0o600, openPlain)
    await syncFolder(dirname(path))
  }
}

const atOnce = 4

async function restoreObjects(store: ObjectStore, folder: string, table: string, { progress, signal }: RestoreOptions): Promise<void> {
  await forEachOf(readLines<SavedObject>(join(folder, objectList(table))), atOnce, async ({ key, size, sha256 }) => {
    signal.throwIfAborted()
    if (size === undefined || sha256 === undefined) return progress.warn(`object ${key} was missing when the backup was made`)
    try {
      await store.put(key, withChecksum(await readPlain(join(folder, objectPath(requireKey(key)))), { size, sha256 }), size)
    } catch (error) {
      throw new StartRefused(`object ${key} cannot be restored: ${wordsOf(error)}`, { cause: error })
    }
    progress.objects += 1
    progress.copied_bytes += size
  })
}

async function restoreRepositories(git: Git, folder: string, home: string, { progress, signal }: RestoreOptions): Promise<void> {
  const copyOnce = copyingOnce()
  await forEachOf(readLines<SavedRepository>(join(folder, repositoryList)), atOnce, async (saved) => {
    signal.throwIfAborted()
    requirePlainRepository(saved)
    if (saved.absent) return
    const [from, to] = [repositoryIn(git, folder, saved), repositoryIn(git, home, saved)]
    await makeRepositoryFolders(to.dir)
    for (const [name, expected] of Object.entries(saved.sums)) {
      await mkdir(dirname(join(to.dir, name)), { recursive: true })
      await copyFile(join(from.dir, name), join(to.dir, name), 0o600, openPlain)
      requireSame(await sumFile(join(to.dir, name)), expected)
    }
    const files = await listObjectFiles(from)
    if (files.length !== saved.files) throw new StartRefused(`the repository of ${ownerName(saved)} lacks files of objects in ${folder}`)
    for (const name of files) progress.copied_bytes += await restoreObjectFile(join(from.dir, name), join(to.dir, name), copyOnce)
    const notes = '.housekeeping'
    if ((await sizeOf(join(from.dir, notes))) !== null) await copyFile(join(from.dir, notes), join(to.dir, notes), 0o600, openPlain)
    if (saved.refs > 0) await packRefs(to)
    progress.repositories += 1
  })
  if ((await sizeOf(join(home, 'repositories'))) !== null) await flushFolders(join(home, 'repositories'))
}

/** Returns the number of copied bytes. */
async function restoreObjectFile(from: string, to: string, copyOnce: CopyOnce): Promise<number> {
  await mkdir(dirname(to), { recursive: true })
  const copied = await copyOnce({ from, to, found: await stat(from) }, async (other) =>
    other !== null && (await tryLink(other, to)) ? 0 : copyFile(from, to, 0o444, openPlain),
  )
  return copied ?? 0
}

async function* counted<T>(batches: AsyncIterable<T[]>, progress: Progress): AsyncGenerator<T[]> {
  for await (const batch of batches) {
    progress.rows += batch.length
    yield batch
  }
}

/** A process that doesn't exist on this machine: pushes in progress during the backup are settled at the first start. */
const nobody = `${hostname()} 4194305 restored`

async function disown(tx: Transaction<Tables>, { tables }: Manifest): Promise<void> {
  await tx.updateTable('push_intents').set({ process: nobody }).execute()
  const jobs = tables.find(({ name }) => name === 'jobs')
  if (!jobs?.columns.includes('owner')) return
  const owned = tx.updateTable('jobs' as never).set({ owner: nobody } as never)
  await owned.where('owner' as never, 'is not', null).execute()
}

/** If run by root: the owner of the data folder gets everything in it. */
async function giveToOwner(home: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(home)
  if (uid !== 0) await giveAll(home, uid, gid)
}

async function giveAll(folder: string, uid: number, gid: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await giveAll(path, uid, gid)
    if ((await lstat(path)).uid !== uid) await chown(path, uid, gid)
  }
}
