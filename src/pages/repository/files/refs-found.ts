/** Branches and tags whose name contains a text, latest first, each with the URL of the same place at it. */
import { addressAt } from '../../../addresses/repository.ts'
import { branchRevision, tagRevision } from '../../../git/refs/names.ts'
import { pageOfRefs } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'

interface Wanted {
  full_path: string
  /** The kind of page, and its path in the repository. */
  page: string
  path: string
  /** Part of a name; empty for all. */
  search: string
  limit: number
}

export interface ListedRef {
  name: string
  address: string
}

export interface ListedRefs {
  rows: ListedRef[]
  total: number
}

/** One process if a ref has moved, otherwise none. */
export async function refsFound(
  repo: Repo,
  { full_path, page, path, search, limit }: Wanted,
): Promise<{ branches: ListedRefs; tags: ListedRefs }> {
  const order = { order_by: 'updated', sort: 'desc', search } as const
  const [branches, tags] = await Promise.all(
    (['heads', 'tags'] as const).map(async (kind): Promise<ListedRefs> => {
      const { rows, total } = await pageOfRefs(repo, kind, order, { limit, offset: 0 })
      const revisionOf = kind === 'heads' ? branchRevision : tagRevision
      return { rows: rows.map(({ name }) => ({ name, address: addressAt(full_path, page, revisionOf(name), path) })), total }
    }),
  )
  return { branches: branches as ListedRefs, tags: tags as ListedRefs }
}
