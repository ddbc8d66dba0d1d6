/**
 * Copies the branches and tags of one of our repositories into an empty one, for forks. A fork has objects of its own and doesn't depend on
 * its source: with shared alternates, each could read objects of the other that its readers may not see, and would break when the other is
 * deleted or repacked. If both are equally visible, packs are hard-linked first. That is only an optimization: if it fails, nothing but
 * space is lost.
 */
import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { packsIn } from '../objects/quarantine.ts'
import { extraConfig } from '../process/extra-config.ts'
import { type Repo, run } from '../repository/repository.ts'

/** Refs of the service itself have other names and are not copied. */
const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

/** Arguments of a fetch after which the repository has exactly the branches and tags of the other: all or none. */
export function allBranchesAndTags(from: string): string[] {
  const quietly = ['--quiet', '--no-progress', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance', '--no-recurse-submodules']
  return [...quietly, '--atomic', '--prune', '--force', '--', from, ...refspecs]
}

/**
 * Each ref would be flushed separately, which takes minutes for twenty thousand. A caller that keeps the refs packs them afterwards, which
 * flushes them all at once.
 */
export const withoutFlush: Array<[string, string]> = [['core.fsync', 'objects,derived-metadata']]

const deadline_ms = 6 * 60 * 60 * 1000

export interface CopyOptions {
  /** Whether both may share the files of their packs on disk. */
  share: boolean
  signal?: AbortSignal | undefined
}

/**
 * Copies the branches and tags of `source` into a repository that has none. Safe to repeat. Shared files have a name in each repository, so
 * removing or repacking one doesn't change the other.
 */
export async function copyRepository(source: Repo, target: Repo, { share, signal }: CopyOptions): Promise<void> {
  if (share) await linkPacks(source, target)
  // Git fetches what is missing, which after linking is little or nothing, and checks that it is complete.
  const settings: Array<[string, string]> = [...withoutFlush, ['protocol.file.allow', 'always'], ['fetch.fsckObjects', 'false']]
  await run(target, ['fetch', ...allBranchesAndTags(source.dir)], { env: extraConfig(settings), low_priority: true, deadline_ms, signal })
}

/**
 * Links packs, which never change once they have their name. A pack that can't be linked, because the source is being repacked or is on
 * another disk, is left to the fetch; so are cruft packs.
 */
async function linkPacks(source: Repo, target: Repo): Promise<void> {
  const from = join(source.dir, 'objects', 'pack')
  const to = join(target.dir, 'objects', 'pack')
  for (const parts of packsIn(await readdir(from))) {
    if (parts.some((name) => name.endsWith('.mtimes'))) continue
    if (!(await linkAll(parts, from, to))) for (const part of parts.reverse()) await rm(join(to, part), { force: true })
  }
}

async function linkAll(names: string[], from: string, to: string): Promise<boolean> {
  try {
    for (const name of names) await linkOnce(join(from, name), join(to, name))
    return true
  } catch {
    return false
  }
}

/** The pack is already there if an earlier copy was interrupted. */
async function linkOnce(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
