/**
 * Copies the branches and tags of one repository of ours into an empty one, for forks.
 *
 * A fork has objects of its own, whole without its source: shared alternates would show one what only the other may see, and break one when the
 * other is deleted or repacked. Where both are equally visible, packs are linked first, which only saves work: whatever goes wrong costs space
 * alone.
 */
import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { packsIn } from '../objects/quarantine.ts'
import { extraConfig } from '../process/extra-config.ts'
import { type Repo, run } from '../repository/repository.ts'

/** Refs of the service itself, which have other names, are not copied. */
const refspecs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

/** Arguments of a fetch after which the repository has all the branches and tags of the other, and no others: all or none. */
export function allBranchesAndTags(from: string): string[] {
  const quietly = ['--quiet', '--no-progress', '--no-write-fetch-head', '--no-tags', '--no-auto-maintenance', '--no-recurse-submodules']
  return [...quietly, '--atomic', '--prune', '--force', '--', from, ...refspecs]
}

/**
 * Each ref would be flushed to disk by itself; twenty thousand of them take minutes. A caller that keeps the refs then packs
 * them, which flushes them all at once.
 */
export const withoutFlush: Array<[string, string]> = [['core.fsync', 'objects,derived-metadata']]

const deadline_ms = 6 * 60 * 60 * 1000

export interface CopyOptions {
  /** Whether both may have their packs in the same files on disk. */
  share: boolean
  signal?: AbortSignal | undefined
}

/**
 * Brings the branches and tags of `source` into a repository that has none. Safe to repeat. Where files are shared, each
 * repository still has all it needs under names of its own: removing or repacking in one doesn't change the other.
 */
export async function copyRepository(source: Repo, target: Repo, { share, signal }: CopyOptions): Promise<void> {
  if (share) await linkPacks(source, target)
  // Git brings whatever is missing, which after linking is little or nothing, and checks that nothing is.
  const settings: Array<[string, string]> = [...withoutFlush, ['protocol.file.allow', 'always'], ['fetch.fsckObjects', 'false']]
  await run(target, ['fetch', ...allBranchesAndTags(source.dir)], { env: extraConfig(settings), low_priority: true, deadline_ms, signal })
}

/**
 * Packs never change once they have their name. One that can't be linked, because the source is just being packed anew or
 * lies on another disk, is left to the fetch; so are those of objects that nothing reaches.
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

/** A pack that an interrupted copy linked is there already. */
async function linkOnce(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
