/** Pull mirrors: what comes from the other repository, by which rules, and what is told of it. */
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { type TestProject, testForge } from '../../../../test/support/forge.ts'
import { git, seed } from '../../../../test/support/git.ts'
import { cpuBudget } from '../../../../test/support/run/cpu.ts'
import { inFullRun, onPostgresAlone } from '../../../../test/support/run/tiers.ts'
import { writeSettings } from '../../instance/settings/settings.service.ts'

cpuBudget(6, 'Fetches from mirrors by git.')

/** A project and one that follows it, by a token of their maintainer. */
async function pair(settings: Record<string, unknown> = {}) {
  const forge = await testForge()
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: true })
  const user = await forge.user()
  const source = await forge.project({ maintainer: user })
  const target = await forge.project({ maintainer: user, files: null })
  const at = `/projects/${target.id}/mirror/pull`
  const url = await forge.remote(source, user)
  const set = (sent: Record<string, unknown>) => forge.as(user).put(at, sent)
  const update = async () => {
    const { status } = await forge.as(user).post(at)
    expect(status).toBe(200)
    await forge.drain()
    return (await forge.as(user).get(at)).body
  }
  expect((await set({ url, ...settings })).status).toBe(200)
  await forge.drain()
  return { forge, user, source, target, at, url, set, update }
}

const refs = ({ dir }: TestProject) => git(dir, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags')
const builds = { '.gitlab-ci.yml': 'test:\n  script: make\n' }

test(
  'branches and tags arrive at once and by the schedule, as pushes of the user who set up the mirror',
  onPostgresAlone('1 s of processor.'),
  async () => {
    const { forge, user, source, target, at } = await pair()
    expect(await refs(target)).toBe(await refs(source))
    expect((await forge.as(user).get(`/projects/${target.id}`)).body.default_branch).toBe('main')
    await git(source.dir, 'update-ref', 'refs/merge-requests/1/head', 'main')
    await git(source.dir, 'tag', '-m', 'First', 'v1', 'main')
    await seed(source.dir, [{ branch: 'topic', files: builds }])

    // Half an hour later.
    const past = new Date(0).toISOString()
    await forge.app.db.updateTable('pull_mirrors').set({ next_update_at: past }).where('project_id', '=', target.id).execute()
    await forge.app.db.updateTable('jobs').set({ run_at: past }).where('name', '=', 'mirrors.pull_due').execute()
    await forge.drain()

    expect(await refs(target)).toBe(await refs(source))
    expect(await git(target.dir, 'for-each-ref', 'refs/merge-requests')).toBe('')
    expect(await git(target.dir, 'fsck', '--full', '--strict')).toBe('')
    expect((await forge.as(user).get(at)).body).toMatchObject({ update_status: 'finished', last_error: null })
    const events = (await forge.as(user).get(`/projects/${target.id}/events`)).body as Array<{ push_data?: { ref: string } }>
    expect(events.map(({ push_data }) => push_data?.ref)).toEqual(expect.arrayContaining(['topic', 'v1', 'main']))
    expect((await forge.as(user).get(`/projects/${target.id}/pipelines`)).body).toEqual([])
  },
)

test(
  'pipelines are started where that is wanted',
  inFullRun('Half a second of processor. Branches come as pushes, above, and a push makes a pipeline in `pipelines.test.ts`.'),
  async () => {
    const { forge, user, source, target, update } = await pair({ mirror_trigger_builds: true })
    await seed(source.dir, [{ branch: 'topic', files: builds }])
    await update()
    expect((await forge.as(user).get(`/projects/${target.id}/pipelines`)).body.length).toBe(1)
  },
)

test(
  'diverged branches stay, unless the mirror overwrites them and their protection allows that',
  inFullRun('1 s of processor. Push mirrors keep diverged branches where that is wanted.'),
  async () => {
    const { source, target, set, update, forge, user } = await pair()
    await git(source.dir, 'branch', 'topic', 'main')
    await update()
    await seed(target.dir, [
      { branch: 'topic', files: { ours: 'x' } },
      { branch: 'main', files: { ours: 'x' } },
    ])
    await seed(source.dir, [
      { branch: 'topic', files: { theirs: 'x' } },
      { branch: 'main', files: { theirs: 'x' } },
    ])
    const before = await refs(target)
    expect((await update()).last_error).toBe('Some refs have diverged and have not been updated: refs/heads/main, refs/heads/topic')
    expect(await refs(target)).toBe(before)

    await set({ mirror_overwrites_diverged_branches: true })
    expect(await update()).toMatchObject({ last_error: 'The rules of this project refuse: refs/heads/main', update_status: 'failed' })
    expect(await git(target.dir, 'rev-parse', 'topic')).toBe(await git(source.dir, 'rev-parse', 'topic'))

    expect((await forge.as(user).delete(`/projects/${target.id}/protected_branches/main`)).status).toBe(204)
    expect((await update()).last_error).toBe(null)
    expect(await refs(target)).toBe(await refs(source))
  },
)

test(
  'what was deleted elsewhere stays here; only chosen branches come',
  inFullRun('Half a second of processor. Chosen branches are those of push mirrors, with the same patterns.'),
  async () => {
    const { source, target, set, update } = await pair({ mirror_branch_regex: '^main$' })
    await git(source.dir, 'branch', 'topic', 'main')
    expect((await update()).last_error).toBe(null)
    expect(await refs(target)).not.toContain('topic')
    await set({ mirror_branch_regex: null })
    await update()
    await git(source.dir, 'branch', '-D', 'topic')
    await update()
    expect(await refs(target)).toContain('topic')
  },
)

test('credentials are sealed, and taken apart from the URL too', onPostgresAlone('Half a second of processor.'), async () => {
  const { forge, user, source, target, at, set, update, url } = await pair()
  await set({ url: await forge.remote(source) })
  expect((await update()).last_error).toMatch(/requires a username and a password/)
  await set({ auth_user: user.username, auth_password: user.token })
  expect((await update()).last_error).toBe(null)
  const shown = await forge.as(user).get(at)
  const rows = await forge.app.db.selectFrom('pull_mirrors').selectAll().execute()
  const jobs = await forge.app.db.selectFrom('jobs').selectAll().execute()
  expect(JSON.stringify([shown.body, rows, jobs])).not.toContain(user.token)
  expect(shown.body.url).toBe(url.replace(/\/\/.*@/, '//*****:*****@'))
  expect((await forge.as(user).get(`/projects/${target.id}`)).body.import_url ?? null).toBe(null)
})

test('credentials with half of a surrogate pair are refused and change nothing', async () => {
  const { forge, user, at, set } = await pair()
  const before = (await forge.as(user).get(at)).body
  for (const field of ['auth_user', 'auth_password']) {
    const { status, body } = await set({ [field]: 'a\udfffb' })
    expect([status, body]).toEqual([400, { message: { [field]: ['is invalid'] } }])
  }
  expect((await forge.as(user).get(at)).body).toEqual(before)
})

test('who may not push any more brings nothing, nor does a place that is forbidden now', async () => {
  const { forge, user, source, target, at, set, url } = await pair()
  const before = await refs(target)
  await git(source.dir, 'branch', 'topic', 'main')
  await forge.as(forge.root).put(`/projects/${target.id}/members/${user.id}`, { access_level: 30 })
  expect((await set({ url })).status).toBe(403)
  expect((await forge.as(forge.root).post(at)).status).toBe(200)
  await forge.drain()
  const root = forge.as(forge.root)
  expect((await root.get(at)).body.last_error).toBe('Whoever set up the mirror is no maintainer of the project any more')

  await root.put(at, { enabled: true })
  await writeSettings(forge.app.db, { allow_local_requests_from_hooks_and_services: false })
  await forge.drain()
  expect((await root.get(at)).body.last_error).toBe('Requests to the local network are not allowed')
  expect((await root.put(at, { url: 'http://127.0.0.1/x' })).status).toBe(400)
  expect(await refs(target)).toBe(before)
})

test('a shallow repository elsewhere makes none of ours', async () => {
  const { source, target, update } = await pair()
  await seed(source.dir, [{ branch: 'main', files: { b: '1' } }, { files: { b: '2' } }])
  const before = await refs(target)
  await git(source.dir, 'update-ref', '--no-deref', 'refs/heads/deep', 'main')
  await writeFile(`${source.dir}/shallow`, `${await git(source.dir, 'rev-parse', 'main')}\n`)

  const state = await update()

  expect(state.update_status).toBe('to_retry')
  expect(await refs(target)).toBe(before)
  expect(await git(target.dir, 'rev-parse', '--is-shallow-repository')).toBe('false')
})

test('a project without one says so', async () => {
  const forge = await testForge()
  const project = await forge.project()
  const answer = await forge.as(forge.root).get(`/projects/${project.id}/mirror/pull`)
  expect([answer.status, answer.body]).toEqual([400, { message: 'The project is not mirrored' }])
  for (const sent of [
    { enabled: true },
    { url: 'ftp://example.com/x' },
    { url: 'file:///etc' },
    { url: 'https://example.com/x', mirror_branch_regex: '(' },
  ]) {
    expect([sent, (await forge.as(forge.root).put(`/projects/${project.id}/mirror/pull`, sent)).status]).toEqual([sent, 400])
  }
})
