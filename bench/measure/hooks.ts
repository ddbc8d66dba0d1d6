/** Webhooks on both engines: the log of a hook with a million deliveries, what hooks add to a push, and receivers of which some hang. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import { compareList, deepPages, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { fill, member, type Size } from '../data/people.ts'
import { sqlWords } from '../data/sql-words.ts'
import type { Forge } from '../forge.ts'
import type { ReceiversInput } from '../limits/receivers.ts'
import type { Latency, Steady } from '../probes/steady.ts'
import type { Writing } from '../probes/writing.ts'
import { git, pause, runScript, settledCpu, startHelper } from '../processes.ts'
import { withToken } from '../reading.ts'
import { atMost, digits, median, printProgress, type Row } from '../report.ts'
import { quick, rate_per_s } from '../settings.ts'

interface HookSize extends Size {
  /** Deliveries in the log of the hook. */
  logged: number
}

interface Found {
  project: number
  hook: number
}

type Side = SideOf<Found, HookSize>

const few: HookSize = { users: 50, groups: 10, projects: 100, logged: 10_000 }
const many: HookSize = { ...few, logged: quick ? 20_000 : 1_000_000 }

const rounds = quick ? 1 : 9
const hooks = 20
const integrations = ['plain-json', 'slack', 'discord', 'mattermost', 'microsoft-teams']

const receivers = 100
const hanging = 10
const projects = 10
const events = quick ? 20 : 1_000
/** So that 10,000 deliveries come about within 40 seconds: a rate that leaves half of a processor to requests on either engine. */
const events_per_s = 25
const deadline_s = 60

export function measureHooks(folder: string): Promise<Row[]> {
  return onEachEngine(folder, {
    name: 'hooks',
    sizes: [many, few],
    describe: ({ logged }) => `a webhook with ${logged} deliveries`,
    fill: fillLog,
    async measure(engine, ours, other) {
      const log = ({ forge, found }: Side, rest = '') => `${forge.url}/api/v4/projects/${found.project}/hooks/${found.hook}/events${rest}`
      const deep = (side: Side) => deepPages(side.size.logged).map((page) => log(side, `?page=${page}`))
      return [
        await compareList(engine, 'the log of a webhook', [[log(ours)], [log(other)]]),
        await compareList(engine, 'the log of a webhook, deep pages', [deep(ours), deep(other)]),
        await measurePushes(engine, ours.forge),
        ...(await measureReceivers(engine, ours.forge)),
      ]
    },
  })
}

async function fillLog(forge: Forge, location: string, size: HookSize): Promise<Found> {
  await fill(location, size)
  await forge.call('PUT', '/application/settings', { allow_local_requests_from_hooks_and_services: true })
  const { id: project } = (await forge.call('POST', '/projects', { name: 'logged' })) as { id: number }
  await forge.call('POST', `/projects/${project}/members`, { user_id: member.id, access_level: 40 })
  const { id: hook } = (await forge.call('POST', `/projects/${project}/hooks`, { url: 'http://127.0.0.1:9/' })) as { id: number }
  const { at, upTo } = sqlWords(engineOf(location) === 'postgres', 1)
  const db = openDatabase(location)
  try {
    const body = JSON.stringify({ object_kind: 'push', text: 'x'.repeat(1_000) })
    await sql`insert into hook_payloads (id, event, body, created_at)
      select n, 'Push Hook', ${body}, ${sql.raw(at('n'))} from ${sql.raw(upTo(size.logged))}`.execute(db)
    await sql`insert into hook_deliveries (hook_id, payload_id, uuid, event, state, attempts, due_at, created_at, response_status)
      select ${sql.lit(hook)}, n, 'u', 'Push Hook', 'delivered', 1, ${sql.raw(at('n'))}, ${sql.raw(at('n'))}, 200
      from ${sql.raw(upTo(size.logged))}`.execute(db)
    if (engineOf(location) === 'postgres')
      await sql`select setval(pg_get_serial_sequence('hook_payloads', 'id'), ${sql.lit(size.logged)})`.execute(db)
  } finally {
    await db.destroy()
  }
  return { project, hook }
}

/** The processor time of a push is that of git; here it is the time that the client waits. */
async function measurePushes(engine: string, forge: Forge): Promise<Row> {
  const receiver = await startHelper('receivers.ts', { hanging: 0 } satisfies ReceiversInput)
  const { port } = new URL(receiver.url)
  const folder = mkdtempSync(join(tmpdir(), 'gitstead-bench-hooks-'))
  try {
    await git(folder, 'init', '--quiet', '--initial-branch', 'main')
    await git(folder, 'config', 'user.name', 'Ada')
    await git(folder, 'config', 'user.email', 'ada@example.com')
    const ids: Record<string, number> = {}
    for (const name of ['quiet', 'told']) ids[name] = ((await forge.call('POST', '/projects', { name })) as { id: number }).id
    for (let hook = 0; hook < hooks; hook += 1)
      await forge.call('POST', `/projects/${ids.told}/hooks`, { url: `http://127.0.0.${hook + 2}:${port}/` })
    for (const slug of integrations)
      await forge.call('PUT', `/projects/${ids.told}/services/${slug}`, { webhook: `http://127.0.0.30:${port}/${slug}` })
    const times: Record<string, number[]> = { quiet: [], told: [] }
    for (let round = 0; round <= rounds; round += 1) {
      printProgress(`${engine}: pushes with and without webhooks, ${round} of ${rounds}`)
      for (const name of ['quiet', 'told']) {
        await git(folder, 'commit', '--quiet', '--allow-empty', '--message', `${name} ${round}`)
        const began = performance.now()
        await git(folder, 'push', '--quiet', `${withToken(forge)}/root/${name}.git`, 'main')
        // The first is to warm up.
        if (round > 0 || quick) times[name]?.push(performance.now() - began)
        await settledCpu(forge.pid)
      }
    }
    const [told, quiet] = [median(times.told ?? []), median(times.quiet ?? [])]
    return {
      what: `${engine}, a push to a project with ${hooks} webhooks and ${integrations.length} integrations`,
      ours: `${digits(told)} ms`,
      limit: `${digits(quiet)} ms without`,
      ratio: digits(told / quiet),
      ...atMost(told / quiet, 1.1),
    }
  } finally {
    await receiver.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Each of the projects has ten webhooks, one of which leads to a host that hangs. What issues and reads cost without webhooks is measured
 * in the same way: the deliveries are what is added.
 */
async function measureReceivers(engine: string, forge: Forge): Promise<Row[]> {
  const [all, wanted] = [(events * receivers) / projects, (events * (receivers - hanging)) / projects]
  const receiver = await startHelper('receivers.ts', { hanging } satisfies ReceiversInput)
  try {
    const { port } = new URL(receiver.url)
    const ids: Record<string, number[]> = { quiet: [], heard: [] }
    for (const name of ['quiet', 'heard'])
      for (let number = 0; number < projects; number += 1)
        ids[name]?.push(((await forge.call('POST', '/projects', { name: `${name} ${number}` })) as { id: number }).id)
    const { quiet = [], heard = [] } = ids
    for (let number = 0; number < receivers; number += 1) {
      const url = `http://127.0.1.${number}:${port}/`
      await forge.call('POST', `/projects/${heard[number % projects]}/hooks`, { url, push_events: false, issues_events: true })
    }
    printProgress(`${engine}: ${events} issues without webhooks`)
    const without = await readWhileWriting(forge, quiet)
    await settledCpu(forge.pid)
    printProgress(`${engine}: ${all} deliveries to ${receivers} receivers, of which ${hanging} hang`)
    const received = async () => Number(await (await fetch(`${receiver.url}/received`)).text())
    const untilReceived = async () => {
      const began = performance.now()
      const passed_s = () => (performance.now() - began) / 1_000
      while ((await received()) < wanted && passed_s() < 2 * deadline_s) await pause(50)
      return passed_s()
    }
    const [took_s, latency] = await Promise.all([untilReceived(), readWhileWriting(forge, heard)])
    const count = await received()
    return [
      {
        what: `${engine}, ${all} deliveries to ${receivers} receivers of which ${hanging} hang: all others`,
        ours: `${digits(took_s)} s (${count} of ${wanted})`,
        limit: `${events / events_per_s} s in which the issues are created`,
        ratio: '',
        ...atMost(count < wanted ? Number.POSITIVE_INFINITY : took_s, deadline_s, 's'),
      },
      {
        what: `${engine}, the API meanwhile, ${rate_per_s}/s: p90`,
        ours: `${digits(latency.p90_ms)} ms (p50 ${digits(latency.p50_ms)} ms)`,
        limit: `${digits(without.p90_ms)} ms (p50 ${digits(without.p50_ms)} ms) while as many issues are created without webhooks`,
        ratio: digits(latency.p90_ms / without.p90_ms),
        ...atMost(latency.p90_ms, 25, 'ms'),
      },
    ]
  } finally {
    await receiver.stop()
  }
}

/** Reads projects as long as issues are created in them. */
async function readWhileWriting(forge: Forge, ids: number[]): Promise<Latency> {
  const headers = { 'private-token': forge.token }
  const at = (id: number) => `${forge.url}/api/v4/projects/${id}`
  const [latency] = await Promise.all([
    runScript<Steady, Latency>('steady.ts', { urls: ids.map(at), headers, rate_per_s, duration_s: events / events_per_s }),
    runScript<Writing, unknown>('writing.ts', {
      urls: ids.map((id) => `${at(id)}/issues?title=Issue`),
      headers,
      rate_per_s: events_per_s,
      count: events,
    }),
  ])
  return latency
}
