/** Measures requests that clients repeat again and again, and the cost of quotas for a push, on both engines. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digestOf } from '../../src/access/tokens.ts'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import { type CiForge, onFreshForges } from '../data/ci-forge.ts'
import { fill, member } from '../data/people.ts'
import { onServer } from '../databases.ts'
import type { Latency, Steady } from '../probes/steady.ts'
import { git, pause, runScript, settledCpu, usedCpu } from '../processes.ts'
import { withToken } from '../reading.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { quick, rate_per_s, steady_s } from '../settings.ts'

const people = { users: 1_000, groups: 100, projects: 2_000 }
const flags = 50
const flagClients = 1_000
const poll_s = 10
const instanceId = 'bench-instance'
const pushRounds = quick ? 2 : 25

export function measureClients(folder: string): Promise<Row[]> {
  return onFreshForges(folder, async (on) => {
    await fill(on.location, people)
    // PostgreSQL would do this by itself within a minute, in the middle of a measurement.
    if (engineOf(on.location) === 'postgres') await onServer(on.location, 'vacuum analyze')
    await settledCpu(on.forge.pid)
    return [await measureCounts(on), ...(await measureFlags(on)), ...(await measureQuotas(on))]
  })
}

async function measureCounts({ engine, forge }: CiForge): Promise<Row> {
  printProgress(`${engine}: counts of a user`)
  const latency = await ask({ urls: [`${forge.url}/api/v4/user_counts`], headers: { 'private-token': member.token } })
  return latencyRow(`${engine}, \`GET /user_counts\`, ${rate_per_s}/s: p90`, latency, 3)
}

function ask(what: Pick<Steady, 'urls' | 'headers' | 'keepsAnswers'>, rate = rate_per_s, duration_s = steady_s): Promise<Latency> {
  return runScript<Steady, Latency>('steady.ts', { ...what, rate_per_s: rate, duration_s })
}

function latencyRow(what: string, { p50_ms, p90_ms }: Latency, max_ms: number): Row {
  return { what, ours: `${digits(p90_ms)} ms (p50 ${digits(p50_ms)} ms)`, limit: '', ratio: '', ...atMost(p90_ms, max_ms, 'ms') }
}

/** As Unleash's clients do: each asks for all flags of its environment, unless they are those it has. */
async function measureFlags({ engine, forge, location }: CiForge): Promise<Row[]> {
  const { id } = (await forge.call('POST', '/projects', { name: 'flags' })) as { id: number }
  for (let flag = 0; flag < flags; flag += 1) {
    const strategies = [{ name: 'gradualRolloutUserId', parameters: { groupId: 'default', percentage: '50' } }]
    await forge.call('POST', `/projects/${id}/feature_flags`, { name: `flag_${flag}`, version: 'new_version_flag', strategies })
  }
  const db = openDatabase(location)
  const instance_id_digest = digestOf(instanceId)
  await db.insertInto('flag_clients').values({ project_id: id, instance_id_digest, instance_id: 'read by its digest alone' }).execute()
  await db.destroy()
  printProgress(`${engine}: ${flags} feature flags, polled by ${flagClients} clients`)
  const headers = { 'unleash-instanceid': instanceId, 'unleash-appname': 'production' }
  const duration_s = quick ? 2 : 2 * poll_s
  const before_s = usedCpu(forge.pid)
  const began = performance.now()
  const urls = [`${forge.url}/api/v4/feature_flags/unleash/${id}/client/features`]
  const latency = await ask({ urls, headers, keepsAnswers: true }, flagClients / poll_s, duration_s)
  const share = (usedCpu(forge.pid) - before_s) / ((performance.now() - began) / 1_000)
  const what = `${engine}, ${flags} feature flags polled by ${flagClients} clients every ${poll_s} s`
  return [
    { what: `${what}: processor of the server`, ours: `${digits(share)} of a core`, limit: '', ratio: '', ...atMost(share, 0.1) },
    latencyRow(`${what}: p90`, latency, 25),
  ]
}

/** Pushes to a project without limits and to one with limits, in turn; and the additional cost of a reply that has the limits. */
async function measureQuotas({ engine, forge }: CiForge): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gitstead-bench-quotas-'))
  try {
    await git(folder, 'init', '--quiet', '--initial-branch', 'main')
    await git(folder, 'config', 'user.name', 'Ada')
    await git(folder, 'config', 'user.email', 'ada@example.com')
    const { id } = (await forge.call('POST', '/projects', { name: 'pushed' })) as { id: number }
    const limits = { repository_size_limit: 1_000, namespace_storage_size_limit: 10_000 }
    const none = { repository_size_limit: 0, namespace_storage_size_limit: 0 }
    const times: Record<'with' | 'without', number[]> = { with: [], without: [] }
    for (let round = 0; round <= pushRounds; round += 1) {
      printProgress(`${engine}: pushes with and without quotas, ${round} of ${pushRounds}`)
      // The order changes, so that none is always the one after a pause.
      for (const which of round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const)) {
        await forge.call('PUT', '/application/settings', which === 'with' ? limits : none)
        await git(folder, 'commit', '--quiet', '--allow-empty', '--message', `${which} ${round}`)
        await settledCpu(forge.pid)
        const began = performance.now()
        await git(folder, 'push', '--quiet', `${withToken(forge)}/root/pushed.git`, 'main')
        if (round > 0) times[which].push(performance.now() - began)
      }
    }
    await forge.call('PUT', '/application/settings', limits)
    await pause(100)
    const headers = { 'private-token': forge.token }
    const at = `${forge.url}/api/v4/projects/${id}`
    const shown = await ask({ urls: [`${at}?statistics=true`], headers })
    const plain = await ask({ urls: [at], headers })
    const more_ms = Math.max(0, shown.p50_ms - plain.p50_ms)
    const [limited, unlimited] = [median(times.with), median(times.without)]
    // The median of pairs of consecutive pushes, as the machine may become slower or faster during the run.
    const ratio = median(times.with.map((time, round) => time / (times.without[round] ?? Number.NaN)))
    return [
      {
        what: `${engine}, a push under quotas (median of ${pushRounds} pairs)`,
        ours: `${digits(limited)} ms`,
        limit: `${digits(unlimited)} ms without`,
        ratio: digits(ratio),
        ...atMost(ratio, 1.02),
      },
      {
        what: `${engine}, sizes and limits in the reply of a project, ${rate_per_s}/s: p50, more than without them`,
        ours: `${digits(more_ms)} ms`,
        limit: `${digits(plain.p50_ms)} ms without`,
        ratio: '',
        ...atMost(more_ms, 3, 'ms'),
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
