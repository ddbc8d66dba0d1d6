/** Which file of a repository introduces it. */
import { Failure } from '../../failure.ts'
import { openTree, readCommit } from '../objects/read.ts'
import { resolveCommit } from '../refs/resolve.ts'
import type { Repo } from '../repository/repository.ts'

/** Each push looks: beyond this folders are no place for readers, and would take seconds. */
const maxEntries = 50_000

/** The path of the README at the tip of HEAD; null where there is none, or too much beside it. */
export async function findReadme(repo: Repo): Promise<string | null> {
  const head = await resolveCommit(repo, 'HEAD')
  if (!head) return null
  const tree = await openTree(repo, (await readCommit(repo, head)).tree).catch(nullIfTooLarge)
  if (!tree || tree.length > maxEntries) return null
  for (let index = 0; index < tree.length; index += 1) {
    const { type, name } = tree.entry(index)
    if (type === 'blob' && /^readme(\.\w+)?$/i.test(name)) return name
  }
  return null
}

/** No push may fail of it: its refs have moved, and each one after it would fail as well. */
function nullIfTooLarge(error: unknown): null {
  if (error instanceof Failure && error.code === 'too_large') return null
  throw error
}
