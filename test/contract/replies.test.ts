/** Every reply is what its endpoint declares: before it is serialised, so that nothing is quietly bent into shape, and after. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { beforeAll, expect, test } from 'vitest'
import type { TestUser } from '../support/forge.ts'
import { makeSmallThings } from '../support/small-things.ts'
import { addressOf, contractWorld, queryOf, type Served, served, type World } from './world.ts'

const reading = served.filter(({ endpoint }) => endpoint.method === 'GET')

let world: World
let handed: unknown

beforeAll(async () => {
  const { testForge } = await import('../support/forge.ts')
  const { server } = await testForge()
  // Before the first request, as the server asks: what a handler gave, untouched.
  server.addHook('preSerialization', async (_request, _reply, payload) => {
    handed = payload
    return payload
  })
  world = await contractWorld()
})

test('every GET endpoint finds something in the contract world, as its declared schema says', async () => {
  const wrong: unknown[] = []
  for (const one of reading) {
    for (const user of [world.forge.root, world.insider]) {
      const complaint = await complaintOf(one, user, world.project.id)
      if (complaint) wrong.push([one.name, user.username, complaint])
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
    const complaint = await complaintOf(one, null, open.id, public_)
    if (complaint) wrong.push([one.name, complaint])
  }
  expect(wrong).toEqual([])
})

/** What is wrong with the reply, null when nothing is. */
async function complaintOf({ endpoint, path }: Served, user: TestUser | null, projectId: number, at = world): Promise<unknown> {
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
