/** Users run pipelines, jobs and environments and fetch artifacts on pages, as far as their role allows. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../test/support/browser.ts'
import { readDocument } from '../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../test/support/fixtures/page-fixture.ts'
import { type DrawnJob, pipelineOf, print } from '../../../test/support/fixtures/pipelines.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../test/support/forge.ts'
import { git } from '../../../test/support/git.ts'
import { now } from '../../db/instants.ts'

let forge: Forge
let maintainer: TestUser
let project: TestProject
let sha: string
let base: string
let browsers: Record<'owner' | 'maintainer' | 'developer' | 'guest', Browser>

beforeAll(async () => {
  forge = await testForge()
  const [owner, first, developer, guest] = await Promise.all([1, 2, 3, 4].map(() => forge.user({ password })))
  maintainer = first as TestUser
  project = await forge.project({ owner: owner as TestUser, maintainer, developer: developer as TestUser, visibility: 'public' })
  await forge.as(maintainer).post(`/projects/${project.id}/members`, { user_id: guest?.id, access_level: 10 })
  base = `/${project.full_path}`
  sha = await git(project.dir, 'rev-parse', 'main')
  // Developers run what is on it.
  await forge.as(maintainer).delete(`/projects/${project.id}/protected_branches/main`)
  const [a, b, c, d] = await Promise.all([owner, maintainer, developer, guest].map((user) => signedIn(forge, user as TestUser)))
  browsers = { owner: a as Browser, maintainer: b as Browser, developer: c as Browser, guest: d as Browser }
})

const tokenOf = async (browser: Browser) => /name="form_token" value="([^"]+)"/.exec((await browser.get('/')).text)?.[1] as string
const jobs = async (...drawn: DrawnJob[]) => {
  const made = await pipelineOf(forge, project, maintainer, { status: 'success', sha, jobs: drawn })
  return {
    id: made.id,
    at: (name: string) => `${base}/-/jobs/${made.jobs.get(name)?.id}`,
    idOf: (name: string) => made.jobs.get(name)?.id as number,
  }
}

async function artifact(job_id: number): Promise<void> {
  const row = {
    job_id,
    project_id: project.id,
    file_type: 'archive',
    file_format: 'zip',
    filename: 'a.zip',
    size: 1,
    sha256: '',
    created_at: now(),
  }
  await forge.app.db
    .insertInto('ci_artifacts')
    .values({ ...row, store_key: `test/${job_id}`, public: true, expires_at: '2999-01-01T00:00:00.000Z' } as never)
    .execute()
}
const artifactsOf = (job_id: number) => forge.app.db.selectFrom('ci_artifacts').select('expires_at').where('job_id', '=', job_id).execute()

test('a manual job is run with variables, which it alone gets', async () => {
  const { at, idOf } = await jobs({ name: 'deploy', stage: 'deploy', status: 'manual' })
  const address = at('deploy')
  const me = browsers.developer
  expect((await me.get(address)).text).toContain(`${address}/play`)
  const wrong = await me.submit(`${address}/play`, `${address}/play`, { variables: 'no name' })
  expect([wrong.status, readDocument(wrong.text).faults]).toEqual([422, []])
  expect((await me.submit(`${address}/play`, `${address}/play`, { variables: 'TARGET=harbour' })).status).toBe(303)
  const row = await forge.app.db.selectFrom('ci_jobs').select('played_variables').where('id', '=', idOf('deploy')).executeTakeFirstOrThrow()
  expect(row.played_variables).not.toContain('harbour')
  expect(forge.app.secrets.unseal(row.played_variables as string, 'ci_jobs.played_variables')).toContain('harbour')
  expect((await browsers.guest.get(`${address}/play`)).status).toBe(403)
})

test('artifacts are kept by developers and deleted by maintainers; a job is erased by maintainers and who started it', async () => {
  const { at, idOf } = await jobs({ name: 'unit', stage: 'test', status: 'success' })
  const [address, id] = [at('unit'), idOf('unit')]
  await print(forge, id, 'a secret line\n')
  await artifact(id)
  const form_token = await tokenOf(browsers.developer)
  for (const path of ['/erase', '/artifacts/delete']) {
    expect([path, (await browsers.developer.post(address + path, { form_token })).status]).toEqual([path, 403])
  }
  const guest = { form_token: await tokenOf(browsers.guest) }
  for (const path of ['/play', '/retry', '/cancel', '/erase', '/artifacts/keep', '/artifacts/delete']) {
    expect([path, (await browsers.guest.post(address + path, guest)).status]).toEqual([path, 403])
  }
  const shown = (await browsers.developer.get(address)).text
  expect([shown.includes(`${address}/erase`), shown.includes(`${address}/artifacts/delete`)]).toEqual([false, false])
  expect((await browsers.developer.submit(address, `${address}/artifacts/keep`)).status).toBe(303)
  expect(await artifactsOf(id)).toEqual([{ expires_at: null }])
  expect((await browsers.maintainer.submit(address, `${address}/artifacts/delete`)).status).toBe(303)
  expect(await artifactsOf(id)).toEqual([])
  expect((await browsers.maintainer.get(`${address}/raw`)).text).toBe('a secret line\n')
  expect((await browsers.maintainer.submit(address, `${address}/erase`)).status).toBe(303)
  const erased = await browsers.maintainer.get(address)
  expect([erased.text.includes('The log was erased'), erased.text.includes('a secret line'), erased.text.includes('/erase"')]).toEqual([
    true,
    false,
    false,
  ])
})

test('a pipeline is deleted by owners, with its jobs', async () => {
  const { id, at } = await jobs({ name: 'unit', stage: 'test', status: 'success' })
  const address = `${base}/pipelines/${id}`
  expect((await browsers.maintainer.get(address)).text).not.toContain(`${address}/delete`)
  expect((await browsers.maintainer.post(`${address}/delete`, { form_token: await tokenOf(browsers.maintainer) })).status).toBe(403)
  expect((await browsers.owner.submit(address, `${address}/delete`)).status).toBe(303)
  expect([(await browsers.owner.get(address)).status, (await browsers.owner.get(at('unit'))).status]).toEqual([404, 404])
})

test('an environment shows its deployments; one before the current is a rollback, the current is deployed again', async () => {
  const made = await forge.as(maintainer).post(`/projects/${project.id}/environments`, { name: 'harbour' })
  const address = `${base}/environments/${made.body.id}`
  const deploy = async (iid: number, status: 'success' | 'failed', on_stop: string | null = null) => {
    const { idOf } = await jobs({ name: 'deploy', stage: 'deploy', status }, { name: 'stop', stage: 'deploy', status: 'manual' })
    const at = now()
    const about = { project_id: project.id, environment_id: made.body.id, ref: 'main', tag: false, sha, user_id: maintainer.id, on_stop }
    await forge.app.db
      .insertInto('ci_deployments')
      .values({ ...about, iid, job_id: idOf('deploy'), status, created_at: at, updated_at: at, finished_at: at })
      .execute()
    return `${base}/-/jobs/${idOf('deploy')}/retry`
  }
  const first = await deploy(1, 'success')
  await deploy(2, 'success')
  const { text } = await browsers.developer.get(address)
  const rows = text.match(/<li>.*?<\/li>/gs)?.filter((row) => row.includes('#1</b>') || row.includes('#2</b>')) ?? []
  expect(rows.map((row) => [row.includes('current'), row.includes('Deploy again'), row.includes('Roll back')])).toEqual([
    [true, true, false],
    [false, false, true],
  ])
  expect([readDocument(text).faults, text.includes('harbour')]).toEqual([[], true])
  const few = await forge.cost(() => browsers.developer.get(address))
  await deploy(3, 'failed')
  expect(await forge.cost(() => browsers.developer.get(address))).toEqual(few)
  // The job of the deployment runs again.
  expect(text).toContain(`action="${first}"`)

  // Without a job that stops it, developers don't.
  const form_token = await tokenOf(browsers.developer)
  expect((await browsers.developer.get(address)).text).not.toContain(`${address}/stop`)
  expect((await browsers.developer.get(`${base}/environments`)).text).not.toContain(`${address}/stop`)
  expect((await browsers.developer.post(`${address}/stop`, { form_token })).status).toBe(403)
  await deploy(4, 'success', 'stop')
  expect((await browsers.developer.get(`${base}/environments`)).text).toContain(`${address}/stop`)
  expect((await browsers.developer.submit(address, `${address}/stop`)).status).toBe(303)
  expect((await forge.as(maintainer).get(`/projects/${project.id}/environments/${made.body.id}`)).body.state).toBe('stopping')
  // As for the API: guests of a public project see no environments.
  for (const page of [address, `${base}/environments`]) expect((await browsers.guest.get(page)).status).toBe(403)
  expect((await browsers.guest.get(`${base}/pipelines`)).text).not.toContain(`href="${base}/environments"`)
})

test('a pipeline is started with variables and inputs; what the file does not take is said in the form', async () => {
  const file = `spec: {inputs: {name: {}, count: {type: number, default: 1}}}
---
"$[[ inputs.name ]]": {script: x, parallel: "$[[ inputs.count ]]", rules: [{if: $WANTED}]}`
  const content = { branch: 'asking', start_branch: 'main', content: file, commit_message: 'Add CI' }
  await forge.as(maintainer).post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, content)
  const sent = { ref: 'asking', variables: 'WANTED=1', inputs: 'name=api\ncount=2' }
  const start = (fields: object) => browsers.developer.submit(`${base}/pipelines/new`, `${base}/pipelines`, { ...sent, ...fields })

  for (const [inputs, why] of [
    ['', 'required value has not been provided'],
    ['name=api\ncount=many', 'provided value is not a number'],
    ['name', 'This line is not name=value: name'],
  ] as const) {
    const refused = await start({ inputs })
    expect([refused.status, refused.text.includes(why), readDocument(refused.text).faults]).toEqual([422, true, []])
  }
  expect((await start({})).status).toBe(303)
  const [pipeline] = (await forge.as(maintainer).get(`/projects/${project.id}/pipelines?ref=asking&source=web`)).body
  const made = (await forge.as(maintainer).get(`/projects/${project.id}/pipelines/${pipeline.id}/jobs`)).body
  expect(made.map(({ name }: { name: string }) => name).sort()).toEqual(['api 1/2', 'api 2/2'])
})

test('a log is shown in parts of 5,000 lines: the last ones, those before a line, and what follows an offset', async () => {
  const { at, idOf } = await jobs({ name: 'long', stage: 'test', status: 'running' })
  const text = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('')
  await print(forge, idOf('long'), `${text(1, 8_000)}unfinished`)
  const shown = async (path: string) => {
    const page = (await browsers.guest.get(path)).text
    const lines = [...page.matchAll(/<div id="L(\d+)">.*?<span>(.*?)<\/span>/g)].map(([, number, line]) => `${number} ${line}`)
    const address = (where: RegExp) => where.exec(page)?.[1]?.replaceAll('&amp;', '&')
    return {
      ...{ first: lines[0], last: lines.at(-1), lines: lines.length },
      earlier: address(/<p class="earlier">\s*<a class="button" href="([^"]+)"/),
      later: address(/<p class="later">\s*<a class="button" href="([^"]+)"/),
      next: address(/ next="([^"]+)"/),
    }
  }
  const last = await shown(at('long'))
  expect(last).toMatchObject({ first: '3002 line 3002', last: '8000 line 8000', lines: 4_999, later: undefined })
  const before = await shown(last.earlier as string)
  expect(before).toMatchObject({
    first: '1 line 1',
    last: '3001 line 3001',
    earlier: undefined,
    later: expect.stringContaining('line=3002'),
  })
  await print(forge, idOf('long'), `: done\n${text(8_002, 14_000)}`)
  const after = await shown(last.next as string)
  expect(after).toMatchObject({ first: '8001 unfinished: done', last: '13000 line 13000', lines: 5_000 })
  expect(await shown(after.later as string)).toMatchObject({ first: '13001 line 13001', last: '14000 line 14000', later: undefined })
  expect(await shown(`${at('long')}/log?before=1`)).toMatchObject({ lines: 0, earlier: undefined })
  expect(await shown(`${at('long')}/log?before=999999`)).toMatchObject({ first: '9001 line 9001', last: '14000 line 14000' })
})
