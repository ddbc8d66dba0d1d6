/** Which file of a repository introduces it. */
import { readCommit, readTree } from './read.ts'
import type { Repo } from './repository.ts'
import { resolveCommit } from './resolve.ts'

/** The path of the README at the tip of HEAD; null where there is none. */
export async function findReadme(repo: Repo): Promise<string | null> {
  const head = await resolveCommit(repo, 'HEAD')
  if (!head) return null
  const entries = await readTree(repo, (await readCommit(repo, head)).tree)
  return entries?.find(({ type, name }) => type === 'blob' && /^readme(\.\w+)?$/i.test(name))?.name ?? null
}
