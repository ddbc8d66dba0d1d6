/** Mail, on both engines: one comment on an issue with 10,000 subscribers, and how long the requests of others take until all their messages are in the outbox. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { startPostgres } from '../../tools/postgres.mjs'
import { fill, type Size } from '../data/people.ts'
import { createDatabase, onServer } from '../databases.ts'
import { startForge } from '../forge.ts'
import { pause } from '../processes.ts'
import { atMost, digits, printProgress, type Row } from '../report.ts'
import { onlyEngine, quick } from '../settings.ts'

const size: Size = { users: quick ? 500 : 10_000, groups: 10, projects: 100 }
const deadline_ms = 120_000
/** Comments and their readers before it is measured: what is loaded once is loaded then. */
const warmUp = 20
/** How long is asked while nothing else happens. */
const quiet_ms = quick ? 500 : 5_000

export async function measureMail(folder: string): Promise<Row[]> {
  const sink = await openSink()
  const smtp_url = `smtp://127.0.0.1:${(sink.address() as AddressInfo).port}`
  try {
    const rows = onlyEngine === 'postgres' ? [] : [await measureOn('SQLite', join(folder, 'mail'), { smtp_url })]
    const postgres = onlyEngine === 'sqlite' ? null : await startPostgres()
    if (!postgres) return rows
    try {
      const database_url = await createDatabase(postgres.url, 'mail')
      return [...rows, await measureOn('PostgreSQL', join(folder, 'mail-postgres'), { smtp_url, database_url })]
    } finally {
      await postgres.stop()
    }
  } finally {
    sink.close()
  }
}

async function measureOn(engine: string, home: string, options: { smtp_url: string; database_url?: string }): Promise<Row> {
  const { database_url } = options
  const forge = await startForge(home, { probed: true, ...options })
  const location = database_url ?? join(home, 'gitstead.sqlite')
  const db = openDatabase(location)
  try {
    printProgress(`${engine}: an issue with ${size.users} subscribers`)
    await fill(location, size)
    const { id: project } = (await forge.call('POST', '/projects', { name: 'heard', visibility: 'public' })) as { id: number }
    const { id: issue, iid } = (await forge.call('POST', `/projects/${project}/issues`, { title: 'Heard' })) as { id: number; iid: number }
    const ask = async (round: number) => {
      if (round % 2 === 0) await forge.call('GET', `/projects/${project}/issues/${iid}`)
      else await forge.call('PUT', '/user/status', { message: `Round ${round}` })
    }
    const { id: other } = (await forge.call('POST', `/projects/${project}/issues`, { title: 'Warm' })) as { id: number }
    await subscribeAll(db, other, warmUp)
    for (let round = 0; round < warmUp; round += 1) await forge.call('POST', `/projects/${project}/issues/2/notes`, { body: `${round}` })
    await forge.settled()
    const before = await askUntil(ask, async (asked_ms) => asked_ms > quiet_ms)
    await subscribeAll(db, issue, size.users)
    // PostgreSQL would do this by itself within a minute, in the middle of a measurement.
    if (database_url) await onServer(database_url, 'vacuum analyze')
    await forge.settled()
    const had = await mailsIn(db)
    await forge.longestStall()
    const began = performance.now()
    await forge.call('POST', `/projects/${project}/issues/${iid}/notes`, { body: 'To all of you' })
    const commented_ms = performance.now() - began
    const { slowest_ms, took_ms } = await askUntil(ask, async () => (await mailsIn(db)) - had >= size.users)
    const worst = Math.max(commented_ms, slowest_ms)
    return {
      what: `${engine}, slowest request while ${size.users} subscribers of an issue are told of a comment`,
      ours: `${digits(worst)} ms (the comment ${digits(commented_ms)} ms, all in the outbox after ${digits(took_ms)} ms, longest stall ${digits(await forge.longestStall())} ms)`,
      limit: `${digits(before.slowest_ms)} ms with nobody to tell`,
      ratio: digits(worst / before.slowest_ms),
      ...atMost(worst, 50, 'ms'),
    }
  } finally {
    await db.destroy()
    await forge.stop()
  }
}

async function subscribeAll(db: Db, issue_id: number, most: number): Promise<void> {
  const created_at = new Date().toISOString()
  await db.updateTable('users').set({ confirmed_at: created_at }).execute()
  const users = await db.selectFrom('users').select('id').where('kind', '=', 'human').where('username', '!=', 'root').limit(most).execute()
  const blank = { issue_id, merge_request_id: null, label_id: null, project_id: null, subscribed: true, created_at }
  for (let from = 0; from < users.length; from += 500)
    await db
      .insertInto('subscriptions')
      .values(users.slice(from, from + 500).map(({ id }) => ({ ...blank, user_id: id })))
      .execute()
}

/** One request after the other, reads and writes. */
async function askUntil(ask: (round: number) => Promise<void>, isOver: (asked_ms: number) => Promise<boolean>) {
  const began = performance.now()
  let slowest_ms = 0
  for (let round = 0; !(await isOver(performance.now() - began)); round += 1) {
    const asked = performance.now()
    await ask(round)
    slowest_ms = Math.max(slowest_ms, performance.now() - asked)
    if (asked - began > deadline_ms) throw new Error('the messages were not written in time')
    await pause(2)
  }
  return { slowest_ms, took_ms: performance.now() - began }
}

async function mailsIn(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('mails')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Takes every message and keeps none. */
async function openSink(): Promise<Server> {
  const server = createServer(talk)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function talk(socket: Socket): void {
  let [rest, isData] = ['', false]
  socket.on('error', () => {})
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (isData && line !== '.') continue
      const isEnd = isData
      isData = !isEnd && /^data$/i.test(line)
      socket.write(isData ? '354 go on\r\n' : '250 fine\r\n')
    }
  })
}
