/** Bare repositories on disk, found by a number and nothing a user chose. */
import { createHash, randomUUID } from 'node:crypto'
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { StartRefused } from '../failure.ts'
import { command } from './command.ts'
import { type Memory, memory } from './memory.ts'
import { type ObjectPool, objectPool } from './objects.ts'
import { type RememberedPacks, rememberPacks } from './remembered-packs.ts'
import { type CaptureOptions, capture, type Spawn, spawner } from './run.ts'
import { type Turns, turns } from './turns.ts'

/** A handle on one bare repository, which may not exist yet. */
export interface Repo {
  readonly dir: string
  readonly git: Git
}

export interface Git {
  /** Where repository `id` is or would be. */
  open: (id: number) => Repo
  start: Spawn
  objects: ObjectPool
  known: Memory
  /** What takes a processor for long: comparing, blaming, looking for what contains a commit. */
  costly: Turns
  packs: RememberedPacks
  /** Whether the storage can be written: part of readiness. */
  probe: () => Promise<void>
  close: () => void
}

/**
 * The configuration of every command, and the only one.
 * Automatic housekeeping is off: it is done by need, by jobs. Objects and refs are on disk before a push is acknowledged:
 * each loose object costs a flush of its own, so a push of more than a few objects stays the pack it came as.
 */
const gitConfig = `[core]
	fsync = objects,derived-metadata,reference
	bigFileThreshold = 50m
	useReplaceRefs = false
	logAllRefUpdates = false
	filesRefLockTimeout = 15000
	packedRefsTimeout = 15000
[fastimport]
	unpackLimit = 20
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	windowMemory = 100m
	writeReverseIndex = true
	threads = 2
[repack]
	writeBitmaps = true
[protocol]
	version = 2
[http]
	followRedirects = false
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	advertisePushOptions = true
	autogc = false
	unpackLimit = 20
[transfer]
	fsckObjects = true
[fsck]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[receive "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[fetch]
	unpackLimit = 1
[fetch "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[tar "tar.bz2"]
	command = bzip2 -c
[safe]
	directory = *
[init]
	defaultBranch = main
`

/**
 * Both hooks hand what git tells them to the server that started receive-pack, by pipe 3, and wait for its word on
 * pipe 4: `ok`, or lines that the pusher sees, ended by a dot. What git tells is copied by `cat`: a shell reads pipes byte
 * by byte, which takes 60 ms for 2,000 refs.
 */
const hook = `#!/bin/sh
{
  echo "\${0##*/} \${GIT_OBJECT_DIRECTORY:-}"
  cat
  echo
} >&3
read -r verdict <&4 || exit 1
[ "$verdict" = ok ] && exit 0
while [ "$verdict" != . ]; do
  printf '%s\\n' "$verdict" >&2
  read -r verdict <&4 || break
done
exit 1
`

const known_bytes = 32 * 1024 * 1024
const keptHandles = 10_000
const mostReaders = 100

/** `merge-tree --write-tree` came with it. */
const oldestGit = [2, 38] as const

/** Throws StartRefused where git is missing or too old to work with. */
async function requireGit(start: Spawn, dir: string): Promise<void> {
  const needed = `Gitstead needs git ${oldestGit.join('.')} or later`
  const said = await capture(start, ['version'], { dir }).catch((cause: unknown) => {
    throw new StartRefused(`${needed}; the git program could not be run`, { cause })
  })
  const text = said.output.toString('utf8').trim()
  const [, major = 0, minor = 0] = (/^git version (\d+)\.(\d+)/.exec(text) ?? []).map(Number)
  if (major < oldestGit[0] || (major === oldestGit[0] && minor < oldestGit[1])) throw new StartRefused(`${needed}; this is ${text}`)
}

export interface GitOptions {
  /** Called with the arguments of every process that is started. */
  onSpawn?: (args: string[]) => void
  /** How many processes of the server share what this machine can do at once. */
  processes?: number
  /** Another process of this server has written the configuration and the hooks. */
  isPrepared?: boolean
}

/** @param home the data folder; repositories, hooks and git's configuration are kept below it */
export async function openGit(home: string, { onSpawn, processes = 1, isPrepared = false }: GitOptions = {}): Promise<Git> {
  const hooks = join(home, 'git', 'hooks')
  const config_file = join(home, 'git', 'config')
  const root = join(home, 'repositories')
  if (!isPrepared) {
    await requireGit(spawner({ config_file }), home)
    await mkdir(hooks, { recursive: true })
    await mkdir(root, { recursive: true })
    await replaceFile(config_file, gitConfig, 0o644)
    for (const name of ['pre-receive', 'post-receive']) await replaceFile(join(hooks, name), hook, 0o755)
  }
  const shareOf = (whole: number) => Math.max(1, Math.floor(whole / processes))

  const start = spawner({ config_file, hooks, onSpawn })
  const objects = objectPool(start, { most_processes: shareOf(mostReaders) })
  const handles = new Map<number, Repo>()
  const makeHandle = (id: number): Repo => {
    if (handles.size >= keptHandles) handles.clear()
    const repo = { dir: join(root, hashedPath(id)), git }
    handles.set(id, repo)
    return repo
  }
  const git: Git = {
    open: (id) => handles.get(id) ?? makeHandle(id),
    start,
    objects,
    known: memory(known_bytes),
    costly: turns({ at_once: shareOf(availableParallelism()), most_waiting: shareOf(200) }),
    packs: rememberPacks(join(home, 'git', 'remembered')),
    async probe() {
      // A name of its own: of two at once, in whatever process, one would find the other's gone.
      const file = join(root, `.probe-${randomUUID()}`)
      await writeFile(file, '')
      await rm(file)
    },
    close: () => objects.close(),
  }
  return git
}

/** `ab/cd/abcd….git`: the SHA-256 of the id, so that names may change and no folder grows too wide. */
export function hashedPath(id: number): string {
  const hash = createHash('sha256').update(String(id)).digest('hex')
  return join(hash.slice(0, 2), hash.slice(2, 4), `${hash}.git`)
}

/** Creates the bare repository, unless it exists. It appears whole or not at all, however many create it at once. */
export async function createRepository(repo: Repo, defaultBranch: string): Promise<void> {
  if (await exists(repo.dir)) return
  await mkdir(dirname(repo.dir), { recursive: true })
  const fresh = await mkdtemp(`${repo.dir}.new-`)
  try {
    await run({ ...repo, dir: fresh }, command`init --quiet --bare --template= --initial-branch=${defaultBranch} ${fresh}`)
    await rename(fresh, repo.dir)
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    // A folder that isn't empty can't be replaced: somebody else was first.
    if (!(await exists(repo.dir))) throw error
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Removes it from disk. Safe to repeat. */
export async function removeRepository(repo: Repo): Promise<void> {
  repo.git.objects.release(repo.dir)
  await rm(repo.dir, { recursive: true, force: true, maxRetries: 3 })
}

/** Runs a command in the repository and gives its output. Fails as `capture` does. */
export async function run(repo: Repo, args: string[], options: Omit<CaptureOptions, 'dir'> = {}): Promise<Buffer> {
  return (await capture(repo.git.start, args, { ...options, dir: repo.dir })).output
}

async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const fresh = `${file}.${process.pid}`
  await writeFile(fresh, text, { mode })
  await rename(fresh, file)
}
