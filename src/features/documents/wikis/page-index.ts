/** The pages of a wiki at one commit: found by slug, listed in order. Read once per tree, and cached. */
import { setImmediate as turn } from 'node:timers/promises'
import { readCommit } from '../../../git/objects/read.ts'
import { walkTree } from '../../../git/objects/trees.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { cached } from '../../../git/repository/object-cache.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { isSpecial, type PageName, pageNameOf, slugOf } from './page-names.ts'

export interface Page extends PageName {
  /** Blob id of its content. */
  oid: string
  mode: '100644' | '100755'
}

export interface PageIndex {
  /** Pages for lists, sorted by slug with those at the root first. */
  pages: Page[]
  /** The page with this slug, ignoring case if none matches exactly; includes special pages. */
  find: (slug: string) => Page | null
}

const empty: PageIndex = { pages: [], find: () => null }

/** Files examined per turn of the event loop; each must be decoded. */
const atOnce = 2_000

/** The commit that pages are read from; null if nothing was written. */
export function tipOf(repo: Repo): Promise<string | null> {
  return resolveCommit(repo, 'HEAD')
}

/** @param commit an id; null for a wiki without commits */
export async function indexOf(repo: Repo, commit: string | null): Promise<PageIndex> {
  if (commit === null) return empty
  const { tree } = await readCommit(repo, commit)
  return cached(
    repo.git.cache,
    `${repo.dir} wiki pages ${tree}`,
    () => readIndex(repo, tree),
    ({ pages }) => pages.reduce((sum, { path }) => sum + 400 + 8 * path.length, 200),
  )
}

async function readIndex(repo: Repo, tree: string): Promise<PageIndex> {
  const files = await walkTree(repo, tree)
  const found: Page[] = []
  for (let index = 0; index < files.length; index += 1) {
    if (index % atOnce === atOnce - 1) await turn()
    const { name, oid, type, mode } = files.entry(index)
    // A symbolic link has a path as its content, not a page.
    const page = type === 'blob' && mode !== '120000' ? pageNameOf(name) : null
    if (page) found.push({ ...page, oid, mode: mode === '100755' ? mode : '100644' })
  }
  found.sort(byFolder)
  const exact = new Map<string, Page>()
  const folded = new Map<string, Page>()
  for (const page of found) {
    if (!exact.has(page.slug)) exact.set(page.slug, page)
    const key = page.slug.toLowerCase()
    if (!folded.has(key)) folded.set(key, page)
  }
  return {
    // Two files with the same slug in different formats are one page: the first.
    pages: found.filter((page) => !isSpecial(page) && exact.get(page.slug) === page),
    find: (sent) => {
      const slug = slugOf(sent)
      return exact.get(slug) ?? folded.get(slug.toLowerCase()) ?? null
    },
  }
}

/** Pages at the root come before those in folders. */
function byFolder(one: Page, other: Page): number {
  const [a, b] = [one.slug, other.slug]
  const isDeep = Number(a.includes('/')) - Number(b.includes('/'))
  if (isDeep !== 0) return isDeep
  return a < b ? -1 : a > b ? 1 : one.path < other.path ? -1 : 1
}
