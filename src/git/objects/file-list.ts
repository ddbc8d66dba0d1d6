/** The paths of all files of a commit, or of those that match a search. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Repo } from '../repository/repository.ts'
import { readCommit } from './read.ts'
import { walkTree } from './trees.ts'

/** Paths examined per turn of the event loop; each must be decoded. */
const atOnce = 2_000

/** The largest known repositories have a third of it. */
const maxList_chars = 16_000_000

/**
 * Up to `limit` paths. A query selects paths that contain its characters in order, ignoring case; those that contain it literally come
 * first. One process, cached; it yields to other requests meanwhile. Paths are limited in their characters, too: a deep folder repeats its
 * name in each of them.
 */
export async function listFiles(
  repo: Repo,
  commit: string,
  { query, limit, max_chars = maxList_chars }: { query: string; limit: number; max_chars?: number },
): Promise<string[]> {
  const tree = await walkTree(repo, (await readCommit(repo, commit)).tree)
  const wanted = query.toLowerCase().replace(/\s+/g, '')
  const [whole, parts]: [string[], string[]] = [[], []]
  let chars = 0
  for (let index = 0; index < tree.length && whole.length < limit && chars <= max_chars; index += 1) {
    if (index % atOnce === atOnce - 1) await turn()
    const { type, name } = tree.entry(index)
    if (type !== 'blob') continue
    const text = name.toLowerCase()
    if (wanted === '' || text.includes(wanted)) whole.push(name)
    else if (parts.length < limit && holds(text, wanted)) parts.push(name)
    else continue
    chars += name.length
  }
  return [...whole, ...parts].slice(0, limit)
}

/** Whether the text contains the characters of `wanted` in order. */
function holds(text: string, wanted: string): boolean {
  let at = 0
  for (const character of wanted) {
    at = text.indexOf(character, at) + 1
    if (at === 0) return false
  }
  return true
}
