/** Statuses of commits: how they are posted and followed by others, what they come to, and who may. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../../../test/support/client.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git } from '../../../../test/support/git.ts'
import { lastPipelinesOf } from '../../repository/commits/commits.ts'

let forge: Forge
let developer: TestUser
let reporter: TestUser
let project: TestProject
let tip: string

beforeAll(async () => {
  forge = await testForge()
  developer = await forge.user()
  reporter = await forge.user()
  project = await forge.project({ developer, reporter, commits: [{ files: { a: '1' } }, { files: { a: '2' } }] })
  tip = await git(project.dir, 'rev-parse', 'main')
})

/** A commit nobody has said anything of, on a branch of its own. */
let commits = 0
async function freshCommit(): Promise<string> {
  const branch = `branch${++commits}`
  await git(project.dir, 'branch', branch, await git(project.dir, 'commit-tree', '-m', branch, '-p', tip, `${tip}^{tree}`))
  return git(project.dir, 'rev-parse', branch)
}

const post = (sha: string, body: object, user = developer) => forge.as(user).post(`/projects/${project.id}/statuses/${sha}`, body)
const list = (sha: string, query = '', user = reporter) =>
  forge.as(user).get(`/projects/${project.id}/repository/commits/${sha}/statuses${query}`)
const ofCommit = async (sha: string) => {
  const { body } = await forge.as(reporter).get(`/projects/${project.id}/repository/commits/${sha}`)
  return { status: body.status, last_pipeline: body.last_pipeline }
}
const rowsOf = (sha: string) => forge.app.db.selectFrom('commit_statuses').selectAll().where('sha', '=', sha).orderBy('id').execute()
const said = ({ status, body }: Answer) => [status, body]

describe('posting', () => {
  test('a state alone is enough: the name is `default`, the ref the first branch with the commit', async () => {
    await git(project.dir, 'branch', 'a-first', 'main')
    const { status, body } = await post(tip, { state: 'pending' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        sha: tip,
        ref: 'a-first',
        status: 'pending',
        name: 'default',
        target_url: null,
        description: null,
        created_at: expect.any(String),
        started_at: null,
        finished_at: null,
        allow_failure: false,
        coverage: null,
        author: expect.objectContaining({
          id: developer.id,
          username: developer.username,
          avatar_url: expect.stringMatching(/\/uploads\/-\/system\/user\/avatar\/\d+\/identicon\.v1\.png$/),
        }),
      },
    ])
    expect((await list(tip)).body).toEqual([body])
    await git(project.dir, 'branch', '-D', 'a-first')
  })

  test('every parameter is kept, in the body or the query, for a commit named by id or branch', async () => {
    const sha = await freshCommit()
    const all = {
      state: 'success',
      ref: 'any/ref',
      context: 'ci/build',
      target_url: 'https://ci.example.com/1?a=b',
      description: 'Fine – ü',
      coverage: 80.125,
    }
    const { status, body } = await post(`branch${commits}`, all)
    expect([status, body]).toMatchObject([
      201,
      {
        sha,
        status: 'success',
        ref: 'any/ref',
        name: 'ci/build',
        target_url: all.target_url,
        description: all.description,
        coverage: 80.13,
      },
    ])
    expect([body.started_at, body.finished_at]).toEqual([null, expect.any(String)])
    const query = await forge.as(developer).post(`/projects/${project.id}/statuses/${sha}?state=failed&name=unit&ref=any%2Fref&coverage=`)
    expect([query.status, query.body]).toMatchObject([201, { name: 'unit', status: 'failed', coverage: null }])
  })

  test('an unfinished status is updated; a finished one is followed by a new one', async () => {
    const sha = await freshCommit()
    const ids: number[] = []
    for (const [state, extra] of [
      ['pending', { description: 'Waiting', target_url: 'http://ci.example.com/1' }],
      ['running', { coverage: 50 }],
      ['failed', { description: 'Broken', coverage: 0 }],
      ['pending', {}],
      ['canceled', {}],
      ['success', {}],
    ] as const) {
      const { status, body } = await post(sha, { state, name: 'test', ...extra })
      expect([state, status, body.status]).toEqual([state, 201, state])
      ids.push(body.id)
    }
    expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 0, 0, 3, 3, 5])
    const [first, second, third] = (await list(sha, '?all=true')).body
    expect(first).toMatchObject({ status: 'failed', description: 'Broken', target_url: 'http://ci.example.com/1', coverage: 0 })
    expect(first.started_at <= first.finished_at).toBe(true)
    expect(second).toMatchObject({ status: 'canceled', description: null, started_at: null })
    expect((await list(sha)).body).toEqual([third])
  })

  test('an invalid transition is rejected with the reason, and nothing changes', async () => {
    const sha = await freshCommit()
    const told = (event: string, from: string) => [
      400,
      { message: `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")` },
    ]
    await post(sha, { state: 'pending' })
    const pending = await rowsOf(sha)
    expect(said(await post(sha, { state: 'pending', description: 'Again' }))).toEqual(told('enqueue', 'pending'))
    expect(await rowsOf(sha)).toEqual(pending)
    await post(sha, { state: 'running' })
    const running = await rowsOf(sha)
    expect(said(await post(sha, { state: 'running', description: 'Again' }))).toEqual(told('run', 'running'))
    expect(said(await post(sha, { state: 'pending' }))).toEqual(told('enqueue', 'running'))
    expect(await rowsOf(sha)).toEqual(running)
  })

  test('a status of another user is not continued: a new one of its name is created', async () => {
    const sha = await freshCommit()
    const other = forge.root
    const mine = (await post(sha, { state: 'running', name: 'x' })).body
    const theirs = (await post(sha, { state: 'success', name: 'x' }, other)).body
    expect(theirs.id).not.toBe(mine.id)
    expect((await list(sha)).body.map(({ id }: { id: number }) => id)).toEqual([theirs.id])
    expect((await ofCommit(sha)).status).toBe('success')
  })

  test('malformed values are rejected, and nothing is kept', async () => {
    const sha = await freshCommit()
    const long = 'x'.repeat(256)
    const blocked = { message: { target_url: ['is blocked: Only allowed protocols are http, https'] } }
    const tooLong = 'is too long (maximum is 255 characters)'
    for (const [body, fieldError] of [
      [{}, { error: 'state is missing' }],
      [{ state: 'created' }, { error: 'state does not have a valid value' }],
      [{ state: '' }, { error: 'state does not have a valid value' }],
      [{ state: 'success', target_url: 'nonsense' }, blocked],
      [{ state: 'success', target_url: 'javascript:alert(1)' }, blocked],
      [{ state: 'success', target_url: 'ftp://example.com' }, blocked],
      [{ state: 'success', target_url: '//example.com' }, blocked],
      [{ state: 'success', target_url: 'http://a\n.example.com' }, { message: { target_url: ['is blocked: URI is invalid'] } }],
      [{ state: 'success', target_url: `http://${long}` }, { message: { target_url: [tooLong] } }],
      [{ state: 'success', description: long }, { message: { description: [tooLong] } }],
      [{ state: 'success', name: long }, { message: { name: [tooLong] } }],
      [{ state: 'success', ref: 'x'.repeat(2_000) }, { message: { ref: ['is too long (maximum is 1024 characters)'] } }],
      [{ state: 'success', coverage: 100.1 }, { error: 'coverage does not have a valid value' }],
      [{ state: 'success', coverage: -1 }, { error: 'coverage does not have a valid value' }],
      [{ state: 'success', coverage: 'much' }, { error: 'coverage is invalid' }],
      [{ state: 'success', coverage: 1e308 }, { error: 'coverage does not have a valid value' }],
      [{ state: 'success', description: 'a\0b' }, { error: 'description is invalid' }],
    ] as const) {
      expect([body, ...said(await post(sha, body))]).toEqual([body, 400, fieldError])
    }
    expect(await rowsOf(sha)).toEqual([])
    expect(await ofCommit(sha)).toEqual({ status: null, last_pipeline: null })
  })

  test('an empty field counts as absent', async () => {
    const sha = await freshCommit()
    await post(sha, { state: 'pending', description: 'Kept', target_url: 'http://ci.example.com' })
    const { body } = await post(sha, { state: 'success', ref: '', name: '', description: '', target_url: ' ', coverage: '' })
    expect(body).toMatchObject({ name: 'default', ref: `branch${commits}`, description: 'Kept', target_url: 'http://ci.example.com' })
  })

  test('an unknown commit is 404, as is one without a ref that no branch contains', async () => {
    for (const sha of ['nothing', '-n', '0'.repeat(40), 'main..main', 'a%20b', '%00', 'main%3Aa']) {
      for (const answer of [await post(sha, { state: 'success' }), await list(sha)]) {
        expect([sha, ...said(answer)]).toEqual([sha, 404, { message: '404 Commit Not Found' }])
      }
    }
    const loose = await git(project.dir, 'commit-tree', '-m', 'loose', `${tip}^{tree}`)
    expect(said(await post(loose, { state: 'success' }))).toEqual([404, { message: '404 References for commit Not Found' }])
    expect((await post(loose, { state: 'success', ref: 'gone' })).status).toBe(201)
  })

  test('developers post, reporters read, guests and strangers do neither', async () => {
    const sha = await freshCommit()
    const guest = await forge.user()
    const stranger = await forge.user()
    const own = await forge.project({ guest, visibility: 'private' })
    const at = [`/projects/${own.id}/statuses/main`, `/projects/${own.id}/repository/commits/main/statuses`] as const
    expect((await post(sha, { state: 'success' }, reporter)).status).toBe(403)
    for (const [user, status] of [
      [guest, 403],
      [stranger, 404],
    ] as const) {
      expect([(await forge.as(user).post(at[0], { state: 'success' })).status, (await forge.as(user).get(at[1])).status]).toEqual([
        status,
        status,
      ])
    }
    expect([(await forge.anonymous.post(at[0])).status, (await forge.anonymous.get(at[1])).status]).toEqual([401, 401])
    expect(await rowsOf(sha)).toEqual([])
    await forge.app.db.updateTable('projects').set({ archived: true }).where('id', '=', own.id).execute()
    expect((await forge.as(forge.root).post(at[0], { state: 'success' })).status).toBe(403)
  })
})

describe('listing', () => {
  test('gives the latest of each name and ref, or all, by ref, stage and name, in pages', async () => {
    const sha = await freshCommit()
    for (const [ref, name, state] of [
      ['one', 'build', 'failed'],
      ['one', 'build', 'success'],
      ['one', 'test', 'running'],
      ['two', 'build', 'canceled'],
    ]) {
      await post(sha, { ref, name, state })
    }
    const names = async (query: string) =>
      (await list(sha, query)).body.map((row: Record<string, string>) => `${row.ref} ${row.name} ${row.status}`)
    const latest = ['one build success', 'one test running', 'two build canceled']
    expect(await names('')).toEqual(latest)
    expect(await names('?all=true')).toEqual(['one build failed', ...latest])
    expect(await names('?ref=one')).toEqual(latest.slice(0, 2))
    expect(await names('?name=build')).toEqual([latest[0], latest[2]])
    expect(await names('?stage=external')).toEqual(latest)
    expect(await names('?stage=other')).toEqual([])
    expect(await names('?ref=two&name=test')).toEqual([])
    expect(await names('?ref=&name=')).toEqual(latest)
    expect(await names('?per_page=2&page=2')).toEqual([latest[2]])
    expect((await list(sha, '?per_page=1')).headers['x-total']).toBe('3')
    expect(await names(`?name=${encodeURIComponent("'; drop table users; --")}`)).toEqual([])
    expect((await list(`branch${commits}`)).body).toHaveLength(3)
    expect((await list(tip)).body.every((row: { sha: string }) => row.sha === tip)).toBe(true)
  })
})

describe('the status of a commit', () => {
  test('is that of its newest pipeline per ref, and follows every update', async () => {
    const sha = await freshCommit()
    expect(await ofCommit(sha)).toEqual({ status: null, last_pipeline: null })
    let pipeline = 0
    for (const [state, name, status] of [
      ['pending', 'build', 'pending'],
      ['running', 'build', 'running'],
      ['success', 'build', 'success'],
      ['pending', 'test', 'running'],
      ['canceled', 'test', 'canceled'],
      ['failed', 'test', 'failed'],
      ['success', 'test', 'success'],
    ]) {
      await post(sha, { state, name })
      const seen = await ofCommit(sha)
      pipeline ||= seen.last_pipeline.id
      expect([state, name, seen]).toEqual([
        state,
        name,
        {
          status,
          last_pipeline: {
            id: pipeline,
            ref: `branch${commits}`,
            sha,
            status,
            web_url: expect.stringMatching(new RegExp(`/pipelines/${pipeline}$`)),
          },
        },
      ])
    }
    await post(sha, { state: 'failed', ref: 'other' })
    const { status, last_pipeline } = await ofCommit(sha)
    expect([status, last_pipeline.ref, last_pipeline.id === pipeline]).toEqual(['failed', 'other', false])
    const rows = await forge.app.db.selectFrom('pipelines').selectAll().where('sha', '=', sha).orderBy('id').execute()
    expect(rows).toMatchObject([
      {
        source: 'external',
        project_id: project.id,
        user_id: developer.id,
        status: 'success',
        started_at: expect.any(String),
        finished_at: expect.any(String),
      },
      { source: 'external', ref: 'other', status: 'failed', started_at: null },
    ])
  })

  test('concurrent posts leave one pipeline, every status, and the right result', async () => {
    const sha = await freshCommit()
    const names = Array.from({ length: 12 }, (_, index) => `job ${index}`)
    const answers = await Promise.all(names.map((name, index) => post(sha, { state: index === 7 ? 'failed' : 'success', name })))
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201))
    expect((await list(sha, '?per_page=50')).body.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
    const pipelines = await forge.app.db.selectFrom('pipelines').selectAll().where('sha', '=', sha).execute()
    expect(pipelines).toHaveLength(1)
    expect((await ofCommit(sha)).status).toBe('failed')
  })

  test('concurrent posts of one name continue each other', async () => {
    const sha = await freshCommit()
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(sha, { state: 'pending', name: 'same' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400])
    expect(await rowsOf(sha)).toHaveLength(1)
  })
})

test('statuses have the polling interval header, by the multiplier in the settings; 0 is never', async () => {
  const sha = await freshCommit()
  const waits = async () => (await list(sha)).headers['poll-interval']
  expect(await waits()).toBe('10000')
  for (const [multiplier, expected] of [
    [2.5, '25000'],
    [0.00015, '1'],
    [0, '-1'],
  ] as const) {
    await forge.as(forge.root).put('/application/settings', { polling_interval_multiplier: multiplier })
    expect([multiplier, await waits()]).toEqual([multiplier, expected])
  }
  await forge.as(forge.root).put('/application/settings', { polling_interval_multiplier: 1 })
})

test('each of several commits has its newest pipeline, by one statement; commits of other projects have none', async () => {
  const [one, other] = [await forge.project({ commits: [{ files: { a: 'a' } }, { files: { a: 'b' } }] }), await forge.project()]
  const [tip, parent] = [await git(one.dir, 'rev-parse', 'main'), await git(one.dir, 'rev-parse', 'main~1')]
  await git(one.dir, 'branch', 'newer', 'main')
  for (const [ref, state] of [
    ['main', 'failed'],
    ['newer', 'success'],
  ]) {
    await forge.as(forge.root).post(`/projects/${one.id}/statuses/${tip}`, { state, ref, name: 'build' })
  }
  const { db } = forge.app
  const read = async () => [...(await lastPipelinesOf(db, one.id, [parent, tip, tip])).entries()]
  expect((await read()).map(([sha, { status }]) => [sha, status])).toEqual([[tip, 'success']])
  expect(await forge.cost(read)).toEqual({ statements: 1, processes: 0 })
  expect((await lastPipelinesOf(db, other.id, [tip])).size).toBe(0)
  expect(await forge.cost(() => lastPipelinesOf(db, one.id, []))).toEqual({ statements: 0, processes: 0 })
})
