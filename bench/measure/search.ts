/** Searches: in the texts of the database, on both engines; in the code of one repository, and of all of them. */
import { compareList, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { fillPlanning, largePlanning, type Planned, type PlanningSize, smallPlanning } from '../data/planning.ts'
import type { Row } from '../report.ts'
import { onlyEngine, quick } from '../settings.ts'
import { measureCode } from './code.ts'

type Side = SideOf<Planned, PlanningSize>

/** A million issues of others, and as many notes on those of the project. */
const large: PlanningSize = quick
  ? { ...smallPlanning, issues: 1_000, notes: 20_000, others: 50_000 }
  : { ...largePlanning, notes: 1_000_000 }

export async function measureSearch(folder: string): Promise<Row[]> {
  const rows = await onEachEngine(folder, {
    name: 'search',
    sizes: [large, smallPlanning],
    describe: ({ issues, notes, others }) => `${issues} issues and ${notes} notes of a project, ${others} issues of others`,
    fill: fillPlanning,
    async measure(engine, ours, few) {
      const rows: Row[] = []
      for (const { what, paths } of lists) rows.push(await compareList(engine, what, [addresses(ours, paths), addresses(few, paths)]))
      return rows
    },
  })
  // In searches of code, the database only says who may read it, so SQLite alone suffices.
  return onlyEngine === 'postgres' ? rows : [...rows, ...(await measureCode(folder))]
}

function addresses({ forge, found }: Side, paths: string[]): string[] {
  return paths.map((path) => `${forge.url}/api/v4${path.replace(':id', String(found.project)).replace(':group', String(found.group))}`)
}

const lists = [
  {
    what: '`issues` of everything, a rare word',
    paths: ['n1010', 'n77777', 'nowhere'].map((word) => `/search?scope=issues&search=${word}`),
  },
  {
    what: '`issues` of everything, a frequent word',
    paths: ['timeout', 'timeout+crash'].map((word) => `/search?scope=issues&search=${word}`),
  },
  {
    what: '`issues` of a project',
    paths: ['timeout', 'timeout+crash', 'n1010', 'nowhere'].map((word) => `/projects/:id/search?scope=issues&search=${word}`),
  },
  { what: '`issues` of a group', paths: ['timeout', 'n1010'].map((word) => `/groups/:group/search?scope=issues&search=${word}`) },
  {
    what: '`notes` of a project, a rare word',
    paths: ['m1010', 'm500', 'nowhere'].map((word) => `/projects/:id/search?scope=notes&search=${word}`),
  },
  {
    what: '`notes` of a project, a frequent word',
    paths: ['timeout', 'crash'].map((word) => `/projects/:id/search?scope=notes&search=${word}`),
  },
  { what: '`milestones` of everything', paths: ['v1', 'v10'].map((word) => `/search?scope=milestones&search=${word}`) },
  { what: '`projects` of everything', paths: ['project-77', 'nowhere'].map((word) => `/search?scope=projects&search=${word}`) },
  { what: '`users` of everything', paths: ['user-77', 'nowhere'].map((word) => `/search?scope=users&search=${word}`) },
]
