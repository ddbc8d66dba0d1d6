/** Prepares writes so that they succeed and their replies can be checked: what they need beyond the values of the fixtures. */
import { requestAccess } from '../../../src/features/spaces/access-requests/access-requests.service.ts'
import type { TestUser } from '../../support/forge.ts'
import { accountWrites } from './account-writes.ts'
import { ciWrites } from './ci-writes.ts'
import { writesOnCommits, writesOnDiscussed } from './discussed-writes.ts'
import type { ContractFixtures } from './fixtures.ts'
import { hookWrites } from './hook-writes.ts'
import { mirrorWrites } from './mirror-writes.ts'
import { oauthWrites } from './oauth-writes.ts'
import { peopleWrites } from './people-writes.ts'
import { repositoryWrites } from './repository-writes.ts'
import { reviewWrites } from './review-writes.ts'
import { snippetWrites } from './snippet-writes.ts'

export interface Write {
  /** The sender; root by default. */
  as?: TestUser
  /** The token; a new one of the sender by default. */
  token?: string
  /** Instead of the required fields. */
  body?: Record<string, unknown>
  /** Path parameters. */
  values?: Record<string, string>
  /** Undoes what would affect others. */
  after?: () => Promise<unknown>
}

/** Why these can't succeed here; their own tests check their replies. */
export const unprepared: Record<string, string> = {
  'POST /groups/import': 'it takes the archive of a group',
  'POST /user/terms': 'there are no terms to accept',
  'POST /users/:id/reject': 'it deletes who waits for approval, and nobody here does',
  'POST /oauth/register': 'programs register themselves only where the configuration says so',
  'POST /feature_flags/unleash/:project_id/client/register': 'it takes the instance id of the project',
  'POST /feature_flags/unleash/:project_id/client/metrics': 'it takes the instance id of the project',
  'POST /jobs/request': 'it takes a job that can be run',
  'PUT /jobs/:id': 'it takes the token of a running job',
  'PATCH /jobs/:id/trace': 'it takes the token of a running job',
  'POST /jobs/:id/artifacts': 'it takes the token of a running job',
  'POST /jobs/:id/artifacts/authorize': 'it takes the token of a running job',
}

export type Prepared = Record<string, () => Promise<Write> | Write>

let counter = 0
const freshName = () => `fresh-${++counter}`

/** Keyed by the endpoint's name. */
export function preparedWrites(fixtures: ContractFixtures): Prepared {
  const { forge, group, project, insider, stranger } = fixtures
  const root = forge.as(forge.root)
  const idOf = async (path: string, body: unknown, user = forge.root) => String((await forge.as(user).post(path, body)).body.id)
  const at = `/projects/${project.id}`
  const levels = { access_level: 30 }
  const having = async (path: string, body?: unknown): Promise<Write> => {
    await root.post(`${at}/${path}`, body)
    return {}
  }
  const requester = async (place: { project_id: number } | { namespace_id: number }): Promise<Write> => {
    const user = await forge.user()
    await requestAccess(forge.app, place, user)
    return { values: { user_id: String(user.id) } }
  }
  const freshPage = async (place: string): Promise<Write> => {
    const slug = freshName()
    await root.post(`${place}/wikis`, { title: slug, content: 'Text' })
    return { values: { slug } }
  }
  const ofProject = () => requester({ project_id: project.id })
  const ofGroup = () => requester({ namespace_id: group.id })
  const email = () => ({ email: `${freshName()}@example.com` })
  const sharing = async () => ({ group_id: (await forge.group()).id, group_access: 30 })
  const topic = () => idOf('/topics', { name: freshName() })
  const token = { name: 'fresh', scopes: ['api'] }
  const fetching = { name: 'fresh', scopes: ['read_repository'] }
  const rotated = async (): Promise<Write> => ({ values: { token_id: await idOf(`/users/${insider.id}/personal_access_tokens`, token) } })
  /** Sent by the bot user of a new token. */
  const asBot = async (place: string): Promise<Write> => {
    const { body } = await root.post(`${place}/access_tokens`, token)
    return { token: body.token }
  }
  const ofPlace = async (name: string, path: string, body: unknown): Promise<Write> => ({ values: { [name]: await idOf(path, body) } })
  const labelIn = async (place: string): Promise<string> =>
    (await root.post(`${place}/labels`, { name: freshName(), color: 'red' })).body.name
  const freshLabel = async (): Promise<Write> => ({
    body: { label_id: Number(await idOf(`/groups/${group.id}/labels`, { name: freshName(), color: 'red' })) },
  })
  const subscriber = async (kind: 'project' | 'group'): Promise<Write> => {
    const as = await forge.user()
    const label =
      kind === 'project' ? `${at}/labels/${fixtures.values.label_id}` : `/groups/${group.id}/labels/${fixtures.values.group_label_id}`
    await forge.as(as).post(`${label}/subscribe`)
    return { as }
  }
  const freshIssue = async (): Promise<Write> => ({ values: { issue_iid: String((await forge.issue(project, forge.root)).iid) } })
  const anotherIssue = async () => ({
    target_project_id: project.id,
    target_issue_iid: (await forge.issue(project, forge.root)).iid,
  })
  const draft = () => ofPlace('draft_note_id', `${ofMergeRequest}/draft_notes`, { note: 'Is this so?' })
  /** On a branch of its own, as applying it moves the branch. */
  const freshSuggestion = async (): Promise<number> => {
    const branch = freshName()
    const actions = [{ action: 'create', file_path: `${branch}.txt`, content: 'one\n' }]
    await root.post(`${at}/repository/commits`, { branch, start_branch: 'main', commit_message: 'Propose', actions })
    const { iid } = await forge.mergeRequest(project, forge.root, { source_branch: branch })
    const [version] = (await root.get(`${at}/merge_requests/${iid}/versions`)).body
    const refs = { base_sha: version.base_commit_sha, start_sha: version.start_commit_sha, head_sha: version.head_commit_sha }
    const position = { ...refs, position_type: 'text', new_path: `${branch}.txt`, new_line: 1 }
    const sent = { body: '```suggestion\ntwo\n```', position }
    return (await root.post(`${at}/merge_requests/${iid}/discussions`, sent)).body.notes[0].suggestions[0].id
  }
  const discussion = async (): Promise<Write> => {
    const id = await idOf(`${ofMergeRequest}/discussions`, { body: 'Why?' })
    return { values: { discussion_id: id, merge_request_discussion_id: id } }
  }
  const freshRequest = async (source_branch = freshName()): Promise<Write> => {
    const actions = [{ action: 'create', file_path: `${source_branch}.txt`, content: 'proposed' }]
    await root.post(`${at}/repository/commits`, { branch: source_branch, start_branch: 'main', commit_message: 'Propose', actions })
    return { values: { merge_request_iid: String((await forge.mergeRequest(project, forge.root, { source_branch })).iid) } }
  }
  /** One that is merged when its pipeline succeeds. */
  const waitingRequest = async (): Promise<Write> => {
    const branch = freshName()
    const fresh = await freshRequest(branch)
    const { commit } = (await root.get(`${at}/repository/branches/${branch}`)).body
    await root.post(`${at}/statuses/${commit.id}`, { state: 'running', ref: branch })
    await root.put(`${at}/merge_requests/${fresh.values?.merge_request_iid}/merge`, { merge_when_pipeline_succeeds: true })
    return fresh
  }
  const freshBranch = async (): Promise<Write> => {
    const source_branch = freshName()
    await root.post(`${at}/repository/branches`, { branch: source_branch, ref: 'main' })
    return { body: { source_branch, target_branch: 'main', title: 'Propose' } }
  }
  const mergeRequest = '/projects/:id/merge_requests/:merge_request_iid'
  const issue = '/projects/:id/issues/:issue_iid'
  const ofMergeRequest = `${at}/merge_requests/${fixtures.values.merge_request_iid}`
  const onDiscussed = (path: string, here: string, prefix: string) => writesOnDiscussed(path, here, prefix, fixtures.values, ofPlace)
  return {
    ...writesOnCommits(`${at}/repository/commits/${fixtures.values.sha}`, onDiscussed),
    async [`POST ${mergeRequest}/unapprove`]() {
      await root.post(`${ofMergeRequest}/approve`)
      return {}
    },
    [`PUT ${mergeRequest}/reset_approvals`]: () => asBot(at),
    [`PUT ${mergeRequest}/discussions/:discussion_id`]: discussion,
    [`PUT ${mergeRequest}/draft_notes/:draft_note_id`]: async () => ({ ...(await draft()), body: { note: 'It is' } }),
    [`PUT ${mergeRequest}/draft_notes/:draft_note_id/publish`]: draft,
    [`DELETE ${mergeRequest}/draft_notes/:draft_note_id`]: draft,
    'PUT /suggestions/:suggestion_id/apply': async () => ({ values: { suggestion_id: String(await freshSuggestion()) } }),
    'PUT /suggestions/batch_apply': async () => ({ body: { ids: [await freshSuggestion()] } }),
    [`PUT ${mergeRequest}/merge`]: () => freshRequest(),
    [`PUT ${mergeRequest}/rebase`]: () => freshRequest(),
    'POST /projects/:id/merge_trains/merge_requests/:merge_request_iid': () => freshRequest(),
    [`POST ${mergeRequest}/cancel_merge_when_pipeline_succeeds`]: waitingRequest,
    [`PUT ${mergeRequest}/cancel_merge_when_pipeline_succeeds`]: waitingRequest,
    'POST /features/:name': () => ({ body: { value: '25' }, values: { name: freshName() } }),
    'POST /features//:name': () => ({ body: { value: '25' }, values: { name: freshName() } }),
    'POST /personal_access_tokens/:token_id/rotate': rotated,
    'POST /projects/:id/access_tokens': () => ({ body: token }),
    'POST /groups/:id/access_tokens': () => ({ body: token }),
    'POST /projects/:id/access_tokens/self/rotate': () => asBot(at),
    'POST /groups/:id/access_tokens/self/rotate': () => asBot(`/groups/${group.id}`),
    'POST /projects/:id/access_tokens/:token_id/rotate': () => ofPlace('project_token_id', `${at}/access_tokens`, token),
    'POST /groups/:id/access_tokens/:token_id/rotate': () => ofPlace('group_token_id', `/groups/${group.id}/access_tokens`, token),
    'DELETE /projects/:id/access_tokens/:token_id': () => ofPlace('project_token_id', `${at}/access_tokens`, token),
    'DELETE /groups/:id/access_tokens/:token_id': () => ofPlace('group_token_id', `/groups/${group.id}/access_tokens`, token),
    ...accountWrites(fixtures, idOf),
    'POST /projects/:id/deploy_tokens': () => ({ body: fetching }),
    'POST /groups/:id/deploy_tokens': () => ({ body: fetching }),
    'DELETE /projects/:id/deploy_tokens/:token_id': () => ofPlace('project_deploy_token_id', `${at}/deploy_tokens`, fetching),
    'DELETE /groups/:id/deploy_tokens/:token_id': () => ofPlace('group_deploy_token_id', `/groups/${group.id}/deploy_tokens`, fetching),
    ...peopleWrites(fixtures, idOf),
    ...reviewWrites(fixtures, idOf),
    ...ciWrites(fixtures, idOf),
    'POST /users': () => ({ body: { ...email(), username: freshName(), name: 'Fresh', password: 'difference-engine' } }),
    'POST /users/:id/block': () => ({ after: () => root.post(`/users/${insider.id}/unblock`) }),
    'POST /users/:user_id/personal_access_tokens': () => ({ body: token }),
    'POST /users/:user_id/impersonation_tokens': () => ({ body: token }),
    'POST /user/personal_access_tokens': () => ({ body: token }),
    'PUT /application/appearance': () => ({ body: { title: 'Foundry' } }),
    'PUT /application/settings': () => ({ body: { authorized_keys_enabled: true } }),
    'POST /projects': () => ({ body: { name: freshName() } }),
    'PUT /projects/:id': () => ({ body: { description: 'Fresh' } }),
    'POST /projects/:id/archive': () => ({ after: () => root.post(`${at}/unarchive`) }),
    'POST /projects/:id/unstar': () => having('star'),
    'POST /projects/:id/share': async () => ({ body: await sharing() }),
    async 'DELETE /projects/:id/share/:group_id'() {
      const body = await sharing()
      await root.post(`${at}/share`, body)
      return { values: { group_id: String(body.group_id) } }
    },
    'POST /groups/:id/share': async () => ({ body: await sharing() }),
    async 'DELETE /groups/:id/share/:group_id'() {
      const body = await sharing()
      await root.post(`/groups/${group.id}/share`, body)
      return { values: { group_id: String(body.group_id) } }
    },
    'POST /groups/:id/transfer': async () => ({
      body: { group_id: (await forge.group({ visibility: 'public' })).id },
      after: () => root.post(`/groups/${group.id}/transfer`),
    }),
    'POST /topics': () => ({ body: { name: freshName() } }),
    'PUT /topics/:id': () => ({ body: { title: 'Fresh' } }),
    'DELETE /topics/:id': async () => ({ values: { topic_id: await topic() } }),
    'POST /topics/merge': async () => ({ body: { source_topic_id: await topic(), target_topic_id: await topic() } }),
    'POST /projects/:id/members': () => ({ body: { ...levels, user_id: stranger.id } }),
    'POST /groups/:id/members': () => ({ body: { ...levels, user_id: stranger.id } }),
    'PUT /projects/:id/wikis/:slug': () => ({ body: { content: 'Changed' } }),
    'PUT /groups/:id/wikis/:slug': () => ({ body: { content: 'Changed' } }),
    'DELETE /projects/:id/wikis/:slug': () => freshPage(at),
    'DELETE /groups/:id/wikis/:slug': () => freshPage(`/groups/${group.id}`),
    'PUT /projects/:id/members/:user_id': () => ({ body: levels, values: { user_id: String(stranger.id) } }),
    'PUT /groups/:id/members/:user_id': () => ({ body: levels, values: { user_id: String(stranger.id) } }),
    'DELETE /projects/:id/members/:user_id': () => ({ values: { user_id: String(stranger.id) } }),
    'DELETE /groups/:id/members/:user_id': () => ({ values: { user_id: String(stranger.id) } }),
    'POST /projects/:id/access_requests': async () => ({ as: await forge.user() }),
    'POST /groups/:id/access_requests': async () => ({ as: await forge.user() }),
    'PUT /projects/:id/access_requests/:user_id/approve': ofProject,
    'PUT /groups/:id/access_requests/:user_id/approve': ofGroup,
    'DELETE /projects/:id/access_requests/:user_id': ofProject,
    'DELETE /groups/:id/access_requests/:user_id': ofGroup,
    'PUT /projects/:id/deploy_keys/:key_id': () => ({ body: { title: 'Fresh' } }),
    'POST /projects/:id/repository/branches': () => ({ body: { branch: freshName(), ref: 'main' } }),
    'DELETE /projects/:id/repository/branches/:branch': () => ({ values: { branch: 'feature/one' } }),
    'DELETE /projects/:id/protected_branches/:branch': () => having('protected_branches', { name: 'main' }),
    async 'DELETE /projects/:id/repository/tags/:tag_name'() {
      const tag_name = freshName()
      await root.post(`${at}/repository/tags`, { tag_name, ref: 'main' })
      return { values: { tag_name } }
    },
    'POST /groups/:id/projects/:project_id': async () => ({ values: { project_id: String((await forge.project({ files: null })).id) } }),
    'POST /projects/:id/repository/tags': () => ({ body: { tag_name: freshName(), ref: 'main' } }),
    'POST /projects/:id/releases': () => ({ body: { tag_name: freshName(), ref: 'main' } }),
    'PUT /projects/:id/releases/:tag_name': () => ({ body: { name: freshName() } }),
    async 'DELETE /projects/:id/releases/:tag_name'() {
      const tag_name = freshName()
      await root.post(`${at}/releases`, { tag_name, ref: 'main' })
      return { values: { released: tag_name } }
    },
    'PUT /projects/:id/releases/:tag_name/assets/links/:link_id': () => ({ body: { name: freshName() } }),
    async 'DELETE /projects/:id/releases/:tag_name/assets/links/:link_id'() {
      const link = { name: freshName(), url: `https://example.com/${freshName()}` }
      return { values: { link_id: await idOf(`${at}/releases/released/assets/links`, link) } }
    },
    'POST /projects/:id/labels': () => ({ body: { name: freshName(), color: 'red' } }),
    'POST /groups/:id/labels': () => ({ body: { name: freshName(), color: 'red' } }),
    'PUT /projects/:id/labels': async () => ({ body: { name: await labelIn(at), color: 'red' } }),
    'PUT /groups/:id/labels': async () => ({ body: { name: await labelIn(`/groups/${group.id}`), color: 'red' } }),
    'DELETE /projects/:id/labels': async () => ({ body: { name: await labelIn(at) } }),
    'DELETE /groups/:id/labels': async () => ({ body: { name: await labelIn(`/groups/${group.id}`) } }),
    'PUT /projects/:id/labels/:label_id': () => ({ body: { description: 'Fresh' } }),
    'PUT /groups/:id/labels/:label_id': () => ({ body: { description: 'Fresh' } }),
    'PUT /projects/:id/labels/:label_id/promote': async () => ({ values: { label_id: await labelIn(at) } }),
    'POST /projects/:id/labels/:label_id/subscribe': async () => ({ as: await forge.user() }),
    'POST /groups/:id/labels/:label_id/subscribe': async () => ({ as: await forge.user() }),
    'POST /projects/:id/labels/:label_id/unsubscribe': () => subscriber('project'),
    'POST /groups/:id/labels/:label_id/unsubscribe': () => subscriber('group'),
    'DELETE /projects/:id/labels/:label_id': async () => ({ values: { label_id: await labelIn(at) } }),
    'DELETE /groups/:id/labels/:label_id': async () => ({ values: { group_label_id: await labelIn(`/groups/${group.id}`) } }),
    'POST /projects/:id/milestones': () => ({ body: { title: freshName() } }),
    'POST /groups/:id/milestones': () => ({ body: { title: freshName() } }),
    'PUT /projects/:id/milestones/:milestone_id': () => ({ body: { title: freshName() } }),
    'PUT /groups/:id/milestones/:milestone_id': () => ({ body: { title: freshName() } }),
    'POST /projects/:id/milestones/:milestone_id/promote': () => ofPlace('milestone_id', `${at}/milestones`, { title: freshName() }),
    'PUT /projects/:id/issues/:issue_iid/reorder': async () => ({ body: { move_after_id: (await forge.issue(project, forge.root)).id } }),
    'PUT /projects/:id/boards/:board_id': () => ({ body: { name: freshName() } }),
    'PUT /groups/:id/boards/:board_id': () => ({ body: { name: freshName() } }),
    'POST /projects/:id/boards/:board_id/lists': () => freshLabel(),
    'POST /groups/:id/boards/:board_id/lists': () => freshLabel(),
    ...onDiscussed(issue, `${at}/issues/${fixtures.values.issue_iid}`, ''),
    ...onDiscussed('/projects/:id/merge_requests/:merge_request_iid', ofMergeRequest, 'merge_request_'),
    ...onDiscussed('/projects/:id/snippets/:snippet_id', `${at}/snippets/${fixtures.values.snippet_id}`, 'snippet_'),
    'POST /projects/:id/merge_requests': freshBranch,
    'POST /projects/:id/merge_requests/:merge_request_iid/todo': async () => ({ as: await forge.user({ admin: true }) }),
    'POST /projects/:id/issues/:issue_iid/links': async () => ({ body: await anotherIssue() }),
    'DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id': async () =>
      ofPlace('issue_link_id', `${at}/issues/${fixtures.values.issue_iid}/links`, await anotherIssue()),
    [`PUT ${mergeRequest}`]: () => ({ body: { title: 'Edited' } }),
    'PUT /projects/:id/issues/:issue_iid': () => ({ body: { title: 'Edited' } }),
    'DELETE /projects/:id/issues/:issue_iid': freshIssue,
    'POST /projects/:id/issues/:issue_iid/clone': () => ({ body: { to_project_id: project.id } }),
    'POST /projects/:id/issues/:issue_iid/move': async () => ({
      ...(await freshIssue()),
      body: { to_project_id: (await forge.project({ files: null })).id },
    }),
    'POST /projects/:id/issues/:issue_iid/subscribe': async () => ({ as: await forge.user() }),
    'POST /projects/:id/issues/:issue_iid/todo': async () => ({ as: await forge.user() }),
    'POST /projects/:id/issues/:issue_iid/unsubscribe': () => ({ as: insider }),
    'POST /todos/:id/mark_as_done': () => ({ as: insider }),
    ...snippetWrites(project, idOf),
    ...hookWrites(fixtures),
    ...mirrorWrites(fixtures),
    ...oauthWrites(fixtures),
    ...repositoryWrites(fixtures, idOf),
  }
}
