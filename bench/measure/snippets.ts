/** Lists of snippets and one of them, on both engines, beside the same of a forge with a hundredth of the rows. */
import { compareList, deepPages, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { type Filled, fillSnippets, largeSnippets, type SnippetsSize, smallSnippets } from '../data/snippets.ts'
import type { Row } from '../report.ts'
import { quick } from '../settings.ts'

type Side = SideOf<Filled, SnippetsSize>

const large: SnippetsSize = quick ? { ...smallSnippets, snippets: 10_000 } : largeSnippets

export function measureSnippets(folder: string): Promise<Row[]> {
  return onEachEngine(folder, {
    name: 'snippets',
    sizes: [large, smallSnippets],
    describe: ({ snippets }) => `${snippets} snippets`,
    fill: fillSnippets,
    async measure(engine, ours, few) {
      const rows: Row[] = []
      for (const { what, paths } of lists) {
        const addresses = (side: Side) => paths(side).map((path) => `${side.forge.url}/api/v4${path}`)
        rows.push(await compareList(engine, what, [addresses(ours), addresses(few)]))
      }
      return rows
    },
  })
}

interface List {
  what: string
  paths: (side: Side) => string[]
}

const below = (paths: string[]) => (side: Side) => paths.map((path) => `/projects/${side.found.project}/${path}`)
const queried = (list: string, size: number) => deepPages(size).map((page) => `${list}?page=${page}`)

const lists: List[] = [
  { what: 'own `snippets`', paths: () => ['/snippets'] },
  { what: '`snippets/public`', paths: () => ['/snippets/public', '/snippets/public?page=3'] },
  { what: '`snippets/public`, in the middle', paths: ({ size }) => queried('/snippets/public', size.snippets / 3).slice(0, 1) },
  { what: '`snippets/all`', paths: () => ['/snippets/all', '/snippets/all?page=3'] },
  { what: '`snippets` of a project', paths: below(['snippets', 'snippets?page=3']) },
  {
    what: '`snippets` of a project, deep pages',
    paths: (side) => queried(`/projects/${side.found.project}/snippets`, side.size.snippets / 10),
  },
  { what: 'one snippet', paths: (side) => [...below(['snippets/10', 'snippets/20'])(side), '/snippets/7'] },
  { what: '`raw` of a snippet', paths: below(['snippets/10/raw', 'snippets/20/raw']) },
  { what: '`discussions` of a snippet', paths: below(['snippets/10/discussions', 'snippets/10/notes']) },
  { what: '`snippet_titles` with a rare word', paths: () => ['/search?scope=snippet_titles&search=file777.sh'] },
  { what: '`snippet_titles` with a frequent word', paths: () => ['/search?scope=snippet_titles&search=parser'] },
  { what: '`snippet_blobs` with a rare word', paths: () => ['/search?scope=snippet_blobs&search=unique777'] },
  { what: '`snippet_blobs` with a frequent word', paths: () => ['/search?scope=snippet_blobs&search=parser'] },
]
