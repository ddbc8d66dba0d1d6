/** Bare repositories on disk, found by a number and nothing a user chose. */
import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from './command.ts'
import { type Memory, memory } from './memory.ts'
import { type ObjectPool, objectPool } from './objects.ts'
import { type CaptureOptions, capture, type Spawn, spawner } from './run.ts'

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
  /** Whether the storage can be written: part of readiness. */
  probe: () => Promise<void>
  close: () => void
}

/**
 * The configuration of every command, and the only one.
 * Automatic housekeeping is off: it is done by need, by jobs. Objects and refs are on disk before a push is acknowledged.
 */
const gitConfig = (hooks: string) => `[core]
	hooksPath = ${hooks}
	fsync = objects,derived-metadata,reference
	bigFileThreshold = 50m
	useReplaceRefs = false
	logAllRefUpdates = false
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
	unpackLimit = 100
[transfer]
	fsckObjects = true
[fsck]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
[receive "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
[safe]
	directory = *
[init]
	defaultBranch = main
`

/**
 * Both hooks hand what git tells them to the server that started receive-pack, by pipe 3, and wait for its word on
 * pipe 4: `ok`, or lines that the pusher sees, ended by a dot.
 */
const hook = `#!/bin/sh
{
  echo "\${0##*/} \${GIT_OBJECT_DIRECTORY:-}"
  while read -r line; do printf '%s\\n' "$line"; done
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

/** @param home the data folder; repositories, hooks and git's configuration are kept below it */
export async function openGit(home: string, onSpawn?: (args: string[]) => void): Promise<Git> {
  const hooks = join(home, 'git', 'hooks')
  const configFile = join(home, 'git', 'config')
  const root = join(home, 'repositories')
  await mkdir(hooks, { recursive: true })
  await mkdir(root, { recursive: true })
  await replaceFile(configFile, gitConfig(hooks), 0o644)
  for (const name of ['pre-receive', 'post-receive']) await replaceFile(join(hooks, name), hook, 0o755)

  const start = spawner(configFile, onSpawn)
  const objects = objectPool(start)
  const git: Git = {
    open: (id) => ({ dir: join(root, hashedPath(id)), git }),
    start,
    objects,
    known: memory(known_bytes),
    async probe() {
      const file = join(root, '.probe')
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

/** Creates the bare repository. Safe to repeat. */
export async function createRepository(repo: Repo, defaultBranch: string): Promise<void> {
  await mkdir(repo.dir, { recursive: true })
  await run(repo, command`init --quiet --bare --template= --initial-branch=${defaultBranch} ${repo.dir}`)
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
