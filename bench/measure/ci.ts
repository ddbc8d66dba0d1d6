/** CI: idle and busy runners, live traces, the creation of a large pipeline, artifacts, and lists, on both engines. */
import { openDatabase } from '../../src/db/database.ts'
import { type CiForge, makeProject, makeRunners, onFreshForges } from '../data/ci-forge.ts'
import type { BusyRunners, Received } from '../probes/busy-runners.ts'
import type { IdleCost, IdleRunners } from '../probes/idle-runners.ts'
import type { LiveTraces } from '../probes/live-traces.ts'
import type { Latency } from '../probes/steady.ts'
import { runScript } from '../processes.ts'
import { atMost, digits, printProgress, type Row } from '../report.ts'
import { busyJobs, createdPipelines, idle_s, idleRunners, traces_s } from '../settings.ts'
import { measureArtifacts } from './artifacts.ts'
import { measureCiLists } from './ci-lists.ts'
import { measurePushToLog } from './push-to-log.ts'

const maxIdleShare = 0.25
const maxHanding_ms = 50
const maxCreation_ms = 150
const maxTrace_ms = 25

/** All but the lists, which take minutes to fill. */
export async function measureCi(folder: string): Promise<Row[]> {
  return onFreshForges(folder, async (on) => {
    const rows: Row[] = []
    for (const measure of Object.values(parts)) {
      for (const row of await measure(on)) {
        printProgress(`${row.what}: ${row.ours}`)
        rows.push(row)
      }
    }
    return [...rows, ...(await measureArtifacts(on, folder))]
  })
}

export { measureCiLists }

export const parts = { push: measurePushToLog, idle: measureIdle, busy: measureBusy, creation: measureCreation, traces: measureTraces }

const plain = { limit: '', ratio: '' }

async function measureIdle({ engine, forge }: CiForge): Promise<Row[]> {
  printProgress(`${engine}: ${idleRunners} idle runners`)
  const tokens = await makeRunners(forge, idleRunners)
  const rows: Row[] = []
  for (const waits of [false, true]) {
    const { share, requests } = await runScript<IdleRunners, IdleCost>('idle-runners.ts', {
      ...{ url: forge.url, pid: forge.pid, tokens, every_ms: 3_000, duration_s: idle_s, waits },
    })
    const how = waits ? 'each waiting for a reply' : 'every 3 s'
    rows.push({
      what: `${engine}, ${idleRunners.toLocaleString('en')} idle runners, ${how}: processor time`,
      ours: `${digits(share)} of a core (${digits(requests / idle_s)} requests/s)`,
      ...plain,
      ...atMost(share, maxIdleShare, 'of a core'),
    })
  }
  return rows
}

/** So many runners, and jobs that come as fast as two thirds of them can run them. */
const busyRunners = 50
const perPipeline = 5
const work_ms = 1_000
const pipelines_per_s = 6

async function measureBusy({ engine, forge, location }: CiForge): Promise<Row[]> {
  printProgress(`${engine}: ${busyRunners} runners with ${busyJobs} jobs`)
  const project = await makeProject(forge, 'busy', `test:\n  script: [make]\n  parallel: ${perPipeline}\n`)
  const tokens = await makeRunners(forge, busyRunners)
  const received = await runScript<BusyRunners, Received>('busy-runners.ts', {
    ...{ url: forge.url, token: forge.token, project, tokens, jobs: busyJobs, perPipeline, pipelines_per_s, work_ms },
  })
  const db = openDatabase(location)
  const rows = await db.selectFrom('commit_statuses').select(['id', 'queued_at']).where('project_id', '=', project).execute()
  await db.destroy()
  const queued = new Map(rows.map(({ id, queued_at }) => [id, Date.parse(queued_at ?? '')]))
  const waited = received.map(([id, at_ms]) => at_ms - (queued.get(id) as number)).sort((a, b) => a - b)
  const twice = received.length - new Set(received.map(([id]) => id)).size
  const at = (share: number) => waited[Math.floor((waited.length - 1) * share)] as number
  const { aim, met } = atMost(at(0.9), maxHanding_ms, 'ms')
  return [
    {
      what: `${engine}, ${busyRunners} runners with ${busyJobs} jobs, from pending until a runner has it: p90`,
      ours: `${digits(at(0.9))} ms (p50 ${digits(at(0.5))} ms); ${twice} given twice`,
      ...plain,
      aim: `${aim}, none twice`,
      met: met === true && twice === 0,
    },
  ]
}

/** Ten lines for each job. */
const graphJobs = 200

function graph(): string {
  const jobs = Array.from({ length: graphJobs }, (_, index) => {
    const stage = Math.floor(index / 40)
    const needs = stage === 0 ? [] : [index - 40, stage * 40 - 1 - (index % 40)]
    return [
      `job-${index}:`,
      `  stage: stage-${stage}`,
      '  extends: .base',
      `  needs: [${[...new Set(needs)].map((need) => `job-${need}`).join(', ')}]`,
      '  variables:',
      `    NUMBER: "${index}"`,
      '  rules:',
      `    - if: $CI_COMMIT_BRANCH == "main" && $NUMBER != "none"`,
      '  script:',
      `    - make part-${index} OUT=$NUMBER`,
    ].join('\n')
  })
  const base = '.base:\n  image: alpine\n  artifacts: {paths: [out/]}\n  cache: {key: one, paths: [cache/]}\n'
  return `stages: [${[0, 1, 2, 3, 4].map((stage) => `stage-${stage}`).join(', ')}]\n${base}${jobs.join('\n')}\n`
}

async function measureCreation({ engine, forge }: CiForge): Promise<Row[]> {
  const file = graph()
  printProgress(`${engine}: a pipeline of ${graphJobs} jobs`)
  const project = await makeProject(forge, 'graph', file)
  await forge.call('PUT', `/projects/${project}`, { shared_runners_enabled: false })
  const times: number[] = []
  for (let round = 0; round < createdPipelines; round += 1) {
    const began = performance.now()
    const { id } = (await forge.call('POST', `/projects/${project}/pipeline`, { ref: 'main' })) as { id: number }
    times.push(performance.now() - began)
    // A pipeline that still waits would count for the next measurement.
    await forge.call('POST', `/projects/${project}/pipelines/${id}/cancel`)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] as number
  const lines = file.split('\n').length - 1
  return [
    {
      what: `${engine}, creating a pipeline of ${graphJobs} jobs in a graph from ${lines.toLocaleString('en')} lines: p90`,
      ours: `${digits(at(0.9))} ms (p50 ${digits(at(0.5))} ms)`,
      ...plain,
      ...atMost(at(0.9), maxCreation_ms, 'ms'),
    },
  ]
}

const liveTraces = 100

async function measureTraces({ engine, forge }: CiForge): Promise<Row[]> {
  printProgress(`${engine}: ${liveTraces} live traces`)
  const project = await makeProject(forge, 'traces', `test:\n  script: [make]\n  parallel: ${liveTraces}\n`)
  await forge.call('POST', `/projects/${project}/pipeline`, { ref: 'main' })
  const [token] = await makeRunners(forge, 1)
  const jobs: LiveTraces['jobs'] = []
  while (jobs.length < liveTraces) {
    const job = (await forge.call('POST', '/jobs/request', { token: token as string })) as { id: number; token: string } | null
    if (job) jobs.push({ id: job.id, token: job.token })
  }
  const [writes, reads] = await runScript<LiveTraces, [Latency, Latency]>('live-traces.ts', {
    ...{ url: forge.url, token: forge.token, project, jobs, bytes_per_s: 10_000, duration_s: traces_s },
  })
  return [['writes', writes] as const, ['reads', reads] as const].map(([what, { p50_ms, p90_ms }]) => ({
    what: `${engine}, ${liveTraces} live traces of 10 KB/s, ${what}: p90`,
    ours: `${digits(p90_ms)} ms (p50 ${digits(p50_ms)} ms)`,
    ...plain,
    ...atMost(p90_ms, maxTrace_ms, 'ms'),
  }))
}
