/** A wiki of many pages: its list, one page, and the contents of a hundred, beside a wiki with a hundredth, on both engines. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareList, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { fill, member, type Size } from '../data/people.ts'
import { commit, type File, generate } from '../data/repository.ts'
import type { Forge } from '../forge.ts'
import { git, settledCpu } from '../processes.ts'
import { withToken } from '../reading.ts'
import type { Row } from '../report.ts'
import { quick } from '../settings.ts'

interface WikiSize extends Size {
  pages: number
}

type Side = SideOf<number, WikiSize>

const few: WikiSize = { users: 50, groups: 10, projects: 100, pages: 100 }
const many: WikiSize = { ...few, pages: quick ? 1_000 : 10_000 }

export function measureWikis(folder: string): Promise<Row[]> {
  return onEachEngine(folder, {
    name: 'wikis',
    sizes: [many, few],
    describe: ({ pages }) => `a wiki of ${pages} pages`,
    fill: fillWiki,
    async measure(engine, ours, other) {
      const rows: Row[] = []
      for (const { what, paths } of reads) {
        const addresses = (side: Side) =>
          paths(side.size.pages).map((path) => `${side.forge.url}/api/v4/projects/${side.found}/wikis${path}`)
        rows.push(await compareList(engine, what, [addresses(ours), addresses(other)]))
      }
      return rows
    },
  })
}

const reads: Array<{ what: string; paths: (pages: number) => string[] }> = [
  { what: '`wikis` of a project', paths: () => [''] },
  { what: '`wikis` of a project, deep pages', paths: (pages) => [pages / 40, pages / 20].map((page) => `?page=${Math.ceil(page)}`) },
  {
    what: '`wikis` of a project, contents of 100 pages',
    paths: (pages) => [1, Math.ceil(pages / 200), pages / 100].map((page) => `?with_content=1&per_page=100&page=${page}`),
  },
  { what: 'one wiki page', paths: (pages) => [0, pages / 2, pages - 1].map((number) => `/${encodeURIComponent(slugOf(number))}`) },
  {
    what: 'one wiki page as HTML',
    paths: (pages) => [0, pages - 1].map((number) => `/${encodeURIComponent(slugOf(number))}?render_html=1`),
  },
]

const slugOf = (number: number) => `part-${number % 100}/page-${number}`

/** The pages come by one push. Gives the id of the project. */
async function fillWiki(forge: Forge, location: string, size: WikiSize): Promise<number> {
  await fill(location, size)
  const { id } = (await forge.call('POST', '/projects', { name: 'documented' })) as { id: number }
  await forge.call('POST', `/projects/${id}/members`, { user_id: member.id, access_level: 30 })
  const text = (number: number) =>
    `# Page ${number}\n\n${'Some words about it, with *emphasis* and `code`.\n'.repeat(40)}\n[[${slugOf(number + 1)}]]\n`
  const files: File[] = Array.from({ length: size.pages }, (_, number) => [`${slugOf(number)}.md`, text(number)])
  const source = await generate(join(mkdtempSync(join(tmpdir(), 'gitstead-bench-wiki-')), 'wiki.git'), () => [commit('main', 0, files)])
  await git(source, 'push', '--quiet', `${withToken(forge)}/root/documented.wiki.git`, 'main')
  await settledCpu(forge.pid)
  return id
}
