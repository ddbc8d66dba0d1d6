/** Every reply is what its endpoint declares: before it is serialised, so that nothing is quietly bent into shape, and after. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { beforeAll, expect, test } from 'vitest'
import { makeSmallThings } from '../support/fixtures.ts'
import type { TestUser } from '../support/forge.ts'
import { addressOf, type ContractFixtures, contractFixtures, queryOf, type Served, served } from './fixtures.ts'

const reading = served.filter(({ endpoint }) => endpoint.method === 'GET')

let world: ContractFixtures
let handed: unknown

beforeAll(async () => {
  // Before there is a server: what a handler gave, untouched.
  for (const { endpoint } of served) endpoint.handle = noted(endpoint)
  world = await contractFixtures()
})

function noted({ kind, handle }: Served['endpoint']): Served['endpoint']['handle'] {
  return async (context) => {
    const given = await handle(context)
    handed = kind === 'list' ? (given as { rows: unknown[] }).rows : given
    return given
  }
}

test('every GET endpoint finds something in the contract world, as its declared schema says', async () => {
  const wrong: unknown[] = []
  for (const one of reading) {
    for (const user of [world.forge.root, world.insider]) {
      const fieldError = await fieldErrorOf(one, user, world.project.id)
      if (fieldError) wrong.push([one.name, user.username, fieldError])
    }
  }
  expect(wrong).toEqual([])
})

test('what anonymous callers read of a public project keeps the same word', async () => {
  const { forge } = world
  const open = await forge.project({ visibility: 'public', commits: [{ files: { 'README.md': 'Hello\n' } }] })
  const repo = forge.app.git.open(open.id)
  const { git } = await import('../support/git.ts')
  await git(repo.dir, 'tag', 'v1', 'main')
  const { badge_id } = await makeSmallThings(forge, await forge.user(), await forge.group(), open)
  const values = { ...world.values, sha: await git(repo.dir, 'rev-parse', 'main'), badge_id: badge_id as string }
  const public_ = { ...world, project: open, values, blob: await git(repo.dir, 'rev-parse', 'main:README.md') }
  const wrong: unknown[] = []
  for (const one of reading.filter(({ endpoint, path }) => endpoint.access.anonymous && path.startsWith('/projects'))) {
    const fieldError = await fieldErrorOf(one, null, open.id, public_)
    if (fieldError) wrong.push([one.name, fieldError])
  }
  expect(wrong).toEqual([])
})

/** What is wrong with the reply, null when nothing is. */
async function fieldErrorOf({ endpoint, path }: Served, user: TestUser | null, projectId: number, at = world): Promise<unknown> {
  const client = user ? at.forge.as(user) : at.forge.anonymous
  handed = undefined
  const id = path.startsWith('/projects/:') ? String(projectId) : undefined
  const answer = await client.get(addressOf(at, path, id) + queryOf(at, endpoint))
  // Some things are for administrators alone; anybody may learn that.
  if (answer.status === 403 && user && !user.admin && /Administrators/.test(endpoint.access.description)) return null
  // What is somebody's own is there for him alone.
  if (answer.status === 404 && user?.admin && path.startsWith('/user/')) return null
  if (answer.status !== endpoint.status) return [answer.status, answer.text]
  if (endpoint.kind === 'stream' || !endpoint.reply) return answer.bytes.length > 0 ? null : 'no bytes'
  const schema = Compile(endpoint.kind === 'list' ? Type.Array(endpoint.reply) : endpoint.reply)
  if (endpoint.kind === 'list' && answer.body.length === 0 && user?.admin) return 'an empty list proves nothing'
  for (const [stage, value] of Object.entries({ handed, served: answer.body })) {
    if (!schema.Check(value)) return [stage, schema.Errors(value).slice(0, 5)]
  }
  return null
}
