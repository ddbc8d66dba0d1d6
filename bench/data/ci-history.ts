/** A project with many pipelines and jobs beside those of all others, written straight into the database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import type { Forge } from '../forge.ts'
import { git } from '../processes.ts'
import { fill, member, type Size } from './people.ts'
import { commit, generate } from './repository.ts'
import { sqlWords } from './sql-words.ts'

export interface CiSize extends Size {
  /** Pipelines of the measured project, each with `jobsPerPipeline` jobs. */
  pipelines: number
  /** Pipelines of all other projects. */
  others: number
}

export const jobsPerPipeline = 10
/** 1,000,000 jobs, a tenth of them in one project. */
export const largeCi: CiSize = { users: 5_000, groups: 1_000, projects: 10_000, pipelines: 10_000, others: 90_000 }
export const smallCi: CiSize = { users: 50, groups: 10, projects: 100, pipelines: 100, others: 900 }

/** Pipelines of the project with the same commit. */
const perCommit = 10

/** Ids and addresses that the measurements ask for. */
export interface CiHistory {
  project: number
  sha: string
  runner: number
  /** A pipeline in the middle of the project's, and one of its jobs. */
  pipeline: number
  job: number
}

const firstProject = 1_000

/** Fills the database at `location`, of a server that has started. */
export async function fillCi(forge: Forge, location: string, size: CiSize): Promise<CiHistory> {
  await fill(location, size)
  const { id: project } = (await forge.call('POST', '/projects', { name: 'built', visibility: 'private' })) as { id: number }
  const commits = await pushCommits(forge, size.pipelines / perCommit)
  await forge.call('POST', `/projects/${project}/members`, { user_id: member.id, access_level: 40 })
  const { id: runner } = (await forge.call('POST', '/user/runners', { runner_type: 'project_type', project_id: project })) as { id: number }
  const db = openDatabase(location)
  try {
    const isPostgres = engineOf(location) === 'postgres'
    await db.transaction().execute(async (tx) => {
      for (const statement of statementsFor(isPostgres, size, { project, commits, runner })) await statement.execute(tx)
    })
    const middle = await db
      .selectFrom('commit_statuses')
      .select(['id', 'pipeline_id'])
      .where('project_id', '=', project)
      .orderBy('id')
      .offset(Math.round((size.pipelines * jobsPerPipeline) / 2))
      .limit(1)
      .executeTakeFirstOrThrow()
    return { project, sha: commits[0] as string, runner, pipeline: middle.pipeline_id, job: middle.id }
  } finally {
    await db.destroy()
  }
}

/** The newest first. */
async function pushCommits({ url, token }: Forge, count: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gitstead-bench-ci-'))
  try {
    const dir = await generate(join(folder, 'built.git'), function* () {
      for (let number = 0; number < count; number += 1) yield commit('main', number, [['README', String(number)]])
    })
    await git(dir, 'push', '--quiet', `${url.replace('://', `://root:${token}@`)}/root/built.git`, 'main')
    return (await git(dir, 'rev-list', 'main')).split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const plan = (name: string) =>
  `'{"name":"' || ${name} || '","script":["make"],"variables":[],"retry":{"max":0,"when":[],"exit_codes":[]},"options":{"artifacts":null,"script":["make"]}}'`

function* statementsFor(
  isPostgres: boolean,
  { users, projects, pipelines, others }: CiSize,
  { project, commits, runner }: { project: number; commits: string[]; runner: number },
): Generator<RawBuilder<unknown>> {
  const { at, user, upTo } = sqlWords(isPostgres, users)
  const total = pipelines + others
  // One of every ten consecutive pipelines belongs to the project, so that its rows lie far apart.
  const step = Math.round(total / pipelines)
  const status = (n: string) => `case when ${n} % 10 = 3 then 'failed' when ${n} % 50 = 4 then 'canceled' else 'success' end`
  yield sql.raw('create temporary table built_commits (n bigint primary key, sha text)')
  yield sql.raw(`insert into built_commits (n, sha) values ${commits.map((sha, index) => `(${index}, '${sha}')`).join(', ')}`)
  yield sql.raw(`insert into pipelines (iid, project_id, ref, sha, tag, source, status, user_id, created_at, updated_at, started_at, finished_at)
    select counted.n + 1, case when counted.n % ${step} = 0 then ${project} else ${firstProject} + counted.n % ${projects} end,
      case when counted.n % 3 = 0 then 'main' else 'topic-' || (counted.n / ${step}) % 100 end, sha, false, 'push', ${status(`(counted.n / ${step})`)},
      ${user('counted.n * 7')}, ${at('counted.n')}, ${at('counted.n + 5')}, ${at('counted.n + 1')}, ${at('counted.n + 5')}
    from ${upTo(total)} join built_commits on built_commits.n = (counted.n / ${step}) % ${commits.length}`)
  yield sql.raw(`insert into commit_statuses
      (project_id, pipeline_id, kind, sha, ref, name, stage, stage_idx, status, allow_failure, author_id, runner_id, created_at, updated_at, queued_at, started_at, finished_at)
    select project_id, pipelines.id, 'job', sha, ref, 'job ' || counted.n, 'stage ' || (counted.n / 4), counted.n / 4,
      case when pipelines.status = 'failed' and counted.n < 9 then 'success' else pipelines.status end, false, user_id,
      case when counted.n % 10 = 0 then ${runner} end, created_at, updated_at, created_at, started_at, finished_at
    from pipelines, ${upTo(jobsPerPipeline)}`)
  yield sql.raw(`insert into ci_jobs (id, project_id, pipeline_id, when_to_run, plan)
    select id, project_id, pipeline_id, 'on_success', ${plan('name')} from commit_statuses where kind = 'job'`)
  const artifact = `'archive', 'zip', 'artifacts.zip', 1000, 'none', finished_at`
  yield sql.raw(`insert into ci_artifacts (job_id, project_id, file_type, file_format, filename, size, store_key, created_at)
    select id, project_id, ${artifact} from commit_statuses where kind = 'job' and name in ('job 1', 'job 2')`)
  yield sql.raw(`insert into ci_environments (project_id, name, slug, created_at, updated_at)
    select ${project}, 'review/' || n, 'review-' || n, ${at('n')}, ${at('n')} from ${upTo(pipelines / 10)}`)
  yield sql.raw(`insert into ci_deployments (iid, project_id, environment_id, job_id, user_id, ref, sha, status, created_at, updated_at)
    select pipelines.iid, ${project}, (select min(id) from ci_environments where project_id = ${project}) + pipelines.iid % ${pipelines / 10},
      commit_statuses.id, pipelines.user_id, pipelines.ref, pipelines.sha, 'success', pipelines.created_at, pipelines.updated_at
    from pipelines join commit_statuses on commit_statuses.pipeline_id = pipelines.id and commit_statuses.name = 'job ${jobsPerPipeline}'
    where pipelines.project_id = ${project} and pipelines.source = 'push'`)
  yield sql.raw(`insert into internal_ids (project_id, kind, last_value) select project_id, 'pipeline', max(iid) from pipelines group by project_id
    on conflict (project_id, kind) do update set last_value = excluded.last_value`)
}
