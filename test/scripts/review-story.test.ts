/** A change is proposed, discussed and merged by two people with git: a fork, lines that are talked of, a push that answers, a force push that moves them. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestUser, testForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { inFullRun } from '../support/run/tiers.ts'
import { clone, commit } from './git/wire.ts'

let forge: Forge
let owner: TestUser
let guest: TestUser

beforeAll(async () => {
  forge = await testForge()
  ;[owner, guest] = [await forge.user({ name: 'Ada' }), await forge.user({ name: 'Bo' })]
})

type Body = Record<string, unknown>

async function did<T = Body>(user: TestUser, method: 'get' | 'post' | 'put', path: string, body?: Body): Promise<T> {
  const client = forge.as(user)
  const answer = await (method === 'get' ? client.get(path) : client[method](path, body))
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body as T
}

interface Request extends Body {
  iid: number
  sha: string
  state: string
  merge_status: string
  diff_refs: { base_sha: string; start_sha: string; head_sha: string }
}

interface DiffNote {
  body: string
  type: string
  resolved: boolean
  position: { new_line: number | null; old_line: number | null; head_sha: string }
}

const numbers = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`)
const text = (lines: string[]) => `${lines.join('\n')}\n`
const replaced = (lines: string[], number: number, line: string) => lines.map((old, index) => (index === number - 1 ? line : old))

test('a fork’s change is discussed on its lines, answered by a push, moved by a force push, and squashed into the target', {
  ...inFullRun('1 s of processor. Each of its steps is tested beside its feature.'),
  timeout: 120_000,
}, async () => {
  const project = await forge.project({ owner, visibility: 'public', files: { 'engine.txt': text(numbers) } })
  const at = (path: string) => `/projects/${project.id}${path}`
  await did(owner, 'post', at('/issues'), { title: 'The engine stalls' })

  // A guest forks, changes two lines and adds a file, and proposes it.
  const fork = await did<{ id: number }>(guest, 'post', at('/fork'))
  await forge.drain()
  const theirs = await clone(await forge.remote({ ...project, ...fork, full_path: String((fork as Body).path_with_namespace) }, guest))
  await git(theirs, 'switch', '--quiet', '--create', 'fix')
  const changed = replaced(replaced(numbers, 3, 'line three'), 9, 'line nine')
  const first = await commit(theirs, { 'engine.txt': text(changed), 'pump.txt': 'new\n' }, 'Fix the engine')
  await git(theirs, 'push', '--quiet', 'origin', 'fix')
  const made = await did<Request>(guest, 'post', `/projects/${fork.id}/merge_requests`, {
    source_branch: 'fix',
    target_branch: 'main',
    target_project_id: project.id,
    title: 'Fix the engine',
    description: 'Closes #1',
  })
  expect([made.iid, made.state, made.sha]).toEqual([1, 'opened', first])

  // The owner fetches it with git, and asks about two lines.
  const mine = await clone(await forge.remote(project, owner))
  await git(mine, 'fetch', '--quiet', 'origin', 'refs/merge-requests/1/head')
  expect(await git(mine, 'rev-parse', 'FETCH_HEAD')).toBe(first)
  const request = await did<Request>(owner, 'get', at('/merge_requests/1'))
  const ask = (new_line: number, body: string) =>
    did<{ id: string; notes: DiffNote[] }>(owner, 'post', at('/merge_requests/1/discussions'), {
      body,
      position: { ...request.diff_refs, position_type: 'text', old_path: 'engine.txt', new_path: 'engine.txt', new_line },
    })
  const [three, nine] = [await ask(3, 'Why three?'), await ask(9, 'Is nine right?')]
  expect([three.notes[0]?.type, nine.notes[0]?.position.new_line]).toEqual(['DiffNote', 9])
  const reply = (id: string, body: string) => did(guest, 'post', at(`/merge_requests/1/discussions/${id}/notes`), { body })
  const noteOf = async ({ id }: { id: string }) =>
    (await did<{ notes: DiffNote[] }>(owner, 'get', at(`/merge_requests/1/discussions/${id}`))).notes[0]

  // A push answers the first: its line is another now, and the discussion stays where it was written.
  const second = await commit(theirs, { 'engine.txt': text(replaced(changed, 3, 'line 3, oiled')) }, 'Oil it')
  await git(theirs, 'push', '--quiet', 'origin', 'fix')
  await reply(three.id, 'Oiled.')
  await forge.drain()
  const [answered, untouched] = [await noteOf(three), await noteOf(nine)]
  expect([answered?.position.new_line, answered?.position.head_sha]).toEqual([3, first])
  expect([untouched?.position.new_line, untouched?.position.head_sha]).toEqual([9, second])

  // A force push moves the second: two lines more stand above it.
  const moved = ['a title', '', ...replaced(changed, 3, 'line 3, oiled')]
  await git(theirs, 'reset', '--quiet', '--hard', 'origin/main')
  const third = await commit(theirs, { 'engine.txt': text(moved), 'pump.txt': 'new\n' }, 'Fix the engine anew')
  await git(theirs, 'push', '--quiet', '--force', 'origin', 'fix')
  await forge.drain()
  const followed = await noteOf(nine)
  expect([followed?.position.new_line, followed?.position.head_sha]).toEqual([11, third])
  expect((await did<unknown[]>(owner, 'get', at('/merge_requests/1/versions'))).length).toBe(3)
  const notes = await did<Array<{ body: string; system: boolean }>>(owner, 'get', at('/merge_requests/1/notes?sort=asc'))
  expect(notes.filter(({ system, body }) => system && /^added \d commit/.test(body)).length).toBeGreaterThan(0)

  // All is answered: the owner resolves, and squashes.
  for (const { id } of [three, nine]) await did(owner, 'put', at(`/merge_requests/1/discussions/${id}`), { resolved: true })
  expect((await noteOf(nine))?.resolved).toBe(true)
  const ready = await did<Request>(owner, 'get', at('/merge_requests/1'))
  expect([ready.sha, ready.merge_status]).toEqual([third, 'can_be_merged'])
  const merged = await did<Request>(owner, 'put', at('/merge_requests/1/merge'), { squash: true, sha: third })
  expect([merged.state, (merged.merged_by as Body).username]).toEqual(['merged', owner.username])
  await forge.drain()
  await git(mine, 'pull', '--quiet')
  expect(await git(mine, 'rev-parse', 'HEAD^{tree}')).toBe(await git(theirs, 'rev-parse', 'HEAD^{tree}'))
  // The history has one squashed commit, and none of those that they wrote.
  expect((await git(mine, 'log', '--format=%s')).split('\n')).not.toContain('Oil it')
  expect(await did(owner, 'get', at('/issues/1'))).toMatchObject({ state: 'closed' })

  // A merge request can still be read and fetched after its fork was deleted.
  await forge.as(guest).delete(`/projects/${fork.id}`)
  await forge.drain()
  await git(mine, 'fetch', '--quiet', 'origin', 'refs/merge-requests/1/head')
  expect(await git(mine, 'rev-parse', 'FETCH_HEAD')).toBe(third)
  expect(await did(guest, 'get', at('/merge_requests/1'))).toMatchObject({ state: 'merged', source_project_id: null, sha: third })
})
