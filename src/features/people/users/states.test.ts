/** The states of accounts: what leads from which to which, who may do what in each, and who hears of it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { browserOf } from '../../../../test/support/browser.ts'
import { publicKey } from '../../../../test/support/fixtures/ssh-keys.ts'
import { type Forge, type TestUser, testForge } from '../../../../test/support/forge.ts'
import { git, tryGit } from '../../../../test/support/git.ts'
import { parsePublicKey } from '../../../access/ssh-keys.ts'
import type { UserState } from '../../../db/tables.ts'
import { openPush } from '../../repository/pushes/pushes.ts'
import { findKeyHolder } from '../keys/keys.service.ts'
import { changeUserState } from './states.service.ts'

let forge: Forge
beforeAll(async () => {
  forge = await testForge()
})

const states: UserState[] = ['active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval']
const act = async ({ id }: { id: number }, name: string) => {
  const { status, body } = await forge.as(forge.root).post(`/users/${id}/${name}`)
  return [status, body]
}
const stateOf = async ({ id }: { id: number }) => (await forge.as(forge.root).get(`/users/${id}`)).body.state

describe('each act', () => {
  const message = (text: string) => ({ message: text })
  const cannot = (verb: string, state: UserState) => [403, message(`You cannot ${verb} ${state} users.`)]
  const reblocked = [403, message('403 Forbidden - A blocked user cannot be deactivated')]
  const unblockFirst = [403, message('403 Forbidden - A blocked user must be unblocked to be activated')]
  const notPending = [409, message('The user you are trying to approve is not pending approval')]
  const noRequest = [409, message('User does not have a pending request')]
  const done = [201, true]
  const nothing = [201, false]

  test.each<[string, unknown[]]>([
    ['block', [done, nothing, done, cannot('block', 'banned'), done]],
    ['unblock', [nothing, done, cannot('unblock', 'deactivated'), cannot('unblock', 'banned'), done]],
    ['deactivate', [done, reblocked, done, reblocked, reblocked]],
    ['activate', [done, unblockFirst, done, unblockFirst, unblockFirst]],
    ['ban', [done, ...states.slice(1).map((state) => cannot('ban', state))]],
    [
      'unban',
      [
        cannot('unban', 'active'),
        cannot('unban', 'blocked'),
        cannot('unban', 'deactivated'),
        done,
        cannot('unban', 'blocked_pending_approval'),
      ],
    ],
    ['approve', [notPending, notPending, notPending, notPending, [201, message('Success')]]],
    ['reject', [noRequest, noRequest, noRequest, noRequest, [200, message('Success')]]],
  ])('%s leads from the states it is for, and is refused for others', async (name, answers) => {
    const found = []
    for (const state of states) found.push(await act(await forge.user({ state }), name))
    expect(found).toEqual(answers)
  })

  test('leaves the account in the state it names, is for administrators, and not for the Ghost User', async () => {
    const user = await forge.user()
    const seen = []
    for (const name of ['ban', 'unban', 'deactivate', 'activate', 'block', 'unblock']) {
      await act(user, name)
      seen.push(await stateOf(user))
    }
    expect(seen).toEqual(['banned', 'active', 'deactivated', 'active', 'blocked', 'active'])
    const gone = await forge.user()
    await forge.as(forge.root).delete(`/users/${gone.id}`)
    const ghost = await forge.app.db.selectFrom('users').select('id').where('kind', '=', 'ghost').executeTakeFirstOrThrow()
    for (const name of ['ban', 'deactivate', 'approve', 'activate', 'unban', 'reject']) {
      expect([name, (await forge.as(user).post(`/users/${user.id}/${name}`)).status]).toEqual([name, 403])
      expect([name, (await act({ id: 999_999 }, name))[0]]).toEqual([name, 404])
      expect([name, (await act(ghost, name))[0]]).toEqual([name, 403])
    }
  })

  test('of an approval and a rejection at once one is done, and the other is refused', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const user = await forge.user({ state: 'blocked_pending_approval' })
      const [approved, rejected] = await Promise.all([act(user, 'approve'), act(user, 'reject')])
      const left = await forge.as(forge.root).get(`/users/${user.id}`)
      if (approved[0] === 201) expect([rejected[0], left.body.state]).toEqual([409, 'active'])
      else expect([approved[0], rejected[0], left.status]).toEqual([404, 200, 404])
    }
  })

  test('two deactivations at once both succeed', async () => {
    const user = await forge.user()
    expect(await Promise.all([act(user, 'deactivate'), act(user, 'deactivate')])).toEqual([
      [201, true],
      [201, true],
    ])
  })

  test('deactivation is for accounts that were not seen for 90 days', async () => {
    const user = await forge.user()
    const at = new Date('2026-05-01T12:00:00.000Z')
    const seen = (last_activity_on: string) =>
      forge.app.db.updateTable('users').set({ last_activity_on }).where('id', '=', user.id).execute()
    await seen('2026-02-01')
    await expect(changeUserState(forge.app, user.id, 'deactivate', at)).rejects.toThrow('active in the past 90 days')
    await seen('2026-01-30')
    expect(await changeUserState(forge.app, user.id, 'deactivate', at)).toBe(true)
  })
})

describe('an account that is not active', () => {
  test.each<[UserState, string]>([
    ['blocked', 'Your account has been blocked.'],
    ['banned', 'Your account has been banned.'],
    ['deactivated', 'Your account has been deactivated. Sign in with a browser to activate it again.'],
    ['blocked_pending_approval', 'Your account is waiting for an administrator to approve it.'],
  ])('%s: opens neither the API nor git, by whatever credential', async (state, sentence) => {
    const user = await forge.user({ password: 'a long password' })
    const project = await forge.project({ developer: user })
    const key = publicKey()
    await forge.as(user).post('/user/keys', { title: 'Laptop', key })
    const parsed = parsePublicKey(key)
    await forge.app.db.updateTable('users').set({ state }).where('id', '=', user.id).execute()
    const refused = { message: `403 Forbidden - ${sentence}` }
    expect((await forge.as(user).get('/user')).body).toEqual(refused)
    expect((await forge.as(forge.root, { headers: { sudo: user.username } }).get('/user')).body).toEqual(refused)
    expect(parsed && (await findKeyHolder(forge.app, parsed.key))).toBeNull()
    const listed = await tryGit(await forge.folder(), 'ls-remote', await forge.remote(project, user))
    expect([listed.code, listed.stderr]).toEqual([128, expect.stringContaining(sentence)])
    const byPassword = await forge.remote(project, { ...user, token: 'a%20long%20password' })
    expect((await tryGit(await forge.folder(), 'ls-remote', byPassword)).code).toBe(128)
    const grant = { grant_type: 'password', username: user.username, password: 'a long password' }
    expect((await forge.server.inject({ method: 'POST', url: '/oauth/token', payload: grant })).statusCode).toBe(400)
    const signedIn = await browserOf(forge.server).submit('/users/sign_in', '/users/sign_in', {
      login: user.username,
      password: 'a long password',
    })
    expect([signedIn.status, signedIn.text.includes(sentence)]).toEqual(state === 'deactivated' ? [303, false] : [403, true])
  })

  test('changes no ref by a push that began while it was active', async () => {
    const user = await forge.user()
    const project = await forge.project({ maintainer: user })
    const head = await git(project.dir, 'rev-parse', 'main')
    const { onProposed } = openPush(forge.app, { project, user, level: 40 })
    const change = { changes: [{ ref: 'refs/heads/late', before: '0'.repeat(40), after: head }], quarantine: '', options: [] }
    await act(user, 'ban')
    expect(await onProposed(change)).toEqual(['Gitstead: Your account has been banned.'])
  })
})

describe('a deactivated user', () => {
  const signIn = (user: TestUser) =>
    browserOf(forge.server).submit('/users/sign_in', '/users/sign_in', { login: user.username, password: 'a long password' })

  test('comes back by signing in, and tokens and grants of applications work again', async () => {
    const user = await forge.user({ password: 'a long password' })
    const grant = { grant_type: 'password', username: user.username, password: 'a long password' }
    const { access_token } = (await forge.server.inject({ method: 'POST', url: '/oauth/token', payload: grant })).json()
    const byGrant = () => forge.server.inject({ url: '/api/v4/user', headers: { authorization: `Bearer ${access_token}` } })
    await forge.app.db.updateTable('users').set({ last_activity_on: null, current_sign_in_at: null }).where('id', '=', user.id).execute()
    await act(user, 'deactivate')
    expect([(await forge.as(user).get('/user')).status, (await byGrant()).statusCode]).toEqual([403, 403])
    expect((await signIn(user)).status).toBe(303)
    expect(await stateOf(user)).toBe('active')
    expect([(await forge.as(user).get('/user')).status, (await byGrant()).statusCode]).toEqual([200, 200])
    const lines = (await forge.as(forge.root).get(`/audit_events?entity_type=User&entity_id=${user.id}`)).body
    expect(lines.map(({ event_name }: { event_name: string }) => event_name)).toEqual(
      expect.arrayContaining(['user_deactivated', 'user_activated', 'signed_in']),
    )
  })

  test('stays so with a wrong password, and once blocked does not come back', async () => {
    const user = await forge.user({ password: 'another password', state: 'deactivated' })
    expect((await signIn(user)).status).not.toBe(303)
    expect(await stateOf(user)).toBe('deactivated')
    const blocked = await forge.user({ password: 'a long password', state: 'deactivated' })
    await act(blocked, 'block')
    expect((await signIn(blocked)).status).toBe(403)
    expect(await stateOf(blocked)).toBe('blocked')
  })
})

describe('what a banned user wrote', () => {
  test('is hidden from all but administrators, in lists, totals, searches and events, until they are unbanned', async () => {
    const [spammer, reader, reporter] = [await forge.user(), await forge.user(), await forge.user()]
    const project = await forge.project({ visibility: 'public', reporter })
    const at = `/projects/${project.id}`
    const kept = (await forge.as(reader).post(`${at}/issues`, { title: 'Kept and pineapple' })).body
    const spam = (await forge.as(spammer).post(`${at}/issues`, { title: 'Cheap pineapple' })).body
    const note = (await forge.as(spammer).post(`${at}/issues/${kept.iid}/notes`, { body: 'More pineapple' })).body
    await forge.as(reader).post(`${at}/issues/${spam.iid}/notes`, { body: 'Is this pineapple?' })
    const fork = (await forge.as(spammer).post(`${at}/fork`)).body
    await forge.drain()
    const file = { branch: 'cheap', start_branch: 'main', content: 'x', commit_message: 'x' }
    await forge.as(spammer).post(`/projects/${fork.id}/repository/files/cheap.txt`, file)
    const between = { source_branch: 'cheap', target_branch: 'main', target_project_id: project.id, title: 'Pineapple' }
    const request = (await forge.as(spammer).post(`/projects/${fork.id}/merge_requests`, between)).body
    await forge.as(reader).post(`${at}/merge_requests/${request.iid}/notes`, { body: 'A juicy one' })
    const snippet = (await forge.as(spammer).post('/snippets', { title: 'Buy', file_name: 'a', content: 'b', visibility: 'public' })).body
    const seenBy = async (user: TestUser) => {
      const api = forge.as(user)
      const list = await api.get(`${at}/issues`)
      const names = (answer: { body: Array<{ id: number }> }) => answer.body.map(({ id }) => id)
      return {
        listed: names(list),
        total: list.headers['x-total'],
        searched: names(await api.get(`${at}/issues?search=pineapple`)),
        everywhere: names(await api.get(`/issues?scope=all&search=pineapple&project_id=${project.id}`)).filter((id) =>
          [kept.id, spam.id].includes(id),
        ),
        found: names(await api.get(`${at}/search?scope=notes&search=pineapple`)).length,
        requests: names(await api.get(`${at}/merge_requests`)),
        requestsTotal: (await api.get(`${at}/merge_requests?state=opened`)).headers['x-total'],
        request: (await api.get(`${at}/merge_requests/${request.iid}`)).status,
        onRequest: names(await api.get(`${at}/search?scope=notes&search=juicy`)).length,
        snippet: (await api.get(`/snippets/${snippet.id}`)).status,
        snippets: names(await api.get('/snippets/public')).filter((id) => id === snippet.id),
        one: (await api.get(`${at}/issues/${spam.iid}`)).status,
        notes: names(await api.get(`${at}/issues/${kept.iid}/notes`)),
        note: (await api.get(`${at}/issues/${kept.iid}/notes/${note.id}`)).status,
        discussions: (await api.get(`${at}/issues/${kept.iid}/discussions`)).body.length,
        events: (await api.get(`${at}/events`)).body.filter((event: { author_id: number }) => event.author_id === spammer.id).length,
      }
    }
    const all = await seenBy(reader)
    expect(all).toMatchObject({ listed: [spam.id, kept.id], total: '2', found: 2, one: 200, notes: [note.id], note: 200, discussions: 1 })
    expect(all).toMatchObject({
      requests: [request.id],
      requestsTotal: '1',
      request: 200,
      onRequest: 1,
      snippet: 200,
      snippets: [snippet.id],
    })
    expect(all.events).toBeGreaterThan(0)
    await act(spammer, 'ban')
    const withoutSpam = {
      listed: [kept.id],
      total: '1',
      searched: [kept.id],
      everywhere: [kept.id],
      found: 0,
      one: 404,
      notes: [],
      note: 404,
    }
    const hidden = { ...withoutSpam, requests: [], requestsTotal: '0', request: 404, onRequest: 0, snippet: 404, snippets: [] }
    expect(await seenBy(reader)).toEqual({ ...hidden, discussions: 0, events: 0 })
    expect(await seenBy(reporter)).toEqual({ ...hidden, discussions: 0, events: 0 })
    expect(await seenBy(forge.root)).toEqual(all)
    await act(spammer, 'unban')
    expect(await seenBy(reader)).toEqual(all)
  })
})

describe('lists of users', () => {
  test('find each state for administrators; others find no banned users and none that wait for approval', async () => {
    const users = await Promise.all(states.map((state) => forge.user({ state, name: `Stately ${state}` })))
    const [reader, root] = [await forge.user(), forge.root]
    const named = async (query: string, user: TestUser) => {
      const { status, body } = await forge.as(user).get(`/users?search=stately&order_by=id&sort=asc&${query}`)
      return status === 200 ? body.map(({ state }: { state: UserState }) => state).sort() : status
    }
    for (const state of ['active', 'blocked', 'deactivated', 'banned', 'blocked_pending_approval'])
      expect([state, await named(`${state}=true`, root)]).toEqual([state, [state]])
    expect(await named('', root)).toEqual([...states].sort())
    expect(await named('exclude_active=true', root)).toEqual(states.slice(1).sort())
    expect(await named('', reader)).toEqual(['active', 'blocked', 'deactivated'])
    expect(await named('exclude_active=true', reader)).toEqual(['blocked', 'deactivated'])
    for (const state of ['banned', 'blocked_pending_approval']) expect(await named(`${state}=true`, reader)).toBe(403)
    const total = async () => Number((await forge.as(reader).get('/users?per_page=1')).headers['x-total'])
    const before = await total()
    await act(users[0] as TestUser, 'ban')
    expect(await total()).toBe(before - 1)
  })
})
