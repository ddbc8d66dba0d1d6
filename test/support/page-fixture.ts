/** One project, group and user with a little of everything, and the address of every declared page in them: for tests that walk over all pages. */

import type { App } from '../../src/app.ts'
import { createRunner } from '../../src/features/ci/runners/runners.ts'
import { createVariable } from '../../src/features/ci/variables/variables.ts'
import { addPublicKey } from '../../src/features/repository/deploy-keys/deploy-keys.ts'
import type { Page } from '../../src/pages/frame/declaration.ts'
import { type Browser, browserOf } from './browser.ts'
import { makeCiPlaces } from './ci-places-fixtures.ts'
import type { Forge, TestProject, TestUser } from './forge.ts'
import { git } from './git.ts'
import { pipelineOf, print } from './pipelines.ts'
import { publicKey } from './ssh-keys.ts'

export const fixturePassword = 'correct horse battery'
/** A name that tries to be markup. */
export const hostileName = `<b>"'&</b>`

export interface PageFixture {
  /** Owns the project and the group, which are private. */
  insider: TestUser
  project: TestProject
  /** The path of the group. */
  group: string
  /** Where a page is found, with a file of the project where it is about one. */
  addressOf: (page: Page) => string
}

export async function pageFixture(forge: Forge): Promise<PageFixture> {
  const insider = await forge.user({ password: fixturePassword, name: `Ada ${hostileName}` })
  const place = await forge.group({ owner: insider, visibility: 'private', name: 'Group of shapes' })
  const files = {
    'README.md': '# Hello\n\n<script>alert(1)</script>\n',
    [`src/${hostileName.replaceAll('/', '')}.c`]: `int ${hostileName};\n`,
  }
  const project = await forge.project({ group: place, visibility: 'private', name: 'Shapes', commits: [{ files }] })
  await git(project.dir, 'branch', 'feature/one', 'main')
  await git(project.dir, 'tag', '-m', `First ${hostileName}`, 'v1', 'main')
  const links = [{ name: hostileName, url: 'https://example.com/file' }]
  const release = { tag_name: 'v1', name: hostileName, description: '# Notes\n\n<script>alert(1)</script>', assets: { links } }
  await forge.as(insider).post(`/projects/${project.id}/releases`, release)
  await forge.as(insider).post(`/projects/${project.id}/protected_tags`, { name: 'v*' })
  await forge.app.db
    .updateTable('projects')
    .set({ description: `About ${hostileName}` })
    .where('id', '=', project.id)
    .execute()
  await forge.app.db
    .updateTable('namespaces')
    .set({ description: `*About* \`${hostileName}\`` })
    .where('id', '=', place.id)
    .execute()
  await forge.as(insider).put(`/projects/${project.id}`, { topics: ['shapes'] })
  const issue = await forge.issue(project, insider, { title: `Issue ${hostileName}`, description: '# Why\n\n<script>alert(1)</script>' })
  const actions = [{ action: 'create', file_path: 'topic.txt', content: hostileName }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: hostileName, actions }
  await forge.as(insider).post(`/projects/${project.id}/repository/commits`, commit)
  const proposal = { source_branch: 'topic', title: `Request ${hostileName}`, description: '# Why\n\n<script>alert(1)</script>' }
  const request = await forge.mergeRequest(project, insider, proposal)
  const sent = {
    title: `Snippet ${hostileName}`,
    file_name: 'build.sh',
    content: `${hostileName}\n`,
    description: '# Why\n\n<script></script>',
  }
  const snippet = await forge.as(insider).post('/snippets', { ...sent, visibility: 'public' })
  const shared = await forge.as(insider).post(`/projects/${project.id}/snippets`, { ...sent, visibility: 'private' })
  const planned = await planIn(forge, insider, project.id, place.id)
  const todo = await forge.as(insider).post(`/projects/${project.id}/issues/${issue.iid}/todo`)
  const own = await forge.as(insider).post('/user/keys', { title: hostileName, key: publicKey() })
  const offered = await addPublicKey(forge.app, forge.root, { title: hostileName, key: publicKey() })
  // Shown to nobody: it comes later.
  const times = { starts_at: '2099-01-01T00:00:00Z', ends_at: '2099-01-02T00:00:00Z' }
  const message = await forge.as(forge.root).post('/broadcast_messages', { message: hostileName, ...times })
  const tip = await git(project.dir, 'rev-parse', 'main')
  const pipeline = await pipelineOf(forge, project, insider, {
    status: 'running',
    sha: tip,
    jobs: [
      { name: hostileName, stage: 'build', status: 'failed' },
      { name: 'unit', stage: 'test', status: 'manual', needs: [hostileName] },
    ],
  })
  const job = pipeline.jobs.get(hostileName)
  await print(forge, job?.id ?? 0, `section_start:1:one\r\x1b[0K${hostileName}\n<script>alert(1)</script>\n`)
  const places = await makeCiPlaces(forge, project)
  const settings = await settingsIn(forge, insider, project.id, place.id)
  const systemHook = await hookIn(forge, { project_id: null, namespace_id: null })
  const integration = await integrationIn(forge, insider, project.id)
  /** The parameters of patterns. One that a page adds stands here. */
  const values: Record<string, string> = {
    project: project.full_path,
    group: place.full_path,
    user: insider.username,
    topic: 'shapes',
    state: 'all',
    name: 'v1',
    tag: 'v1',
    // The first protected branch and the first protected tag.
    rule: '1',
    link: '1',
    username: insider.username,
    key_id: String(own.body.id),
    gpg_key_id: '1',
    email_id: '1',
    deploy_key_id: String(offered.id),
    message_id: String(message.body.id),
    project_id: String(project.id),
    sha: tip,
    pipeline_id: String(pipeline.id),
    job_id: String(job?.id),
    user_id: String(insider.id),
    group_id: String(place.id),
    token_id: '1',
    issue_iid: String(issue.iid),
    merge_request_iid: String(request.iid),
    discussion_id: '0'.repeat(40),
    // By its title, as the project and the group have one each.
    label_id: 'kind',
    milestone_iid: '1',
    todo_id: String(todo.body.id),
    id: String(snippet.body.id),
    snippet_id: String(shared.body.id),
    note_id: '1',
    draft_id: '1',
    pipeline_schedule_id: places.pipeline_schedule_id ?? '',
    environment_id: places.environment_id ?? '',
    key: 'VARIABLE',
    trigger_id: places.trigger_id ?? '',
    variable_id: '1',
    runner_id: '1',
    suggestion_id: '1',
    link_id: '1',
    slug: 'asana',
  }
  /** What a page has to be asked for in its query. */
  const queries: Record<string, string> = {
    '/groups/:group/-/children': `?parent_id=${place.id}`,
    '/:project/-/completions': '?key=%23',
  }
  const addressOf = (page: Page) => {
    const of = page.pattern.space === 'group' ? { ...planned.group, ...settings.group } : { ...planned.project, ...settings.project }
    const hooks = page.pattern.text.startsWith('/admin/hooks') ? systemHook : page.pattern.text.includes(':slug') ? integration : {}
    return addressIn(page, { ...values, ...of, ...hooks }) + (queries[page.pattern.text] ?? '')
  }
  return { insider, project, group: place.full_path, addressOf }
}

/** A label, a milestone and a board with a list, in each of both; returns the ids of boards and lists. */
async function planIn(forge: Forge, user: TestUser, projectId: number, groupId: number) {
  const plan = async (place: string) => {
    const label = await forge.as(user).post(`${place}/labels`, { name: 'kind', color: 'teal', description: hostileName })
    await forge
      .as(user)
      .post(`${place}/milestones`, { title: `Milestone ${hostileName} ${place}`, description: '# Why\n\n<script>alert(1)</script>' })
    const board = await forge.as(user).post(`${place}/boards`, { name: hostileName })
    const list = await forge.as(user).post(`${place}/boards/${board.body.id}/lists`, { label_id: label.body.id })
    return { board_id: String(board.body.id), list_id: String(list.body.id) }
  }
  // The project first: its label may not have the title of one of the group.
  return { project: await plan(`/projects/${projectId}`), group: await plan(`/groups/${groupId}`) }
}

/** A webhook with a delivery that was answered. */
async function hookIn({ app }: Forge, place: { project_id: number | null; namespace_id: number | null }) {
  const at = new Date().toISOString()
  const url = app.secrets.seal('https://example.com/hook', 'hooks.url')
  const hook = await app.db
    .insertInto('hooks')
    .values({ ...place, name: hostileName, url, last_error: hostileName, created_at: at, updated_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { hook_id: String(hook.id), event_id: await deliveryTo(app, hook.id) }
}

/** An integration with a delivery that was answered. */
async function integrationIn(forge: Forge, user: TestUser, projectId: number) {
  await forge.as(user).put(`/projects/${projectId}/services/asana`, { api_key: 'a-key', restrict_to_branch: hostileName })
  const hook = await forge.app.db.selectFrom('hooks').select('id').where('integration_id', 'is not', null).executeTakeFirstOrThrow()
  return { event_id: await deliveryTo(forge.app, hook.id) }
}

async function deliveryTo({ db }: App, hook_id: number): Promise<string> {
  const at = new Date().toISOString()
  const payload = await db
    .insertInto('hook_payloads')
    .values({ event: 'Push Hook', body: JSON.stringify({ name: hostileName }), facts: null, created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  const answer = { response_status: 500, response_body: hostileName, response_headers: '{"x":"<b>"}', duration_ms: 12, attempted_at: at }
  const event = await db
    .insertInto('hook_deliveries')
    .values({ hook_id, payload_id: payload.id, uuid: 'u', event: 'Push Hook', state: 'failed', due_at: at, created_at: at, ...answer })
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(event.id)
}

/** A variable and a runner of each of both. */
async function settingsIn(forge: Forge, user: TestUser, projectId: number, groupId: number) {
  const { app } = forge
  const variable = { key: 'VARIABLE', value: 'a value', description: hostileName }
  const fields = { description: hostileName, tag_list: [hostileName] }
  const ids = async (kind: 'project' | 'group', id: number) => ({
    variable_id: String((await createVariable(app, kind === 'project' ? { project_id: id } : { namespace_id: id }, variable)).id),
    runner_id: String((await createRunner(app, user, { kind, id }, fields)).runner.id),
    ...(await hookIn(forge, kind === 'project' ? { project_id: id, namespace_id: null } : { project_id: null, namespace_id: id })),
  })
  return { project: await ids('project', projectId), group: await ids('group', groupId) }
}

const rests: Array<[RegExp, string]> = [
  [/\/raw\/main\/\*$/, 'build.sh'],
  [/\/(blob|raw|blame|edit)\/\*$/, 'main/README.md'],
  [/\/(tags|releases)\/\*$/, 'v1'],
  [/\/compare\//, 'feature/one...main'],
]

/** What `*` stands for in a pattern. */
function restOf(text: string): string {
  return rests.find(([pattern]) => pattern.test(text))?.[1] ?? 'main'
}

/** Where a page is found, with these values of its parameters. `*` is a file of the branch `main` where the page is about one. */
export function addressIn({ pattern: { text } }: Page, values: Record<string, string>): string {
  const rest = restOf(text)
  return text
    .replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`test/support/page-fixture.ts has no value for :${name} of ${text}`)
      return value
    })
    .replace('*', rest)
}

/** A browser without scripts in which the user is signed in. */
export async function signedIn(forge: Forge, { username, password = fixturePassword }: TestUser): Promise<Browser> {
  const me = browserOf(forge.server)
  const { status } = await me.submit('/users/sign_in', '/users/sign_in', { login: username, password })
  if (status !== 303) throw new Error(`${username} could not sign in: ${status}`)
  return me
}
