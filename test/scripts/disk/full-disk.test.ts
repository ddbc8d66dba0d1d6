/** A full disk at every file that a request writes: the answer says so, nothing has changed, nothing is left, and the next try works. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { hashedPath } from '../../../src/git/repository/repository.ts'
import { engine } from '../../support/database.ts'
import { testForge } from '../../support/forge.ts'
import { type FullDisk, fullDisk, whyNoFullDisk } from '../../support/full-disk.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun } from '../../support/run/tiers.ts'
import { commit, workTree } from '../git/wire.ts'
import { type ServerProcess, startServer } from '../server-process.ts'

cpuBudget(8, 'A server is started on a disk that is full at each of its calls.')

const reason = engine === 'postgres' ? 'one engine is enough' : await whyNoFullDisk()
if (reason !== null) console.warn(`No disk is filled: ${reason}`)

let disk: FullDisk
let server: ServerProcess
let work: string
let dir: string

beforeAll(async () => {
  if (reason !== null) return
  const forge = await testForge()
  const home = await forge.folder()
  disk = await fullDisk(await forge.folder(), home)
  server = await startServer({ home, limit: disk.limit, programs: disk.programs })
  await server.send('POST', '/projects', { name: 'disk' })
  dir = join(home, 'repositories', hashedPath(1))
  work = await workTree()
  await git(work, 'push', '--quiet', server.remote('disk'), 'main')
  await git(work, 'checkout', '--quiet', '-b', 'pushed')
})

/** Null where it was done; otherwise what the client was told. */
type Try = (attempt: number) => Promise<string | null>

const words = 'No storage left on the server'

async function toldBy(answer: Response): Promise<string | null> {
  return answer.ok ? null : `${answer.status} ${((await answer.json()) as { message: string }).message}`
}

const project = '/projects/1'
const actions = (attempt: number) => [{ action: 'create', file_path: `folder/${attempt}.txt`, content: `${attempt}` }]

function lfsAddress(content: string): { url: string; authorization: string } {
  const oid = createHash('sha256').update(content).digest('hex')
  const { username, password, origin, pathname } = new URL(`${server.remote('disk')}/info/lfs/objects/${oid}`)
  return { url: origin + pathname, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

const requests: Record<string, { attempt: Try; told: string }> = {
  'a push': {
    async attempt(attempt) {
      await commit(work, { 'file.txt': String(attempt) })
      const { code, stderr } = await tryGit(work, 'push', server.remote('disk'), 'pushed')
      return code === 0 ? null : stderr
    },
    told: words,
  },
  'a large push': {
    async attempt(attempt) {
      await commit(work, Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`many/${index}`, `${attempt} ${index}`])))
      const { code, stderr } = await tryGit(work, 'push', server.remote('disk'), 'pushed:refs/heads/large')
      return code === 0 ? null : stderr
    },
    told: words,
  },
  'a commit of the API': {
    attempt: async (attempt) =>
      toldBy(
        await server.send('POST', `${project}/repository/commits`, { branch: 'main', commit_message: 'A file', actions: actions(attempt) }),
      ),
    told: `500 500 ${words}`,
  },
  'a new branch': {
    attempt: async (attempt) =>
      toldBy(await server.send('POST', `${project}/repository/branches`, { branch: `deep/${attempt}/er`, ref: 'main' })),
    told: `500 500 ${words}`,
  },
  'a new tag': {
    attempt: async (attempt) =>
      toldBy(await server.send('POST', `${project}/repository/tags`, { tag_name: `v${attempt}`, ref: 'main', message: 'A tag' })),
    told: `500 500 ${words}`,
  },
  'a new project': {
    attempt: async (attempt) => toldBy(await server.send('POST', '/projects', { name: `new${attempt}` })),
    told: `500 500 ${words}`,
  },
  'a large file': {
    async attempt(attempt) {
      const body = `${attempt}`.repeat(100_000)
      const { url, authorization } = lfsAddress(body)
      return toldBy(await fetch(url, { method: 'PUT', headers: { authorization }, body }))
    },
    told: `507 ${words}`,
  },
  'an upload': {
    async attempt(attempt) {
      const form = new FormData()
      form.set('file', new File([`${attempt}`.repeat(1_000)], 'file.txt'))
      const headers = { 'private-token': server.token }
      return toldBy(await fetch(`${server.url}/api/v4${project}/uploads`, { method: 'POST', headers, body: form }))
    },
    told: `500 500 ${words}`,
  },
}

/** Files that a failed request must not leave. */
async function staleFiles(): Promise<string[]> {
  const below = async (folder: string) =>
    (await readdir(join(server.home, folder), { recursive: true }).catch(() => [])).map((name) => join(folder, name))
  const unfinished = /(^|\/)(tmp_|\.tmp-|fast_import_crash_|arriving-|\.probe-)|\.lock$|\.keep$|\.new-|\.unfinished\/|^scratch\//
  return [...(await below('repositories')), ...(await below('objects')), ...(await below('scratch'))].filter((name) =>
    unfinished.test(name),
  )
}

/** Housekeeping may be under way, and has files of its own. */
async function leftoversAtRest(): Promise<string[]> {
  await expect
    .poll(staleFiles)
    .toEqual([])
    .catch(() => {})
  return staleFiles()
}

/** The disk is full at each call of a request, or at some of them, to be quick. */
const step = process.env.GITSTEAD_TEST_FULL_DISK === 'every' ? 1 : 6
/** Beyond that it doesn't end. */
const max_calls = 400

/** Runs one try on a disk that is full from its n-th call on, and lists its faults; null once the disk was never full for it. */
async function tryWithRoomFor(calls: number, { attempt, told }: (typeof requests)[string]): Promise<string[] | null> {
  const before = await git(dir, 'for-each-ref')
  await disk.fillAfter(calls)
  const said = await attempt(calls)
  const { failed } = await disk.makeRoom()
  if (said === null) return failed === 0 ? null : []
  const left = await leftoversAtRest()
  const moved = (await git(dir, 'for-each-ref')) !== before
  const again = await attempt(1_000 * calls)
  const wrong = [
    ...(said.includes(told) ? [] : [`it said ${said}`]),
    ...(moved ? ['refs moved'] : []),
    ...(left.length > 0 ? [`it left ${left.join(' ')}`] : []),
    ...(again === null ? [] : [`then it said ${again}`]),
  ]
  return wrong.map((what) => `full at call ${calls}: ${what}`)
}

const others = inFullRun('2 to 5 s of processor each. A commit of the API writes objects, a ref, the journal and events, as they do.')

for (const [name, request] of Object.entries(requests))
  test.skipIf(reason !== null)(name, { ...(name !== 'a commit of the API' && others), timeout: 300_000 }, async () => {
    const wrong: string[] = []
    let calls = 1
    for (let tried = await tryWithRoomFor(calls, request); tried; tried = await tryWithRoomFor(calls, request)) {
      wrong.push(...tried)
      calls += step
      if (calls >= max_calls || wrong.length > 30) break
    }
    console.log(`${name}: a disk full at every ${step}. of ${calls - 1} calls`)
    expect(wrong).toEqual([])
    expect(calls).toBeGreaterThan(3)
    expect(calls).toBeLessThan(max_calls)
    expect((await tryGit(dir, 'fsck', '--connectivity-only')).code).toBe(0)
  })
