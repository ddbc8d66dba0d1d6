/** Pages of pipeline schedules: created with variables, edited, taken over, run and deleted, by those who may. */
import { beforeAll, expect, test } from 'vitest'
import type { Browser } from '../../../../test/support/browser.ts'
import { readDocument } from '../../../../test/support/documents.ts'
import { fixturePassword as password, signedIn } from '../../../../test/support/fixtures/page-fixture.ts'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject
let base: string
let [me, other]: Browser[] = []

beforeAll(async () => {
  forge = await testForge()
  maintainer = await forge.user({ password })
  developer = await forge.user({ password })
  project = await forge.project({ maintainer, developer, visibility: 'public' })
  base = `/${project.full_path}/pipeline_schedules`
  me = await signedIn(forge, developer)
  other = await signedIn(forge, maintainer)
})

const sent = { description: 'Nightly <b>', ref: 'main', cron: '0 4 * * *', cron_timezone: 'Europe/Berlin', active: 'true' }
const schedules = async () => (await forge.as(maintainer).get(`/projects/${project.id}/pipeline_schedules`)).body
const detail = async (id: number) => (await forge.as(maintainer).get(`/projects/${project.id}/pipeline_schedules/${id}`)).body

test('a developer creates a schedule with variables, edits both, and a maintainer takes it over and deletes it', async () => {
  const browser = me as Browser
  const twice = await browser.submit(`${base}/new`, base, { ...sent, variables: 'ONE=1\nONE=2' })
  expect([twice.status, twice.text.includes('duplicate values (ONE)'), readDocument(twice.text).faults]).toEqual([422, true, []])
  const wrong = await browser.submit(`${base}/new`, base, { ...sent, cron: 'soon', variables: 'ONE=1' })
  expect([wrong.status, wrong.text.includes('value="Nightly &lt;b&gt;"'), wrong.text.includes('ONE=1')]).toEqual([422, true, true])
  // A refused form must not have saved a part of its schedule.
  expect(await schedules()).toEqual([])
  expect((await browser.submit(`${base}/new`, base, { ...sent, variables: 'ONE=1\r\nTWO=2=2\r\n' })).status).toBe(303)
  const [{ id, owner }] = await schedules()
  expect(owner.id).toBe(developer.id)
  const at = `${base}/${id}`

  await browser.submit(`${at}/edit`, at, { ...sent, cron: '30 5 * * *', active: 'false' })
  await browser.submit(`${at}/variables/new`, `${at}/variables`, { key: 'KEY', value: 'one\r\ntwo', kind: 'file' })
  await browser.submit(`${at}/variables/ONE/edit`, `${at}/variables/ONE`, { value: 'first', kind: 'env_var' })
  await browser.submit(`${at}/edit`, `${at}/variables/TWO/delete`)
  const changed = await detail(id)
  expect([changed.cron, changed.active]).toEqual(['30 5 * * *', false])
  const shown = { KEY: ['one\ntwo', 'file'], ONE: ['first', 'env_var'] }
  expect(Object.fromEntries(changed.variables.map((one: Record<string, string>) => [one.key, [one.value, one.variable_type]]))).toEqual(
    shown,
  )
  expect((await browser.get(`${at}/variables/ONE/edit`)).text).toContain('\nfirst</textarea>')
  expect((await browser.get(`${at}/edit`)).text).not.toContain('first')

  expect((await browser.get(base)).text).not.toContain('Take ownership')
  await other?.submit(base, `${at}/take_ownership`)
  expect((await schedules())[0].owner.id).toBe(maintainer.id)
  const listed = (await browser.get(base)).text
  expect([listed.includes(`${at}/play`), listed.includes(`${at}/edit`)]).toEqual([true, false])
  expect((await browser.submit(base, `${at}/play`)).status).toBe(303)
  expect((await other?.submit(base, `${at}/delete`))?.status).toBe(303)
  expect(await schedules()).toEqual([])
})

test('inputs are lines of the form; a line that is not touched leaves its value as it is', async () => {
  const browser = me as Browser
  const of = async (id: number) => (await forge.as(developer).get(`/projects/${project.id}/pipeline_schedules/${id}`)).body.inputs
  const list = [1, 'two']
  const made = await forge.as(developer).post(`/projects/${project.id}/pipeline_schedules`, {
    ...sent,
    inputs: [
      { name: 'list', value: list },
      { name: 'lines', value: 'one\ntwo' },
      { name: 'gone', value: true },
    ],
  })
  const at = `${base}/${made.body.id}`

  const { text } = await browser.get(`${at}/edit`)
  expect(readDocument(text).faults).toEqual([])
  expect(text.replaceAll('&quot;', '"')).toContain('list=[1,"two"]\nlines="one\\ntwo"\ngone=true</textarea>')
  const lines = 'list=[1,"two"]\r\nlines="one\\ntwo"\r\n\r\n name =a=b \r\n'
  expect((await browser.submit(`${at}/edit`, at, { ...sent, inputs: lines })).status).toBe(303)
  expect(await of(made.body.id)).toEqual([
    { name: 'list', value: list },
    { name: 'lines', value: 'one\ntwo' },
    { name: 'name', value: 'a=b ' },
  ])
  for (const [wrong, why] of [
    ['=x', 'This line is not name=value: =x'],
    ['a=1\na=2', 'These lines have the same name: a'],
  ] as const) {
    const refused = await browser.submit(`${at}/edit`, at, { ...sent, inputs: wrong })
    expect([refused.status, refused.text.includes(why)]).toEqual([422, true])
  }
  expect(await of(made.body.id)).toHaveLength(3)
  await forge.as(developer).delete(`/projects/${project.id}/pipeline_schedules/${made.body.id}`)
})

test('nobody reads variables of a schedule that they may not change, nor changes it', async () => {
  const made = await forge.as(maintainer).post(`/projects/${project.id}/pipeline_schedules`, { ...sent, active: true })
  const at = `${base}/${made.body.id}`
  await forge
    .as(maintainer)
    .post(`/projects/${project.id}/pipeline_schedules/${made.body.id}/variables`, { key: 'KEY', value: 'secret-value' })
  const reporter = await forge.user({ password })
  await forge.as(forge.root).post(`/projects/${project.id}/members`, { user_id: reporter.id, access_level: 20 })
  const form_token = async (browser: Browser) => /name="form_token" value="([^"]+)"/.exec((await browser.get('/')).text)?.[1] as string
  for (const browser of [me as Browser, await signedIn(forge, reporter)]) {
    for (const page of [`${at}/edit`, `${at}/variables/KEY/edit`, `${at}/variables/new`]) {
      const { status, text } = await browser.get(page)
      expect([page, status, text.includes('secret-value')]).toEqual([page, 403, false])
    }
    const token = { form_token: await form_token(browser) }
    for (const [action, fields] of Object.entries({
      '': sent,
      '/active': { active: 'false' },
      '/take_ownership': {},
      '/delete': {},
      '/variables': { key: 'NEW', value: '', kind: 'env_var' },
      '/variables/KEY': { value: 'x', kind: 'env_var' },
      '/variables/KEY/delete': {},
    })) {
      expect([action, (await browser.post(`${at}${action}`, { ...token, ...fields })).status]).toEqual([action, 403])
    }
  }
  const { owner, active, variables } = await detail(made.body.id)
  expect([owner.id, active, variables.length, variables[0].value]).toEqual([maintainer.id, true, 1, 'secret-value'])
})

test('many schedules cost as many statements as few', async () => {
  const few = await forge.cost(() => (me as Browser).get(base))
  for (const description of ['a', 'b', 'c'])
    await forge.as(maintainer).post(`/projects/${project.id}/pipeline_schedules`, { ...sent, description, active: true })
  expect(await forge.cost(() => (me as Browser).get(base))).toEqual(few)
})
