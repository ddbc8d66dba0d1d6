/** Updates of refs: all or none, and each only from its expected value. */

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

/** Whether a change removes its ref. */
export function isDeletion({ after }: RefChange): boolean {
  return /^0+$/.test(after)
}

/** Whether a change makes its ref. */
export function isCreation({ before }: RefChange): boolean {
  return /^0+$/.test(before)
}

/** The branch a ref is, without `refs/heads/`; null when it is none. */
export function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
}

/** The tag a ref is, without `refs/tags/`; null when it is none. */
export function tagOf(ref: string): string | null {
  return ref.startsWith('refs/tags/') ? ref.slice('refs/tags/'.length) : null
}

const deadline_ms = 60_000

/** How many folders are flushed at once. */
const atOnce = 8

/**
 * Flushes the names of refs that have moved: git flushes what a ref holds, and not the folder it stands in. `refs/heads` and
 * `refs/tags` are as old as the repository.
 */
export async function flushRefs({ dir }: Repo, changes: RefChange[]): Promise<void> {
  const folders = new Set<string>()
  for (const change of changes) {
    // Deleted refs may have stood in the file of packed refs.
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
 * Updates all refs or none, in one process, and flushes them. Throws `ref_moved`, without any change, if one is not at `before`, or
 * can't exist beside another (`a` and `a/b`).
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
