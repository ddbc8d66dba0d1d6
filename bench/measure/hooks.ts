/** Webhooks on both engines: the log of a hook with a million deliveries, what hooks add to a push, and receivers of which some hang. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import { compareList, deepPages, onEachEngine, type Side as SideOf } from '../data/engines.ts'
import { fill, member, type Size } from '../data/people.ts'
import { sqlWords } from '../data/sql-words.ts'
import type { Forge } from '../forge.ts'
import type { Latency, Steady } from '../probes/steady.ts'
import { git, pause, runScript, settledCpu } from '../processes.ts'
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
const events = quick ? 2 : 100
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

/** Listens on every address of 127.0.0.0/8: each is a host of its own. */
async function openReceiver(onRequest: (host: string) => boolean): Promise<{ port: number; server: Server }> {
  const server = createServer((request, response) => {
    request.resume()
    if (onRequest(request.headers.host ?? '')) response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return { port: (server.address() as AddressInfo).port, server }
}

function close(server: Server): void {
  server.close()
  server.closeAllConnections()
}

/** The processor time of a push is that of git; here it is the time that the client waits. */
async function measurePushes(engine: string, forge: Forge): Promise<Row> {
  const { port, server } = await openReceiver(() => true)
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
    close(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each of the projects has ten webhooks, one of which leads to a host that hangs. */
async function measureReceivers(engine: string, forge: Forge): Promise<Row[]> {
  const wanted = events * (receivers - hanging)
  let received = 0
  const isGood = (host: string) => Number(/^127\.0\.1\.(\d+)/.exec(host)?.[1]) >= hanging
  const { port, server } = await openReceiver((host) => {
    if (isGood(host)) received += 1
    return isGood(host)
  })
  try {
    const ids: number[] = []
    for (let number = 0; number < projects; number += 1)
      ids.push(((await forge.call('POST', '/projects', { name: `heard ${number}` })) as { id: number }).id)
    for (let number = 0; number < receivers; number += 1) {
      const url = `http://127.0.1.${number}:${port}/`
      await forge.call('POST', `/projects/${ids[number % projects]}/hooks`, { url, push_events: false, issues_events: true })
    }
    printProgress(`${engine}: ${events * receivers} deliveries to ${receivers} receivers, of which ${hanging} hang`)
    const reading = runScript<Steady, Latency>('steady.ts', {
      urls: ids.map((id) => `${forge.url}/api/v4/projects/${id}`),
      headers: { 'private-token': forge.token },
      rate_per_s,
      duration_s: quick ? 1 : 20,
    })
    const began = performance.now()
    for (let number = 0; number < events; number += 1) {
      await Promise.all(ids.map((id) => forge.call('POST', `/projects/${id}/issues`, { title: `Issue ${number}` })))
    }
    const passed_s = () => (performance.now() - began) / 1_000
    while (received < wanted && passed_s() < 2 * deadline_s) await pause(50)
    const [took_s, latency] = [passed_s(), await reading]
    return [
      {
        what: `${engine}, ${events * receivers} deliveries to ${receivers} receivers of which ${hanging} hang: all others`,
        ours: `${digits(took_s)} s (${received} of ${wanted})`,
        limit: '',
        ratio: '',
        ...atMost(received < wanted ? Number.POSITIVE_INFINITY : took_s, deadline_s, 's'),
      },
      {
        what: `${engine}, the API meanwhile, ${rate_per_s}/s: p90`,
        ours: `${digits(latency.p90_ms)} ms (p50 ${digits(latency.p50_ms)} ms)`,
        limit: '',
        ratio: '',
        ...atMost(latency.p90_ms, 25, 'ms'),
      },
    ]
  } finally {
    close(server)
  }
}
