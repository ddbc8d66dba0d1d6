/** Verifies a generation: the checksum of every file, everything that refs lead to, and every object that a row refers to. */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { objectFileFault } from '../git/objects/integrity.ts'
import type { Git } from '../git/repository/repository.ts'
import { connectivityFaults, listObjectFiles } from '../git/transfer/copy.ts'
import { forEachOf, readLines, sizeOf, sumFile } from './files.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { objectList, objectPath, referencesIn, referringTables, requireSame, type SavedObject, wordsOf } from './objects.ts'
import type { Progress } from './progress.ts'
import { compareWithEvents } from './pushed.ts'
import { repositoryList, type SavedRepository } from './repositories.ts'
import { openOwnGit, ownerName, repositoryIn } from './source.ts'
import { requirePlainRepository } from './trust.ts'

/** Each fault is reported to `progress`. Throws StartRefused if there is no trustworthy manifest. */
export async function verifyGeneration(folder: string, progress: Progress): Promise<Manifest> {
  const manifest = await readManifest(folder)
  const { git, close } = await openOwnGit()
  try {
    for (const fault of manifest.faults) if (!progress.faults.includes(fault)) progress.fault(fault)
    progress.phase = 'verifying files'
    const damaged = await verifyFiles(folder, manifest, progress)
    // A damaged list proves nothing about the rest.
    const isWhole = (...names: string[]) => names.every((name) => !damaged.has(name))
    progress.phase = 'verifying repositories'
    if (isWhole(repositoryList)) await verifyRepositories(git, folder, manifest, progress)
    if (isWhole(repositoryList, 'database/events.ndjson.gz', 'database/push_intents.ndjson.gz')) {
      await compareWithEvents(git, folder, manifest, progress)
    }
    progress.phase = 'verifying objects'
    for (const table of referringTables(manifest)) {
      if (isWhole(objectList(table), `database/${table}.ndjson.gz`)) await verifyObjects(folder, manifest, table, progress)
    }
    return manifest
  } finally {
    await close()
  }
}

/** Returns the names of files that have changed. */
async function verifyFiles(folder: string, manifest: Manifest, progress: Progress): Promise<Set<string>> {
  const damaged = new Set<string>()
  for (const [name, expected] of Object.entries(manifest.files)) {
    const fault = await faultOf(async () => requireSame(await sumFile(join(folder, name)), expected))
    progress.checked_bytes += expected.size
    if (fault === null) continue
    damaged.add(name)
    progress.fault(`${name}: ${fault}`)
  }
  return damaged
}

/** The message of a thrown error; null if there was none. */
async function faultOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await check()
    return null
  } catch (error) {
    return (error as { code?: string }).code === 'ENOENT' ? 'it is missing' : wordsOf(error)
  }
}

const atOnce = 2
const maxLines = 10

async function verifyRepositories(git: Git, folder: string, manifest: Manifest, progress: Progress): Promise<void> {
  let seen = 0
  await forEachOf(readLines<SavedRepository>(join(folder, repositoryList)), atOnce, async (saved) => {
    seen += 1
    requirePlainRepository(saved)
    if (saved.absent) return
    const faults = await repositoryFaults(git, folder, saved)
    progress.checked_bytes += saved.bytes
    for (const fault of faults.slice(0, maxLines)) progress.fault(`repository of ${ownerName(saved)}: ${fault}`)
    if (faults.length > maxLines) progress.fault(`repository of ${ownerName(saved)}: and ${faults.length - maxLines} more`)
  })
  const rowsOf = (table: string) => manifest.tables.find(({ name }) => name === table)?.rows ?? 0
  const [projects, wikis] = [rowsOf('projects'), rowsOf('wikis')]
  const missing = manifest.faults.filter((fault) => fault.startsWith('repository ')).length
  if (seen + missing !== projects + wikis) progress.fault(`there are ${seen} repositories for ${projects} projects and ${wikis} wikis`)
}

const notPlain = 'is no plain file'

async function objectFault(path: string): Promise<string | null> {
  const found = await lstat(path).catch(() => null)
  return found && !found.isFile() ? notPlain : objectFileFault(path).catch(wordsOf)
}

const knownNames = new Set(['HEAD', 'packed-refs', 'config', '.housekeeping', 'refs', 'objects'])

async function repositoryFaults(git: Git, folder: string, saved: SavedRepository): Promise<string[]> {
  const repo = repositoryIn(git, folder, saved)
  const faults: string[] = []
  /** Git would apply settings in the folders it examines, and read pipes to their end. */
  let isTrusted = true
  for (const [name, expected] of Object.entries(saved.sums)) {
    const fault = await faultOf(async () => requireSame(await sumFile(join(repo.dir, name)), expected))
    if (fault !== null) faults.push(`${name}: ${fault}`)
  }
  const files = await listObjectFiles(repo).catch(() => [])
  let bytes = 0
  for (const name of files) {
    bytes += (await sizeOf(join(repo.dir, name))) ?? 0
    const fault = await objectFault(join(repo.dir, name))
    if (fault === notPlain) isTrusted = false
    if (fault !== null) faults.push(`${name} ${fault}`)
  }
  if (files.length !== saved.files || bytes !== saved.bytes) {
    faults.push(`there are ${files.length} files of objects with ${bytes} bytes instead of ${saved.files} with ${saved.bytes}`)
  }
  const strange = (await readdir(repo.dir).catch(() => [])).filter((name) => !knownNames.has(name))
  for (const name of strange) faults.push(`${name} is no file of a backup`)
  if (strange.length > 0 || faults.some((fault) => fault.startsWith('config: '))) isTrusted = false
  // Without a repository, git would report the same error many times.
  return saved.refs > 0 && isTrusted && faults.length < maxLines
    ? [...faults, ...(await connectivityFaults(repo).catch((error) => [wordsOf(error)]))]
    : faults
}

/** The list contains the objects in the order of the rows that refer to them. */
async function verifyObjects(folder: string, manifest: Manifest, table: string, progress: Progress): Promise<void> {
  const list = readLines<SavedObject>(join(folder, objectList(table)))
  for await (const { key, ...reference } of referencesIn(folder, manifest, table)) {
    const { value: saved } = await list.next()
    const fault = await faultOf(async () => {
      if (saved?.key !== key) throw new Error('the list of objects lacks it')
      if (saved.size === undefined) throw new Error('it was missing when the backup was made')
      const sum = await sumFile(join(folder, objectPath(key)))
      progress.checked_bytes += sum.size
      requireSame(sum, saved)
      requireSame(sum, reference)
    })
    if (fault !== null && !progress.faults.some((line) => line.startsWith(`object ${key}:`))) progress.fault(`object ${key}: ${fault}`)
  }
  await list.return(undefined)
}
