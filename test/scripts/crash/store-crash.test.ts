/** Uploads of large files survive a server that dies: each is complete if it was acknowledged, and never there by halves. */
import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import type { Tables } from '../../../src/db/tables.ts'
import { engine } from '../../support/database.ts'
import { chanceOf } from '../../support/run/seed.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

const chance = chanceOf('kills of the store')

const rounds = 4
const lanes = 6
const max_bytes = 6_000_000

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

test.skipIf(engine === 'postgres')(
  'kill -9 at random moments: no acknowledged upload is lost, each row has its object, and leftovers are removed',
  {
    ...inFullRun('7 s of processor. crash.test.ts kills a server among pushes, writes by the API and housekeeping.'),
    timeout: 600_000,
  },
  async () => {
    let server = await startServer()
    const { home } = server
    expect((await server.send('POST', '/projects', { name: 'crash' })).status).toBe(201)
    const [sent, acknowledged] = [new Set<string>(), new Set<string>()]
    for (let round = 0; round < rounds; round += 1) {
      let alive = true
      const running = Array.from({ length: lanes }, async () => {
        while (alive) {
          const oid = await uploadTo(server, sent).catch(() => null)
          if (oid !== null) acknowledged.add(oid)
        }
      })
      await new Promise((resolve) => setTimeout(resolve, 200 + chance() * 600))
      alive = false
      await server.kill()
      await Promise.all(running)
      await expectNothingHalf(home, sent)
      server = await startServer({ home })
    }
    expect(acknowledged.size).toBeGreaterThan(5)

    const rows = await query(home, (db) => db.selectFrom('lfs_objects').selectAll().execute())
    for (const { oid, store_key } of rows) expect(sha256(await readFile(join(home, 'objects', store_key)))).toBe(oid)
    for (const oid of acknowledged) expect(sha256(await downloadFrom(server, oid))).toBe(oid)

    await removeNow(home)
    expect((await filesOf(home)).toSorted()).toEqual(rows.map(({ store_key }) => store_key).toSorted())
    expect(await server.stop()).toBe(0)
  },
)

/** Gives the id of an object once the server has said that it has it. */
async function uploadTo(server: ServerProcess, sent: Set<string>): Promise<string | null> {
  const bytes = randomBytes(Math.floor(Math.random() * max_bytes))
  const oid = sha256(bytes)
  sent.add(oid)
  const { url, authorization } = objectOf(server, oid)
  const answer = await fetch(url, { method: 'PUT', headers: { authorization }, body: new Uint8Array(bytes) })
  return answer.status === 200 ? oid : null
}

async function downloadFrom(server: ServerProcess, oid: string): Promise<Buffer> {
  const { url, authorization } = objectOf(server, oid)
  const answer = await fetch(url, { headers: { authorization } })
  expect([oid, answer.status]).toEqual([oid, 200])
  return Buffer.from(await answer.arrayBuffer())
}

function objectOf(server: ServerProcess, oid: string): { url: string; authorization: string } {
  const { username, password, origin, pathname } = new URL(`${server.remote('crash')}/info/lfs/objects/${oid}`)
  return { url: origin + pathname, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Each object, referred to or not, must be a complete file that was sent. */
async function expectNothingHalf(home: string, sent: Set<string>): Promise<void> {
  const found = (await filesOf(home)).filter((name) => !name.startsWith('.unfinished/'))
  for (const key of found) expect(sent.has(sha256(await readFile(join(home, 'objects', key))))).toBe(true)
}

/** Lets the time come of all that nothing refers to, and waits until the server has removed it. */
async function removeNow(home: string): Promise<void> {
  const past = new Date(0).toISOString()
  await query(home, async (db) => {
    await db.updateTable('unreferenced_objects').set({ remove_after: past }).execute()
    await db.updateTable('jobs').set({ run_at: past }).where('name', '=', 'objects.remove').execute()
  })
  await expect
    .poll(() => query(home, (db) => db.selectFrom('unreferenced_objects').select('key').execute()), { timeout: 30_000 })
    .toEqual([])
}

async function filesOf(home: string): Promise<string[]> {
  const folder = join(home, 'objects')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

async function query<T>(home: string, read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = openDatabase(join(home, 'gitstead.sqlite'))
  try {
    return await read(db)
  } finally {
    await db.destroy()
  }
}
