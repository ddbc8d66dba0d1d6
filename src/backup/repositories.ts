/** Copies repositories into a generation, with their refs as of the snapshot; files that the previous generation has are linked. */
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { alone, isUnderWay } from '../git/maintenance/housekeeping.ts'
import { bareConfig, type Repo } from '../git/repository/repository.ts'
import { listObjectFiles, makeRepositoryFolders, missingObjects, packedRefs, readRefState } from '../git/transfer/copy.ts'
import { copyFile, type FileSum, sizeOf, tryLink, writeText } from './files.ts'
import type { Progress } from './progress.ts'
import { refsAtSnapshot, type SnapshotMarks, type TipsOf } from './refs.ts'
import type { CopyOnce } from './shared-packs.ts'
import { type RepositoryOwner, repositoryIn, type Source } from './source.ts'
import type { SavedProject } from './tables.ts'

export const repositoryList = 'lists/repositories.ndjson.gz'

/** A line of the list of repositories. */
export interface SavedRepository extends RepositoryOwner {
  default_branch: string | null
  /** Set if the project had no repository yet; it is created when it is needed. */
  absent?: true
  refs: number
  /** Number of object files and packs, and their bytes. */
  files: number
  bytes: number
  /** Checksums of the other files, by name. */
  sums: Record<string, FileSum>
}

export interface Generation {
  /** The folder of the new generation. */
  folder: string
  /** The previous generation, whose files may be shared. */
  previous: string | null
  marks: SnapshotMarks
  /** For projects that were deleted since the snapshot. */
  tipsOf: TipsOf
  progress: Progress
  signal: AbortSignal
  copyOnce: CopyOnce
}

/** Throws the error that prevents this repository from being saved. */
export async function saveRepository(source: Source, to: Generation, project: SavedProject): Promise<SavedRepository> {
  const saved: SavedRepository = { project_id: project.id, default_branch: project.default_branch, refs: 0, files: 0, bytes: 0, sums: {} }
  const from = repositoryIn(source.git, source.home, saved)
  // A repository that is still to be filled is filled again by the job in the snapshot, but only if it is empty.
  const isUnfilled = project.default_branch === null && /^(scheduled|started)$/.test(project.import_status)
  if (!(await stat(from.dir).catch(() => null))) {
    if (project.default_branch !== null) throw new Error('the repository is missing')
    return { ...saved, absent: true }
  }
  const dir = repositoryIn(source.git, to.folder, saved).dir
  await makeRepositoryFolders(dir)
  const state = await refsAtSnapshot(source.db, from, project, to.marks, to.tipsOf)
  if (isUnfilled) state.refs.clear()
  else await whileNotRepacked(from, () => copyObjects(from, dir, to, saved))
  const head = project.default_branch === null ? state.head : `refs/heads/${project.default_branch}`
  await writeRest(from, dir, { HEAD: headText(head), 'packed-refs': packedRefs(state.refs) }, saved)
  for (const [ref, target] of isUnfilled ? [] : state.symbolic) saved.sums[ref] = await writeText(join(dir, ref), headText(target))
  const missing = await missingObjects({ ...from, dir }, state.refs.values())
  if (missing.length > 0) throw new Error(`${missing.length} refs lead to objects that are missing, ${missing[0]} is one`)
  return { ...saved, refs: state.refs.size }
}

/** The repository of a wiki, with its current refs, as no row of the snapshot refers to them. */
export async function saveWiki(source: Source, to: Generation, wiki_id: number): Promise<SavedRepository> {
  const saved: SavedRepository = { project_id: 0, wiki_id, default_branch: null, refs: 0, files: 0, bytes: 0, sums: {} }
  const from = repositoryIn(source.git, source.home, saved)
  // It is created again when it is first needed.
  if (!(await stat(from.dir).catch(() => null))) return { ...saved, absent: true }
  const dir = repositoryIn(source.git, to.folder, saved).dir
  await makeRepositoryFolders(dir)
  const state = await readRefState(from)
  await whileNotRepacked(from, () => copyObjects(from, dir, to, saved))
  await writeRest(from, dir, { HEAD: headText(state.head), 'packed-refs': packedRefs(state.refs) }, saved)
  for (const [ref, target] of state.symbolic) saved.sums[ref] = await writeText(join(dir, ref), headText(target))
  const missing = await missingObjects({ ...from, dir }, state.refs.values())
  if (missing.length > 0) throw new Error(`${missing.length} refs lead to objects that are missing, ${missing[0]} is one`)
  return { ...saved, refs: state.refs.size }
}

const headText = (head: string): string => (/^[0-9a-f]{40}$/.test(head) ? `${head}\n` : `ref: ${head}\n`)

async function writeRest(from: Repo, dir: string, files: Record<string, string>, saved: SavedRepository): Promise<void> {
  for (const [name, text] of Object.entries({ ...files, config: bareConfig })) saved.sums[name] = await writeText(join(dir, name), text)
  // Records when it was last packed.
  const notes = '.housekeeping'
  if ((await sizeOf(join(from.dir, notes))) !== null) await copyFile(join(from.dir, notes), join(dir, notes))
}

const lookAgain_ms = 250
const maxTries = 40

/**
 * Housekeeping replaces packs. It is blocked if it hasn't begun; a repack of hours isn't waited for: `copyObjects` then repeats until it
 * finds nothing new.
 */
async function whileNotRepacked(repo: Repo, work: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    let isDone = false
    await alone(repo, async () => {
      await work()
      isDone = true
    })
    if (isDone) return
    if (!(await isUnderWay(repo))) break
    await setTimeout(lookAgain_ms)
  }
  await work()
}

async function copyObjects(from: Repo, dir: string, to: Generation, saved: SavedRepository): Promise<void> {
  const previous = to.previous && repositoryIn(from.git, to.previous, saved).dir
  const done = new Set<string>()
  for (;;) {
    const fresh = (await listObjectFiles(from)).filter((name) => !done.has(name))
    if (fresh.length === 0) break
    for (const name of fresh) {
      to.signal.throwIfAborted()
      const bytes = await copyObjectFile(join(from.dir, name), join(dir, name), previous && join(previous, name), to)
      if (bytes === null) continue
      done.add(name)
      saved.bytes += bytes
      saved.files += 1
    }
  }
  // If a pack vanished meanwhile, its replacement exists; a part of a pack is useless.
  for (const name of done) {
    const other = name.endsWith('.pack') ? name.replace(/pack$/, 'idx') : name.replace(/\.(idx|rev|mtimes)$/, '.pack')
    if (done.has(other)) continue
    saved.bytes -= (await sizeOf(join(dir, name))) ?? 0
    saved.files -= 1
    await rm(join(dir, name))
  }
}

/** The size of the file in bytes; null if it vanished. */
async function copyObjectFile(
  from: string,
  to: string,
  previous: string | null,
  { progress, copyOnce }: Generation,
): Promise<number | null> {
  const found = await stat(from).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? null : Promise.reject(error)))
  if (!found) return null
  const { size } = found
  await mkdir(dirname(to), { recursive: true })
  return copyOnce({ from, to, found }, async (other) => {
    const isLinked =
      (previous !== null && (await isSame(from, previous, size)) && (await tryLink(previous, to))) ||
      (other !== null && (await tryLink(other, to)))
    if (isLinked) progress.linked_bytes += size
    else {
      const isThere = await copyFile(from, to, 0o400).then(
        () => true,
        (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' && error.path === from ? false : Promise.reject(error)),
      )
      if (!isThere) return null
      progress.copied_bytes += size
    }
    return size
  })
}

const trailer_bytes = 20

/** Files with the same name have the same content if they are complete: packs end with a checksum of their content. */
async function isSame(one: string, other: string, size: number): Promise<boolean> {
  // Only `.mtimes` files, the times of unreachable objects, change under the same name.
  if (one.endsWith('.mtimes') || (await sizeOf(other)) !== size) return false
  if (!/\.(pack|idx|rev)$/.test(one)) return true
  const [a, b] = await Promise.all([one, other].map((path) => lastBytes(path, size)))
  return a?.equals(b as Buffer) ?? false
}

async function lastBytes(path: string, size: number): Promise<Buffer | null> {
  const file = await open(path).catch(() => null)
  if (!file) return null
  try {
    const bytes = Buffer.alloc(trailer_bytes)
    await file.read(bytes, 0, trailer_bytes, Math.max(0, size - trailer_bytes))
    return bytes
  } finally {
    await file.close()
  }
}
