/** Lists of pipelines, jobs and what belongs to them among a million jobs, on both engines, beside those of a hundredth. */
import { type CiHistory, type CiSize, fillCi, jobsPerPipeline, largeCi, smallCi } from '../data/ci-history.ts'
import { compareList, deepPages, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import type { Row } from '../report.ts'
import { quick } from '../settings.ts'

type Side = SideOf<CiHistory, CiSize>

const large: CiSize = quick ? { ...smallCi, pipelines: 1_000, others: 9_000 } : largeCi

export function measureCiLists(folder: string): Promise<Row[]> {
  return onEachEngine(folder, {
    name: 'ci_lists',
    sizes: [large, smallCi],
    describe: ({ pipelines, others }) => `${pipelines} pipelines of a project, ${others} of others, ${jobsPerPipeline} jobs in each`,
    fill: fillCi,
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
const deep = (list: string, rows: (size: CiSize) => number) => (side: Side) =>
  deepPages(rows(side.size)).map((page) => `/projects/${side.found.project}/${list}?page=${page}`)

const lists: List[] = [
  { what: '`pipelines` of a project', paths: below(['pipelines', 'pipelines?page=3']) },
  { what: '`pipelines` of a project, deep pages', paths: deep('pipelines', ({ pipelines }) => pipelines) },
  {
    what: '`pipelines` of a project by state and ref',
    paths: below(['pipelines?status=failed', 'pipelines?scope=finished', 'pipelines?ref=main', 'pipelines?ref=topic-7&status=success']),
  },
  { what: '`pipelines` of a project by branch', paths: below(['pipelines?scope=branches', 'pipelines?scope=tags']) },
  {
    what: '`pipelines` of a project in other orders',
    paths: below(['pipelines?order_by=updated_at', 'pipelines?order_by=status', 'pipelines?order_by=ref&sort=asc']),
  },
  { what: '`pipelines` of a project by a user', paths: below(['pipelines?username=member', 'pipelines?username=nobody']) },
  { what: '`pipelines/latest`', paths: below(['pipelines/latest', 'pipelines/latest?ref=main']) },
  {
    what: 'one pipeline, and its jobs',
    paths: ({ found: { project, pipeline } }) =>
      ['', '/jobs', '/jobs?scope[]=failed'].map((path) => `/projects/${project}/pipelines/${pipeline}${path}`),
  },
  { what: '`jobs` of a project', paths: below(['jobs', 'jobs?page=3']) },
  { what: '`jobs` of a project, deep pages', paths: deep('jobs', ({ pipelines }) => pipelines * jobsPerPipeline) },
  {
    what: '`jobs` of a project by state',
    paths: below(['jobs?scope[]=failed', 'jobs?scope[]=running&scope[]=canceled', 'jobs?scope[]=pending']),
  },
  { what: 'one job', paths: ({ found: { project, job } }) => [`/projects/${project}/jobs/${job}`] },
  { what: '`statuses` of a commit', paths: ({ found: { project, sha } }) => [`/projects/${project}/repository/commits/${sha}/statuses`] },
  {
    what: '`jobs` of a runner',
    paths: ({ found: { runner } }) => ['', '?status=failed', '?page=3'].map((query) => `/runners/${runner}/jobs${query}`),
  },
  { what: '`environments` of a project', paths: below(['environments', 'environments?search=review/1']) },
  {
    what: '`deployments` of a project',
    paths: below([
      'deployments',
      'deployments?environment=review/7',
      'deployments?status=success&page=3',
      'deployments?order_by=updated_at',
    ]),
  },
]
