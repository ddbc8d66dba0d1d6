/** Searches the files of one repository: contents with `git grep`, names with the list of files. */
import { foldCase, spellingsIn } from '../../../db/fold-case.ts'
import { type GrepHit, grepFiles } from '../../../git/history/grep.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { walkTree } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { FoundBlob } from './code-search.schema.ts'
import { type CodeQuery, parseCodeQuery } from './query.ts'

/** A place in a file that a search found. */
export interface CodeHit extends GrepHit {
  /** Blob id, if the name of the file matches. */
  oid: string | null
  project_id: number
  /** The branch, tag or commit that was searched. */
  ref: string
}

/** Maximum of hits by content, and of hits by name: to find others, users can add words. */
export const maxHits = 100
export const context_lines = 2
/** For a file that is found by its name. */
const shown_bytes = 1024

export interface CodePlace {
  repo: Repo
  project_id: number
  /** As the caller names it. */
  ref: string
  commit: string
}

/** The first hits, and whether there are more. */
export interface CodeHits {
  hits: CodeHit[]
  isWhole: boolean
}

/** Sent if there are more hits, so that these aren't taken for all. */
export const incomplete = { 'x-search-incomplete': 'true' }

/**
 * Hits by content, then files with the text only in their path, all ordered by path. At most two processes, besides the object reader. An
 * empty search finds nothing.
 */
export async function searchCode(place: CodePlace, search: string): Promise<CodeHits> {
  const query = parseCodeQuery(search)
  if (!isAskable(query)) return { hits: [], isWhole: true }
  const { hits, isWhole } =
    query.text === ''
      ? noText
      : await grepFiles(place.repo, place.commit, { ...query, spellings: spellingsIn, context: context_lines, limit: maxHits })
  const byContent = hits.map((hit) => ({ ...hit, oid: null, project_id: place.project_id, ref: place.ref }))
  const byName = await searchNames(place, query, new Set(hits.map(({ path }) => path)))
  const all = [...byContent, ...byName].sort((a, b) => compare(a.path, b.path) || a.startline - b.startline)
  return { hits: all, isWhole: isWhole && byName.length < maxHits }
}

const noText = { hits: [], isWhole: true }

/** No searched text contains a NUL. */
export function isAskable({ text, hasFilters }: CodeQuery): boolean {
  return (text !== '' || hasFilters) && !text.includes('\0')
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function searchNames({ repo, commit, project_id, ref }: CodePlace, query: CodeQuery, found: Set<string>): Promise<CodeHit[]> {
  const named = await filesNamed(repo, commit, query, found)
  return Promise.all(named.map(async ({ path, oid }) => ({ path, oid, startline: 1, data: await beginningOf(repo, oid), project_id, ref })))
}

async function filesNamed(repo: Repo, commit: string, { text, keeps }: CodeQuery, except: Set<string>) {
  const tree = await walkTree(repo, (await readCommit(repo, commit)).tree)
  const wanted = foldCase(text.replace(/^\/+/, ''))
  const found: Array<{ path: string; oid: string }> = []
  for (let index = 0; index < tree.length && found.length < maxHits; index += 1) {
    const { type, name, oid } = tree.entry(index)
    if (type === 'blob' && foldCase(name).includes(wanted) && keeps(name) && !except.has(name)) found.push({ path: name, oid })
  }
  return found
}

/** The first lines of a text; empty if it isn't text. */
async function beginningOf(repo: Repo, oid: string): Promise<string> {
  const info = await repo.git.objects.info(repo.dir, oid)
  if (info?.type !== 'blob' || info.size > maxRead_bytes) return ''
  const data = (await readBlob(repo, oid))?.data.subarray(0, shown_bytes) ?? Buffer.alloc(0)
  return data.includes(0) ? '' : data.toString('utf8').replace(/�$/, '')
}

const maxRead_bytes = 8 * 1024 * 1024

export function presentCodeHit({ path, data, oid, ref, startline, project_id }: CodeHit): Presented<typeof FoundBlob> {
  return { basename: path.replace(/(?<=[^/])\.[^./]*$/, ''), data, path, filename: path, id: oid, ref, startline, project_id }
}
