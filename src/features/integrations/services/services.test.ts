/** Integrations of projects: what each kind needs and keeps, who may set them, and that no secret comes back. */
import { beforeAll, expect, test } from 'vitest'
import { type Forge, type TestProject, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { type Field, kinds } from '../kinds/kinds.ts'

let forge: Forge
let maintainer: TestUser
let developer: TestUser
let project: TestProject

beforeAll(async () => {
  forge = await testForge()
  ;[maintainer, developer] = await Promise.all([forge.user(), forge.user()])
  project = await forge.project({ maintainer, developer })
})

const client = () => forge.as(maintainer)
const at = (slug: string, { id }: { id: number } = project) => `/projects/${id}/services/${slug}`
/** An address: names would be looked up. */
const sampleOf = ({ name, type, isUrl, choices }: Field) =>
  isUrl
    ? `https://93.184.216.34/${name}?token=in-the-url`
    : type === 'checkbox'
      ? true
      : type === 'number'
        ? 6_659
        : (choices?.[1]?.[0] ?? `the ${name}`)
const valuesOf = (fields: Field[]) => Object.fromEntries(fields.map((field) => [field.name, sampleOf(field)]))

test.each(kinds.filter(({ slug }) => slug !== 'kubernetes').map((kind) => [kind.slug, kind] as const))('%s', async (slug, kind) => {
  const never = await client().get(at(slug))
  expect([never.status, never.body.id, never.body.active, never.body.slug]).toEqual([200, null, false, slug])
  const required = kind.fields.filter((field) => field.required)
  for (const { name } of required) {
    const { [name]: _, ...others } = valuesOf(kind.fields)
    const refused = await client().put(at(slug), others)
    expect([refused.status, refused.body]).toEqual([400, { error: `${name} is missing` }])
  }
  const made = await client().put(at(slug), { ...valuesOf(kind.fields), push_events: false })
  expect([made.status, made.body.active, made.body.push_events, made.body.issues_events]).toEqual([200, true, false, true])
  const shown = kind.fields.filter((field) => !field.secret).map(({ name }) => name)
  expect(Object.keys(made.body.properties).sort()).toEqual(shown.sort())
  const secrets = kind.fields.filter((field) => field.secret).map((field) => String(sampleOf(field)))
  const replies = JSON.stringify([
    made.body,
    (await client().get(at(slug))).body,
    (await client().get(`/projects/${project.id}/services`)).body,
  ])
  const stored = JSON.stringify(await forge.app.db.selectFrom('integrations').selectAll().where('slug', '=', slug).execute())
  for (const secret of [...secrets, 'in-the-url']) expect(replies).not.toContain(secret)
  for (const secret of [...secrets, 'in-the-url']) expect(stored).not.toContain(secret)
  expect((await client().get(at(slug).replace('services', 'integrations'))).body).toEqual(made.body)
  expect((await client().delete(at(slug))).status).toBe(204)
  expect((await client().get(at(slug))).body).toEqual(never.body)
})

test('the integration of clusters answers 400 while it is not active', async () => {
  const cluster = kinds.find(({ slug }) => slug === 'kubernetes')?.fields ?? []
  const answers = [client().get(at('kubernetes')), client().put(at('kubernetes'), valuesOf(cluster)), client().delete(at('kubernetes'))]
  for (const { status, body } of await Promise.all(answers)) expect([status, body]).toEqual([400, { message: '400 Bad Request' }])
})

test('what is not there, not allowed or leads where it may not', async () => {
  const webhook = 'https://93.184.216.34/hook'
  expect((await client().get(at('unheard-of'))).body).toEqual({ message: '404 Service Not Found' })
  expect((await client().put(at('unheard-of'), {})).status).toBe(404)
  expect((await forge.as(developer).put(at('slack'), { webhook })).status).toBe(403)
  expect((await forge.anonymous.get(at('slack'))).status).toBe(401)
  const refused = await client().put(at('slack'), { webhook: 'http://127.0.0.1/x' })
  expect([refused.status, refused.body]).toEqual([
    400,
    { message: { webhook: ['is blocked: Requests to the local network are not allowed'] } },
  ])
  expect((await client().put(at('slack'), { webhook, push_events: 'perhaps' })).status).toBe(400)
  expect((await client().put(at('pushover'), { api_key: 'a', user_key: 'b', priority: '7' })).status).toBe(400)
  expect(await forge.app.db.selectFrom('integrations').selectAll().execute()).toEqual([])
})

test('hangouts-chat and hangouts_chat are the same, and an integration that is turned off is not listed', async () => {
  const webhook = 'https://93.184.216.34/hook'
  const made = await client().put(at('hangouts-chat'), { webhook })
  expect((await client().get(at('hangouts_chat'))).body).toEqual(made.body)
  const list = async () => (await client().get(`/projects/${project.id}/integrations`)).body.map(({ slug }: { slug: string }) => slug)
  expect(await list()).toEqual(['hangouts_chat'])
  await client().put(at('hangouts-chat'), { webhook, active: false })
  expect(await list()).toEqual([])
  expect((await client().get(`/projects/${project.id}/hooks`)).body).toEqual([])
})

test('integrations go with their project, and a list costs the same however many there are', async () => {
  const gone = await forge.project({ maintainer })
  const list = () => client().get(`/projects/${gone.id}/services`)
  await client().put(at('asana', gone), { api_key: 'a' })
  const few = await forge.cost(list)
  for (const slug of ['assembla', 'flowdock', 'pivotaltracker']) await client().put(at(slug, gone), { token: 'a' })
  expect(await forge.cost(list)).toEqual(few)
  await forge.app.db.deleteFrom('projects').where('id', '=', gone.id).execute()
  expect(await forge.app.db.selectFrom('integrations').select('id').where('project_id', '=', gone.id).execute()).toEqual([])
  expect(await forge.app.db.selectFrom('hooks').select('id').where('project_id', '=', gone.id).execute()).toEqual([])
})
