/** One forge with something of everything, and the URLs and values under which each declared endpoint finds it. */
import { fileURLToPath } from 'node:url'
import type { TProperties, TSchema } from 'typebox'
import { expect } from 'vitest'
import type { LocatedGroup } from '../../../src/access/find.ts'
import type { Visibility } from '../../../src/db/tables.ts'
import { endpoints } from '../../../src/features/index.ts'
import { requestAccess } from '../../../src/features/spaces/access-requests/access-requests.service.ts'
import type { Endpoint } from '../../../src/http/declare/endpoint.ts'
import { isFile } from '../../../src/http/parameters/schema.ts'
import { makeCi } from '../../support/fixtures/ci-fixtures.ts'
import { makeFork, makeSmallThings } from '../../support/fixtures/fixtures.ts'
import { giveAvatars, giveExports, giveLogo, makeUpload } from '../../support/fixtures/given-files.ts'
import { onePixel } from '../../support/fixtures/images.ts'
import { makePlanning } from '../../support/fixtures/planning-fixtures.ts'
import { makeReview } from '../../support/fixtures/review-fixtures.ts'
import { makeSnippets } from '../../support/fixtures/snippet-fixtures.ts'
import { publicKey } from '../../support/fixtures/ssh-keys.ts'
import type { Forge, TestProject, TestUser } from '../../support/forge.ts'
import { asForm } from '../../support/form.ts'
import { git } from '../../support/git.ts'
import { atEndOfFile } from '../../support/run/cleanup.ts'
import { makeRelease, makeSignedCommit } from './signed-and-released.ts'
import { openWorld, type World } from './world.ts'

export interface ContractFixtures {
  forge: Forge
  /** Owns the group and with it the project. */
  insider: TestUser
  /** Not a member of anything here. */
  stranger: TestUser
  /** Private by default, with a private subgroup and the project in it. */
  group: LocatedGroup
  project: TestProject
  /** Values of path parameters other than that of the project or group. */
  values: Record<string, string>
  /** Values of required parameters with several values. */
  lists: Record<string, string[]>
  /** A blob of the project. */
  blob: string
}

/** Description templates in the repository of each project. */
export const templates = { '.gitlab/issue_templates/Bug.md': 'Steps\n', '.gitlab/merge_request_templates/Bug.md': 'Which bug?\n' }

let world: Promise<World> | null = null

/** The world of this test file. */
export function contractWorld(): Promise<World> {
  if (!world) atEndOfFile(() => (world = null))
  world ??= openWorld()
  return world
}

/** The fixtures whose group and project are private. */
export async function contractFixtures(): Promise<ContractFixtures> {
  return (await contractWorld()).fixtures.private
}

/** Fixtures of everything in a forge; its group and its project have this visibility. */
export async function buildFixtures(forge: Forge, visibility: Visibility = 'private'): Promise<ContractFixtures> {
  const [insider, stranger] = [await forge.user(), await forge.user()]
  const group = await forge.group({ owner: insider, visibility })
  await forge.group({ parent: group })
  const project = await forge.project({
    group,
    visibility,
    developer: insider,
    commits: [
      { files: { 'README.md': '# Hello\n', 'src/main.c': 'int main;\n', ...templates } },
      { files: { 'src/main.c': 'int main(void);\n' } },
    ],
  })
  const shared = await forge.project({ owner: insider, visibility, files: null })
  await share(forge, `projects/${shared.id}`, group)
  await share(forge, `groups/${(await forge.group({ visibility })).id}`, group)
  await share(forge, `projects/${project.id}`, await forge.group({ visibility: 'public' }))
  for (const tag of [['-m', 'First', 'v1'], ['1.0.0']]) await git(project.dir, 'tag', ...tag, 'main')
  await git(project.dir, 'branch', 'feature/one', 'main')
  await forge.as(forge.root).post(`/projects/${project.id}/protected_tags`, { name: 'v1' })
  await forge.as(insider).post(`/projects/${project.id}/repository/commits/main/comments`, { note: 'Well done' })
  await forge.as(insider).post(`/projects/${project.id}/statuses/main`, { state: 'success' })
  for (const place of [{ project_id: project.id }, { namespace_id: group.id }]) await requestAccess(forge.app, place, await forge.user())
  await forge.as(insider).post(`/projects/${project.id}/star`)
  await giveLogo(forge)
  await giveAvatars(forge, { users: insider.id, namespaces: group.id, projects: project.id })
  await giveExports(forge, { project_id: project.id, namespace_id: group.id })
  for (const place of [`projects/${project.id}`, `groups/${group.id}`])
    await forge.as(forge.root).post(`/${place}/wikis`, { title: 'home', content: 'Welcome' })
  const link = { namespace_id: group.id, provider: 'ldapmain', cn: 'reviewers', filter: '', group_access: 30, created_at: group.created_at }
  await forge.app.db.insertInto('ldap_group_links').values(link).execute()
  const own = { title: 'Laptop', key: publicKey() }
  await forge.as(forge.root).post('/user/keys', { title: 'Office', key: publicKey() })
  const { body: key } = await forge.as(insider).post('/user/keys', own)
  await forge.as(forge.root).post('/user/emails', { email: 'root-too@example.com' })
  const { body: email } = await forge.as(insider).post('/user/emails', { email: 'insider-too@example.com' })
  const { body: deployKey } = await forge.as(forge.root).post(`/projects/${project.id}/deploy_keys`, { ...own, key: publicKey() })
  // They ask for nothing.
  for (const place of [`/groups/${group.id}`, '/admin']) await forge.as(forge.root).post(`${place}/push_rule`, {})
  const values = {
    template: 'Bug',
    ...(await makeUpload(forge, insider, project)),
    ...(await makeSmallThings(forge, insider, group, project)),
    ...(await makePlanning(forge, insider, group, project)),
    ...(await makeReview(forge, insider, project)),
    ...(await makeSnippets(forge, insider, project)),
    ...(await makeCi(forge, insider, group, project)),
    key_id: String(key.id),
    fingerprint: (await forge.as(forge.root).get(`/keys/${key.id}`)).body.fingerprint,
    group_id: String((await forge.group({ visibility: 'public' })).id),
    email_id: String(email.id),
    deploy_key_id: String(deployKey.id),
    key: publicKey(),
    user_id: String(insider.id),
    project_id: String(project.id),
    to_project_id: String(project.id),
    namespace: insider.username,
    forked_from_id: await makeFork(forge, group, project),
    sha: await git(project.dir, 'rev-parse', 'main'),
    branch: 'main',
    tag_name: 'v1',
    file_path: 'README.md',
    ref: 'main',
    format: 'zip',
    from: 'v1',
    to: 'main',
    released: 'released',
    direct_asset_path: 'bin/it',
    signed: await makeSignedCommit(project),
    link_id: await makeRelease(forge, insider, project),
    url: 'https://example.com/file',
    slug: 'home',
    integration: 'asana',
    search: 'project',
    filename: 'avatar.png',
    image: 'logo',
    submodule: 'module',
    version: '2.0.0',
    commit_sha: '6'.repeat(40),
  }
  const lists = { refs: ['v1', 'main'] }
  return { forge, insider, stranger, group, project, values, lists, blob: await git(project.dir, 'rev-parse', 'main:README.md') }
}

/** Gives nobody access: the group has no members, or is that of the project's owner. */
async function share(forge: Forge, place: string, group: LocatedGroup): Promise<void> {
  await forge.as(forge.root).post(`/${place}/share`, { group_id: group.id, group_access: 10 })
}

/** An endpoint under one of its addresses. */
export interface Served {
  endpoint: Endpoint
  /** Its path or its alias; with two slashes if it is outside of the API. */
  path: string
  /** `GET /projects/:id` */
  name: string
}

/** Every endpoint at every path. */
export const everyServed: Served[] = endpoints.flatMap((endpoint) =>
  [endpoint.path, endpoint.alias].flatMap((path) =>
    path === null ? [] : [{ endpoint, path: endpoint.root === '' ? `/${path}` : path, name: `${endpoint.method} ${path}` }],
  ),
)

/** Modules that declare endpoints, one per line: `npm run test:quick` only tests those. */
const files = process.env.GITSTEAD_TEST_ENDPOINTS?.split('\n')
const only = files && (await namesIn(files))

async function namesIn(files: string[]): Promise<string[]> {
  const modules = await Promise.all(files.map((file) => import(fileURLToPath(new URL(`../../../${file}`, import.meta.url)))))
  const declared = modules.flatMap((exported) => Object.values(exported)).flat() as Array<Partial<Endpoint>>
  const names = declared.filter(({ method, path }) => method && path).map(({ method, path }) => `${method} ${path}`)
  if (names.length === 0) throw new Error(`no endpoint is declared in ${files.join(', ')}`)
  return names
}

/** The endpoints to test: all, or those that `GITSTEAD_TEST_ENDPOINTS` names. */
export const served = only ? everyServed.filter(({ endpoint }) => only.includes(`${endpoint.method} ${endpoint.path}`)) : everyServed

/** A law without anything to test proves nothing. */
export function expectMany(count: number, min: number): void {
  if (!only) expect(count).toBeGreaterThan(min)
}

/** The kind of resource that the first parameter of the path identifies; null if it identifies neither. */
export function placeOf(path: string): 'projects' | 'groups' | null {
  const avatar = /^\/\/uploads\/-\/system\/(project|group)\/avatar\/:id/.exec(path)?.[1]
  if (avatar) return `${avatar}s` as 'projects' | 'groups'
  return (/^\/(projects|groups)\/:(?:id|project_id)(?:\/|$)/.exec(path)?.[1] as 'projects' | 'groups' | undefined) ?? null
}

/** The path with values of the fixtures. `id` replaces that of the project or group. */
export function addressOf(fixtures: ContractFixtures, path: string, id?: string): string {
  const place = placeOf(path)
  const own = place === 'groups' ? fixtures.group.id : place === 'projects' ? fixtures.project.id : fixtures.insider.id
  return path
    .replace(/^\/issues\/:id/, '/issues/:issue_id')
    .replace(/^\/keys\/:id/, '/keys/:key_id')
    .replace(/^\/topics\/:id/, '/topics/:topic_id')
    .replace(/^\/runners\/:id/, '/runners/:runner_id')
    .replace(/(projects\/:id\/runners\/):runner_id/, '$1:second_runner_id')
    .replace(/^\/todos\/:id/, '/todos/:todo_id')
    .replace(/^\/snippets\/:id/, '/snippets/:personal_snippet_id')
    .replace(/(snippets\/.*\/files\/:ref\/):file_path/, '$1:snippet_file_path')
    .replace(/^\/namespaces\/:id/, '/namespaces/:namespace')
    .replace(/custom_attributes\/:key/, 'custom_attributes/:attribute')
    .replace(/(hooks\/.*)\/:key/, '$1/:hook_value')
    .replace(/variables\/:key/, 'variables/:variable')
    .replace(/resource_groups\/:key/, 'resource_groups/:resource_group')
    .replace(/^\/groups\/:id\/badges\/:badge_id/, '/groups/:id/badges/:group_badge_id')
    .replace(/(services|integrations)\/:slug/, '$1/:integration')
    .replace(/^\/hooks\/:hook_id/, '/hooks/:system_hook_id')
    .replace(/^\/groups\/:id\/hooks\/:hook_id/, '/groups/:id/hooks/:group_hook_id')
    .replace(/^\/groups\/:id\/(label|milestone|board)s\/:\1_id/, '/groups/:id/$1s/:group_$1_id')
    .replace(/^(\/groups\/.*\/lists)\/:list_id/, '$1/:group_list_id')
    .replace(/deploy_keys\/:key_id/, 'deploy_keys/:deploy_key_id')
    .replace(/notes\/:note_id\/award_emoji\/:award_id/, 'notes/:note_id/award_emoji/:note_award_id')
    .replace(/commits\/:sha\/(?:notes|discussions)\/.*/, (rest) => rest.replace(/:((?:note|note_award|discussion)_id)\b/g, ':commit_$1'))
    .replace(/snippets\/:snippet_id\/.*/, (rest) => rest.replace(/:((?:note|note_award|award|discussion)_id)\b/g, ':snippet_$1'))
    .replace(/merge_requests\/:merge_request_iid\/.*/, (rest) =>
      rest.replace(/:((?:note|note_award|award|discussion|rule|resource_\w+_event)_id)\b/g, ':merge_request_$1'),
    )
    .replace(/^\/(project|group)s\/:id\/access_tokens\/:token_id/, '/$1s/:id/access_tokens/:$1_token_id')
    .replace(/^\/(project|group)s\/:id\/deploy_tokens\/:token_id/, '/$1s/:id/deploy_tokens/:$1_deploy_token_id')
    .replace(/^\/(project|group)s\/:id\/audit_events\/:audit_event_id/, '/$1s/:id/audit_events/:$1_audit_event_id')
    .replace(/^\/service_accounts\/:user_id/, '/service_accounts/:account_id')
    .replace(/^\/(project|group)s\/:id\/service_accounts\/:user_id/, '/$1s/:id/service_accounts/:$1_account_id')
    .replace(/(:(?:project|group)_account)_id\/personal_access_tokens\/:token_id/, '$1_id/personal_access_tokens/$1_token_id')
    .replace(/commits\/:sha\/signature/, 'commits/:signed/signature')
    .replace(/tags\/:tag_name\/signature/, 'tags/signed/signature')
    .replace(/\/releases\/:tag_name/, '/releases/:released')
    .replace(/:(?:id|project_id)\b/, encodeURIComponent(id ?? String(own)))
    .replace(/blobs\/:sha/, `blobs/${fixtures.blob}`)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(fixtures.values[name] ?? '1'))
}

/** The required parameters with values of the declared types, as a query string with its `?`. */
export function queryOf(fixtures: ContractFixtures, { query }: Endpoint): string {
  const pairs = Object.entries(requiredOf(fixtures, query)).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((one) => `${name}[]=${encodeURIComponent(one)}`) : [`${name}=${encodeURIComponent(String(value))}`],
  )
  return `?${pairs.join('&')}`
}

/** The required fields of the body with values of the declared types; undefined for endpoints without a body. */
export function bodyOf(fixtures: ContractFixtures, { body, method }: Endpoint): Record<string, unknown> | undefined {
  return method === 'GET' ? undefined : requiredOf(fixtures, body)
}

/** Required parameters, with values of the declared types. */
export function requiredOf(fixtures: ContractFixtures, properties: TProperties): Record<string, unknown> {
  const required = Object.entries(properties).filter(([, schema]) => !('~optional' in schema) && !('default' in schema))
  return Object.fromEntries(required.map(([name, schema]) => [name, fixtures.lists[name] ?? fixtures.values[name] ?? sample(schema)]))
}

/** A value the schema accepts. */
function sample(schema: TSchema): unknown {
  if (isFile(schema)) return onePixel
  const { type, enum: values, minimum = 1, items, properties = {} } = schema as Record<string, never>
  if (values) return values[0]
  if (type === 'integer' || type === 'number') return minimum
  if (type === 'boolean') return true
  if (type === 'array') return items ? [sample(items)] : []
  if (type === 'object') return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sample(inner as TSchema)]))
  return 'something'
}

/** Whether the request revokes its own token. */
export function endsToken({ name }: Served): boolean {
  return /^(DELETE \/personal_access_tokens\/self|POST \/personal_access_tokens\/self\/rotate)$/.test(name)
}

/** For further calls with them. */
export async function giveTokensBack({ app }: Forge): Promise<void> {
  await app.db.updateTable('access_tokens').set({ revoked: false }).where('revoked', '=', true).execute()
}

/** Sends the required parameters, with values of the fixtures. */
export function call(fixtures: ContractFixtures, client: Forge['anonymous'], { endpoint, path }: Served, id?: string) {
  const url = addressOf(fixtures, path, id) + queryOf(fixtures, endpoint)
  const body = bodyOf(fixtures, endpoint)
  if (!body || !Object.values(endpoint.body).some((schema) => isFile(schema) && !('~optional' in schema)))
    return client.request(endpoint.method, url, body)
  const { payload, headers } = asForm(body)
  return client.request(endpoint.method, url, payload, { headers })
}
