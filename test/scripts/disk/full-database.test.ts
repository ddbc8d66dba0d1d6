/** A database without room at every statement of a request: the answer says so, nothing has changed, and the next try works. */
import { expect, test } from 'vitest'
import { reconcileAll } from '../../../src/features/repository/pushes/reconcile.ts'
import { engine } from '../../support/database.ts'
import { lfsClient } from '../../support/fixtures/lfs.ts'
import { type Forge, openForge, type TestProject } from '../../support/forge.ts'
import { asForm } from '../../support/form.ts'
import { git, tryGit } from '../../support/git.ts'
import { cpuBudget } from '../../support/run/cpu.ts'
import { inFullRun, isGate } from '../../support/run/tiers.ts'
import { commit } from '../git/wire.ts'

cpuBudget(8, 'each act is tried again for every statement that it sends')

/** Which statements fail: those from the n-th on, or that one alone; none where it is null. */
let failing: { from: number; alone: boolean } | null = null
let statements = 0
let failures = 0

function beforeStatement(statement: string): void {
  // Reading takes no room.
  if (failing === null || !/^(insert|update|delete|commit|with)/i.test(statement)) return
  statements += 1
  if (failing.alone ? statements !== failing.from : statements < failing.from) return
  failures += 1
  throw Object.assign(new Error('no room'), { code: engine === 'postgres' ? '53100' : 'SQLITE_FULL' })
}

const words = 'No storage left on the server'

interface ContractFixtures {
  forge: Forge
  project: TestProject
  work: string
}

/** Null where it was done; otherwise what the client was told. */
type Try = (fixtures: ContractFixtures, attempt: string) => Promise<string | null>

const told = ({ status, body }: { status: number; body: { message?: string } }) => (status < 300 ? null : `${status} ${body.message}`)

const requests: Record<string, Try> = {
  async 'a push'({ work }, attempt) {
    await commit(work, { 'file.txt': attempt })
    const { code, stderr } = await tryGit(work, 'push', 'origin', 'HEAD:refs/heads/pushed', `HEAD:refs/tags/at-${attempt}`)
    return code === 0 ? null : stderr
  },
  async 'a commit'({ forge, project }, attempt) {
    const actions = [{ action: 'create', file_path: `${attempt}.txt`, content: attempt }]
    const body = { branch: 'main', commit_message: 'A file', actions }
    return told(await forge.as(forge.root).post(`/projects/${project.id}/repository/commits`, body))
  },
  'a new branch': async ({ forge, project }, attempt) =>
    told(await forge.as(forge.root).post(`/projects/${project.id}/repository/branches`, { branch: attempt, ref: 'main' })),
  'a new tag': async ({ forge, project }, attempt) =>
    told(await forge.as(forge.root).post(`/projects/${project.id}/repository/tags`, { tag_name: attempt, ref: 'main', message: 'A tag' })),
  async 'a new tag with a release'({ forge, project }, attempt) {
    const body = { tag_name: `released-${attempt}`, ref: 'main', release_description: 'What is new' }
    return told(await forge.as(forge.root).post(`/projects/${project.id}/repository/tags`, body))
  },
  'a new project': async ({ forge }, attempt) => told(await forge.as(forge.root).post('/projects', { name: `new-${attempt}` })),
  'a large file': async ({ forge, project }, attempt) => told(await lfsClient(forge, project, forge.root).put(Buffer.from(attempt))),
  async 'an upload'({ forge, project }, attempt) {
    const { payload, headers } = asForm({ file: Buffer.from(attempt) })
    return told(await forge.as(forge.root).post(`/projects/${project.id}/uploads`, payload, { headers }))
  },
}

const max_statements = 100

/** Null once no statement of the request failed. */
async function tryFailing(fixtures: ContractFixtures, request: Try, from: number, alone: boolean): Promise<string[] | null> {
  const { dir } = fixtures.project
  const before = await git(dir, 'for-each-ref')
  statements = 0
  failures = 0
  failing = { from, alone }
  const said = await request(fixtures, `${from}-${alone}`)
  failing = null
  if (said === null) return failures === 0 ? null : []
  const moved = (await git(dir, 'for-each-ref')) !== before
  const again = await request(fixtures, `again-${from}-${alone}`)
  const wrong = [
    ...(said.includes(words) ? [] : [`it said ${said}`]),
    ...(moved ? ['refs moved'] : []),
    ...(again === null ? [] : [`then it said ${again}`]),
  ]
  return wrong.map((what) => `statement ${from}: ${what}`)
}

let fixtures: Promise<ContractFixtures> | null = null

async function openFixtures(): Promise<ContractFixtures> {
  const forge = await openForge({ beforeStatement })
  const project = await forge.project()
  const work = await forge.folder()
  await git(work, 'clone', '--quiet', await forge.remote(project, forge.root), '.')
  return { forge, project, work }
}

/**
 * The room ends at each statement, or at some of them, to be quick: what stays full fails as one statement does, and then cleans up. In the
 * gate only a commit is tried at each, as it sends all kinds of statements that a push does.
 */
const every = process.env.GITSTEAD_TEST_FULL_DISK === 'every'
const stepOf = (name: string, alone: boolean) => (every || (alone && (!isGate || name === 'a commit')) ? 1 : 3)

const kinds = { 'one statement fails': true, 'it stays full': false }
const cases = Object.entries(kinds).flatMap(([kind, alone]) =>
  Object.entries(requests).map(([name, request]) => [name, kind, request, alone] as const),
)

/** In the gate each where one statement fails on PostgreSQL, whose failures are told less directly, and a commit on SQLite. */
const tierOf = (name: string, alone: boolean) =>
  alone && (name === 'a commit' || engine === 'postgres')
    ? {}
    : inFullRun('1 to 3 s of processor each. Where it stays full the clean-up is the same for all.')

for (const [name, kind, request, alone] of cases)
  test(`${name} where ${kind}`, { ...tierOf(name, alone), timeout: 180_000 }, async () => {
    fixtures ??= openFixtures()
    const wrong: string[] = []
    let from = 1
    for (
      let found = await tryFailing(await fixtures, request, from, alone);
      found;
      found = await tryFailing(await fixtures, request, from, alone)
    ) {
      wrong.push(...found)
      from += stepOf(name, alone)
      if (from >= max_statements || wrong.length > 20) break
    }
    expect(wrong).toEqual([])
    expect(from).toBeGreaterThan(2)
    expect(from).toBeLessThan(max_statements)
  })

test('afterwards every open intent is settled, and the events of each ref lead from nothing to where it is', async () => {
  const { forge, project } = await (fixtures ?? openFixtures())
  await reconcileAll(forge.app)
  expect(await forge.app.db.selectFrom('push_intents').select('id').execute()).toEqual([])
  const events = await forge.app.db
    .selectFrom('events')
    .select(['ref', 'before_oid', 'after_oid'])
    .where('project_id', '=', project.id)
    .where('action', '=', 'pushed')
    .execute()
  const refs = (await git(project.dir, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').map((line) => line.split(' '))
  for (const [ref, tip] of refs) {
    const steps = new Map(events.filter((event) => event.ref === ref).map(({ before_oid, after_oid }) => [before_oid, after_oid]))
    let at = steps.get(null)
    for (let next = at; next; next = steps.get(next)) at = next
    expect([ref, at]).toEqual([ref, tip])
  }
})
