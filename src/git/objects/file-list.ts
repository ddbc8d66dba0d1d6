/** The paths of all files of a commit, or of those that a search finds. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Repo } from '../repository/repository.ts'
import { readCommit } from './read.ts'
import { walkTree } from './trees.ts'

/** Paths that are looked at in one turn: each is decoded. */
const atOnce = 2_000

/**
 * Up to `limit` paths. With a query those that hold its characters in their order, ignoring case, and of these first those that hold
 * it as it is. One process, cached; other requests are served meanwhile.
 */
export async function listFiles(repo: Repo, commit: string, { query, limit }: { query: string; limit: number }): Promise<string[]> {
  const tree = await walkTree(repo, (await readCommit(repo, commit)).tree)
  const wanted = query.toLowerCase().replace(/\s+/g, '')
  const [whole, parts]: [string[], string[]] = [[], []]
  for (let index = 0; index < tree.length && whole.length < limit; index += 1) {
    if (index % atOnce === atOnce - 1) await turn()
    const { type, name } = tree.entry(index)
    if (type !== 'blob') continue
    const text = name.toLowerCase()
    if (wanted === '' || text.includes(wanted)) whole.push(name)
    else if (parts.length < limit && holds(text, wanted)) parts.push(name)
  }
  return [...whole, ...parts].slice(0, limit)
}

/** Whether the characters of `wanted` are in the text, in their order. */
function holds(text: string, wanted: string): boolean {
  let at = 0
  for (const character of wanted) {
    at = text.indexOf(character, at) + 1
    if (at === 0) return false
  }
  return true
}
