/** Finds the README of a repository. */
import { Failure } from '../../failure.ts'
import { openTree, readCommit } from '../objects/read.ts'
import { resolveCommit } from '../refs/resolve.ts'
import type { Repo } from '../repository/repository.ts'

/** Every push looks for it: larger folders would take seconds. */
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

/** No push may fail because of it: the refs have moved already. */
function nullIfTooLarge(error: unknown): null {
  if (error instanceof Failure && error.code === 'too_large') return null
  throw error
}
