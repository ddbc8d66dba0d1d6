/** What is said of commits wherever they are named. */
import { notFound } from '../../../failure.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'

/** The id of the commit that a branch, a tag or an id names. Throws `404 Commit Not Found`. */
export async function commitNamed(repo: Repo, sha: string): Promise<string> {
  const oid = await resolveCommit(repo, sha)
  if (!oid) throw notFound('Commit')
  return oid
}

const longTitle_chars = 100
const cutTitle_chars = 80

/** The first line; a long one is cut at a space. */
export function titleOf(message: string): string {
  if (message.trim() === '') return '--no commit message'
  const line = message.split(/[\r\n]/, 1)[0] ?? ''
  // No more of it than decides: somebody may push a line of any length.
  const characters = [...line.slice(0, 2 * longTitle_chars)]
  if (characters.length < longTitle_chars) return line
  const space = characters.lastIndexOf(' ', cutTitle_chars)
  return `${characters.slice(0, space > 0 ? space : cutTitle_chars).join('')}…`
}
