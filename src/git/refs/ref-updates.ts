/** Updates refs: all or none, and each only if it has its expected value. */

import { dirname, join } from 'node:path'
import { syncFolder } from '../../durable.ts'
import { Failure } from '../../failure.ts'
import { capture } from '../process/capture.ts'
import { failureIn } from '../process/git-failure.ts'
import type { Repo } from '../repository/repository.ts'

export interface RefChange {
  /** Full name, `refs/heads/main`. */
  ref: string
  /** All zeros when the ref is created. */
  before: string
  /** All zeros when the ref is deleted. */
  after: string
}

/** Whether a change deletes its ref. */
export function isDeletion({ after }: RefChange): boolean {
  return /^0+$/.test(after)
}

/** Whether a change creates its ref. */
export function isCreation({ before }: RefChange): boolean {
  return /^0+$/.test(before)
}

/** The branch name of a ref, without `refs/heads/`; null if it is not a branch. */
export function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
}

/** The tag name of a ref, without `refs/tags/`; null if it is not a tag. */
export function tagOf(ref: string): string | null {
  return ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null
}

const deadline_ms = 60_000

/** Number of folders flushed at once. */
const atOnce = 8

/**
 * Flushes the folders of refs that have moved: git flushes the file of a ref, but not its folder. `refs/heads` and `refs/tags` exist since
 * the repository was created.
 */
export async function flushRefs({ dir }: Repo, changes: RefChange[]): Promise<void> {
  const folders = new Set<string>()
  for (const change of changes) {
    // Deleted refs may have been in the packed-refs file.
    if (isDeletion(change)) folders.add(dir)
    for (let at = dirname(change.ref); at !== '.'; at = dirname(at)) {
      folders.add(join(dir, at))
      if (at === 'refs/heads' || at === 'refs/tags') break
    }
  }
  const all = [...folders]
  for (let from = 0; from < all.length; from += atOnce) await Promise.all(all.slice(from, from + atOnce).map(syncIfThere))
}

/** Git removes folders without refs. */
async function syncIfThere(folder: string): Promise<void> {
  await syncFolder(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  })
}

/**
 * Updates all refs or none, in one process, and flushes them. Throws `ref_moved`, without any change, if one is not at `before` or can't
 * exist beside another (`a` and `a/b`).
 */
export async function moveRefs(repo: Repo, changes: RefChange[]): Promise<void> {
  const orders = changes.map(({ ref, before, after }) => `update ${ref}\0${after}\0${before}\0`)
  const args = ['update-ref', '--stdin', '-z']
  const input = `start\0${orders.join('')}prepare\0commit\0`
  const answer = await capture(repo.git.start, args, { dir: repo.dir, input, deadline_ms, accept: [1, 128] })
  if (answer.code === 0) return flushRefs(repo, changes)
  if (
    /is at .* but expected|reference already exists|unable to resolve reference|cannot create '|exists; cannot create|reference is missing but expected/.test(
      answer.stderr,
    )
  ) {
    throw new Failure('ref_moved', '400 The branch or tag was changed by somebody else meanwhile', { cause: new Error(answer.stderr) })
  }
  throw await failureIn(repo.dir, args, answer.code, answer.stderr)
}
