/** Bare repositories on disk, named after ids and never by users, and the handles on them that all of git/ works with. */

import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { createFolders, createFoldersDurably, syncFolder, syncTree } from '../../durable.ts'
import { isStorageFull, storageFull } from '../../failure.ts'
import { type CloneCache, type OnFailure, openCloneCache } from '../clone-cache/clone-cache.ts'
import { type CaptureOptions, capture } from '../process/capture.ts'
import { type ObjectPool, objectPool } from '../process/cat-file-pool.ts'
import { command } from '../process/command.ts'
import { writeConfiguration } from '../process/configuration.ts'
import { forkServer } from '../process/fork-server-client.ts'
import { isMemoryLimited, requireGitOnce } from '../process/git-program.ts'
import { type Limiter, limiter } from '../process/limiter.ts'
import { type StartProgram, startDirectly } from '../process/program.ts'
import { type GitChild, type GitKill, type RunOptions, type Spawn, spawner } from '../process/run.ts'
import { type ObjectCache, objectCache } from './object-cache.ts'
import type { RefReads } from './ref-reads.ts'

/** A handle on a bare repository, which may not exist yet. */
export interface Repo {
  readonly dir: string
  readonly git: Git
  /** The key by which costly commands are limited per caller; absent for the server itself. */
  readonly caller?: string
  /** Kills the commands of this handle when the client leaves. Absent if commands run to their end. */
  readonly signal?: AbortSignal | undefined
  /** Whether the reader sees the refs of merge requests. Absent for the server itself, which resolves no such names for users. */
  readonly showsMergeRequests?: boolean
  /** Records the refs that are read, for answers that are kept until one of them moves. */
  readonly reads?: RefReads
}

export interface Git {
  /** The handle of repository `id`, whether or not it exists. */
  open: (id: number) => Repo
  /** The handle of the wiki repository `id`, whether or not it exists. */
  openWiki: (id: number) => Repo
  start: Spawn
  objects: ObjectPool
  cache: ObjectCache
  /** Limiter of commands that take much processor time: compare, blame, count, branches that contain a commit. */
  costly: Limiter
  /** Whether the file system of the repositories ignores case, so that `main` and `MAIN` are one name. */
  ignoresCase: boolean
  /** Whether this machine enforces the memory limit of git processes. */
  isMemoryLimited: () => Promise<boolean>
  clones: CloneCache
  /** Whether a ref file changed at this time (milliseconds since the epoch) may change again without a visible change of its times. */
  isFresh: (changed_ms: number) => boolean
  /** Checks that the storage is writable; a part of readiness. */
  probe: () => Promise<void>
  close: () => void
}

/** Ref files changed within this time are read again each time, as file times are too coarse to show a second change. */
const fresh_ms = 50
const known_bytes = 32 * 1024 * 1024
const maxHandles = 2_000
const maxReaders = 100

export interface GitOptions {
  /** Called with the arguments of every started process. */
  onSpawn?: (args: string[]) => void
  onKill?: (kill: GitKill) => void
  onFailure?: OnFailure
  /** Private memory that each git process may have, in bytes; null for no ceiling. */
  memory_bytes?: number | null
  /** Number of server processes that share the limits of this machine. */
  processes?: number
  /** Whether another process of this server has already written the configuration and the hooks. */
  isPrepared?: boolean
  /** For a program that only reads: no file is written to detect whether the file system ignores case. */
  isReadOnly?: boolean
  /** Whether a fork server starts git, which pays off for a process that grows large. */
  by_fork_server?: boolean
  /** For tests that count processes. */
  isFresh?: Git['isFresh']
  /** For tests that count processes. */
  reader_idle_ms?: number
}

const defaultMemory_bytes = 1024 ** 3

/** @param home the data folder, which contains repositories, hooks and git's configuration */
export async function openGit(home: string, options: GitOptions = {}): Promise<Git> {
  const { memory_bytes = defaultMemory_bytes, processes = 1, isPrepared = false, isReadOnly = false, ...others } = options
  const { by_fork_server = false, onFailure, ...events } = others
  const { isFresh = (changed_ms) => Date.now() - changed_ms < fresh_ms, reader_idle_ms } = options
  const hooks = join(home, 'git', 'hooks')
  const config_file = join(home, 'git', 'config')
  const root = join(home, 'repositories')
  if (!isPrepared) {
    await requireGitOnce(spawner({ config_file }), home)
    await createFoldersDurably(hooks)
    await createFoldersDurably(root)
    await writeConfiguration(config_file, hooks)
  }
  const shareOf = (whole: number) => Math.max(1, Math.floor(whole / processes))

  const startProgram = by_fork_server ? await forkServerOr(startDirectly, onFailure) : startDirectly
  const start = spawner({ config_file, hooks, memory_bytes, startProgram, ...events })
  const objects = objectPool(start, {
    max_processes: shareOf(maxReaders),
    ...(reader_idle_ms !== undefined && { idle_ms: reader_idle_ms }),
  })
  const handles = new LRUCache<string, Repo>({ max: maxHandles, memoMethod: (name) => ({ dir: join(root, hashedName(name)), git }) })
  const git: Git = {
    open: (id) => handles.memo(String(id)),
    openWiki: (id) => handles.memo(wikiName(id)),
    start,
    objects,
    cache: objectCache(known_bytes),
    costly: limiter({ max_running: shareOf(availableParallelism()), max_waiting: shareOf(500), max_waiting_per_caller: shareOf(50) }),
    isFresh,
    ignoresCase: !isReadOnly && (await ignoresCase(root)),
    isMemoryLimited: () => isMemoryLimited(spawner({ config_file, memory_bytes }), home, memory_bytes),
    clones: openCloneCache(join(home, 'git', 'remembered'), { ...(onFailure && { onFailure }) }),
    async probe() {
      // A unique name: concurrent probes must not remove each other's file.
      const file = join(root, `.probe-${randomUUID()}`)
      await writeFile(file, '')
      await rm(file)
    },
    close: () => objects.close(),
  }
  return git
}

/** Falls back to starting programs directly, which works as well, but more slowly the larger the server is. */
async function forkServerOr(otherwise: StartProgram, onFailure: OnFailure | undefined): Promise<StartProgram> {
  const server = forkServer()
  try {
    await server.ready()
    return server.start
  } catch (error) {
    onFailure?.(error, 'no process could be started that starts git; the server starts it itself')
    return otherwise
  }
}

/** Whether a file in this folder is also found by its name in capitals. */
async function ignoresCase(folder: string): Promise<boolean> {
  const name = `.probe-${randomUUID()}`
  await writeFile(join(folder, name), '')
  try {
    return (await stat(join(folder, name.toUpperCase())).catch(() => null)) !== null
  } finally {
    await rm(join(folder, name))
  }
}

/** `ab/cd/abcd….git` from the SHA-256 of the id: names of projects may change, and no folder gets too many entries. */
export function hashedPath(id: number): string {
  return hashedName(String(id))
}

/** The hashed path of a wiki's repository. */
export function hashedWikiPath(id: number): string {
  return hashedName(wikiName(id))
}

const wikiName = (id: number) => `wiki ${id}`

function hashedName(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex')
  return join(hash.slice(0, 2), hash.slice(2, 4), `${hash}.git`)
}

/** A younger repository may not have been flushed yet by the process that created it. */
const young_ms = 60_000

/**
 * Creates the bare repository unless it exists. It appears complete or not at all, even if several processes create it at once, and is on
 * disk when this resolves.
 */
export async function createRepository(repo: Repo, defaultBranch: string): Promise<void> {
  const found = await stat(repo.dir).catch(() => null)
  if (found && Date.now() - found.birthtimeMs > young_ms) return
  try {
    if (!found) await createWhole(repo, defaultBranch)
    // The two folders above it may also be new, and not yet flushed by another process.
    const parent = dirname(repo.dir)
    await Promise.all([parent, dirname(parent), dirname(dirname(parent))].map(syncFolder))
  } catch (error) {
    throw isStorageFull(error) ? storageFull(error) : error
  }
}

async function createWhole(repo: Repo, defaultBranch: string): Promise<void> {
  await createFolders(dirname(repo.dir))
  const fresh = await mkdtemp(`${repo.dir}.new-`)
  try {
    await initRepository({ ...repo, dir: fresh }, defaultBranch)
    await syncTree(fresh)
    await rename(fresh, repo.dir)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // Another process was first: a rename can't replace a folder that isn't empty.
    if (!(await stat(repo.dir).catch(() => null))) throw error
  }
}

/** The configuration of a repository, as `git init --bare` writes it. */
export const bareConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n'

/** Folders without which git doesn't recognize a repository. */
export const repositoryFolders = ['refs/heads', 'refs/tags', 'objects/info', 'objects/pack']

/**
 * Initializes an empty repository as `git init` does, but without a process for common branch names, and without flushing. Git itself
 * judges a branch name that may be invalid.
 */
export async function initRepository(repo: Repo, defaultBranch: string): Promise<void> {
  if (!isPlainName(defaultBranch)) {
    await run(repo, command`init --quiet --bare --template= --initial-branch=${defaultBranch} ${repo.dir}`)
    return
  }
  for (const folder of repositoryFolders) await createFolders(join(repo.dir, folder))
  await writeFile(join(repo.dir, 'config'), bareConfig)
  await writeFile(join(repo.dir, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`)
}

/** Whether the branch name is so simple that git certainly accepts it. */
function isPlainName(name: string): boolean {
  return /^\w[\w-]*(?:\/\w[\w-]*)*$/.test(name)
}

/** Removes the repository from disk. Safe to repeat. */
export async function removeRepository(repo: Repo): Promise<void> {
  repo.git.objects.release(repo.dir)
  await rm(repo.dir, { recursive: true, force: true, maxRetries: 3 })
}

/** Starts a command in the repository. It is killed when the client of the handle leaves. */
export function startIn({ dir, git, signal }: Repo, args: string[], options: Omit<RunOptions, 'dir'> = {}): GitChild {
  return git.start(args, { signal, ...options, dir })
}

/** As `capture`, in the repository. */
export function captureIn({ dir, git, signal }: Repo, args: string[], options: Omit<CaptureOptions, 'dir'> = {}) {
  return capture(git.start, args, { signal, ...options, dir })
}

/** Runs a command in the repository and returns its output. Fails as `capture` does. */
export async function run(repo: Repo, args: string[], options: Omit<CaptureOptions, 'dir'> = {}): Promise<Buffer> {
  return (await captureIn(repo, args, options)).output
}

/** As `run`, for a command that needs much processor time: it waits for a slot of the limiter. Also throws as `Limiter.run` does. */
export function runCostly(repo: Repo, args: string[], options: Omit<CaptureOptions, 'dir'> = {}): Promise<Buffer> {
  return repo.git.costly.run(repo, () => run(repo, args, options))
}
