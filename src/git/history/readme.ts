/** Finds the README of a repository. */
import { Failure } from '../../failure.ts'
import { openTree, readCommit } from '../objects/read.ts'
import { resolveCommit } from '../refs/resolve.ts'
import type { Repo } from '../repository/repository.ts'

/** This runs at every push, and larger folders would take seconds. */
const maxEntries = 50_000

/** The path of the README at the tip of HEAD; null if there is none, or the folder is too large. */
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

/** This must not fail a push: its refs have already moved. */
function nullIfTooLarge(error: unknown): null {
  if (error instanceof Failure && error.code === 'too_large') return null
  throw error
}
