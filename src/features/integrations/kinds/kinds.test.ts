/** Each kind against a small server of ours, which answers as its public documentation says: what is sent at an event, and where. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  answerWith,
  commit,
  forgetAnswers,
  issue,
  note,
  pipeline,
  push,
  type Request,
  removal,
  request,
  send,
  startReceiver,
  stopReceiver,
  wikiPage,
} from '../../../../test/support/integration-receiver.ts'
import { closedKeysIn } from './jira.ts'
import { kindOf, kinds, type Settings } from './kinds.ts'

beforeAll(startReceiver)
afterAll(stopReceiver)
beforeEach(forgetAnswers)

const webhook = 'https://chat.example.com/hook'
const at = 'chat.example.com/hook'
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const headline = {
  push: 'Ada pushed to branch main of water/pump (Compare changes)',
  issue: 'Ada opened issue #7 in water/pump: It <b>leaks</b> [a](b)',
  request: 'Ada merged merge request !9 in water/pump: Seal',
  note: 'Ada commented on merge request !9 in water/pump: Seal',
  pipeline: 'water/pump: Pipeline #3 of branch main by Ada failed in 01:03',
  wikiPage: 'Ada created wiki page in water/pump: Home',
}

test.each([
  ['a push', push, headline.push, ['cccccccc: Fix the <valve> @all - Ada'], 'neutral'],
  ['an issue', issue, headline.issue, ['Water'], 'neutral'],
  ['a merge request', request, headline.request, [], 'good'],
  ['a note', note, headline.note, ['Nice'], 'neutral'],
  ['a pipeline', pipeline, headline.pipeline, [], 'bad'],
  ['a wiki page', wikiPage, headline.wikiPage, ['First'], 'neutral'],
])('%s in plain words', async (_, payload, text, lines, status) => {
  const [sent, ...more] = await send('plain-json', { webhook }, payload)
  expect(more).toEqual([])
  expect(sent).toMatchObject({ method: 'POST', at, body: { project: 'water/pump', text, lines, status } })
})

test('chats tell of what was asked for alone', async () => {
  const onlyMain = { webhook, notify_only_default_branch: true }
  expect(await send('slack', onlyMain, { ...push, ref: 'refs/heads/other' })).toEqual([])
  expect(await send('slack', onlyMain)).toHaveLength(1)
  expect(await send('slack', onlyMain, { ...push, object_kind: 'tag_push', ref: 'refs/tags/v1' })).toHaveLength(1)
  const passed = { ...pipeline, object_attributes: { ...pipeline.object_attributes, status: 'success' } }
  expect(await send('slack', { webhook, notify_only_broken_pipelines: true }, passed)).toEqual([])
  expect(await send('slack', { webhook }, passed)).toHaveLength(1)
  expect(await send('slack', { webhook }, { ...issue, object_attributes: { ...issue.object_attributes, action: 'update' } })).toEqual([])
})

test('a tag is linked as one, though a branch may be called like it', async () => {
  const linked = async (payload: typeof push) => JSON.stringify((await send('slack', { webhook }, payload))[0]?.body)
  expect(await linked({ ...push, object_kind: 'tag_push', ref: 'refs/tags/v1' })).toContain('/water/pump/commits/refs/tags/v1|v1>')
  expect(await linked({ ...push, ref: 'refs/heads/v1' })).toContain('/water/pump/commits/v1|v1>')
})

test.each(['slack', 'mattermost'])('%s: a message with an attachment, in the channel of the event; text is no markup', async (slug) => {
  const [sent] = await send(slug, { webhook, username: 'forge', channel: 'general', issue_channel: 'issues' }, issue)
  expect(sent).toMatchObject({ method: 'POST', at, headers: { 'content-type': 'application/json' } })
  expect(sent?.body).toMatchObject({
    username: 'forge',
    channel: 'issues',
    text: 'Ada opened issue <https://forge/water/pump/issues/7|#7> in <https://forge/water/pump|water/pump>: It &lt;b&gt;leaks&lt;/b&gt; [a](b)',
    attachments: [{ text: 'Water', fallback: headline.issue }],
  })
  const [pushed] = await send(slug, { webhook, channel: 'general' })
  expect(JSON.stringify(pushed?.body)).toContain('&lt;valve&gt; @\u200ball')
  expect(pushed?.body).toMatchObject({ channel: 'general' })
})

test.each([
  [
    'microsoft-teams',
    { '@type': 'MessageCard', '@context': 'https://schema.org/extensions', title: 'water/pump', summary: headline.issue },
  ],
  [
    'hangouts_chat',
    {
      text: 'Ada opened issue <https://forge/water/pump/issues/7|#7> in <https://forge/water/pump|water/pump>: It ‹b›leaks‹/b› [a](b)\nWater',
    },
  ],
  [
    'discord',
    { allowed_mentions: { parse: [] }, embeds: [{ title: '#7 It <b>leaks</b> [a](b)', url: 'https://forge/water/pump/issues/7' }] },
  ],
])('%s: a message in its own form', async (slug, body) => {
  const [sent, ...more] = await send(slug, { webhook }, issue)
  expect([more, sent?.method, sent?.at]).toEqual([[], 'POST', at])
  expect(sent?.body).toMatchObject(body)
})

test('matrix: a message to the room, under the same transaction in each attempt', async () => {
  const [sent] = await send('matrix', { hostname: 'https://chat.example.com/', token: 'tok', room: '!r:x' }, issue)
  expect(sent).toMatchObject({
    method: 'PUT',
    at: 'chat.example.com/_matrix/client/v3/rooms/!r%3Ax/send/m.room.message/u-1',
    headers: { authorization: 'Bearer tok' },
    body: { msgtype: 'm.text', format: 'org.matrix.custom.html', formatted_body: expect.stringContaining('It &lt;b&gt;leaks&lt;/b&gt;') },
  })
})

test('hipchat: a notification by version 2, a message by version 1', async () => {
  const [two] = await send('hipchat', { token: 'tok', room: 'a room', color: 'gray', notify: true }, issue)
  expect(two).toMatchObject({
    at: 'api.hipchat.com/v2/room/a%20room/notification',
    headers: { authorization: 'Bearer tok' },
    body: { message_format: 'html', color: 'gray', notify: true, message: expect.stringContaining('&lt;b&gt;') },
  })
  const [one] = await send('hipchat', { token: 'tok', room: 'a', api_version: 'v1', server: 'https://hip.example.com' }, pipeline)
  expect(one).toMatchObject({
    at: 'hip.example.com/v1/rooms/message',
    query: { auth_token: 'tok' },
    body: { room_id: 'a', color: 'red', from: 'Gitstead' },
  })
})

test('campfire: spoken in the room of that name, and nowhere if there is none', async () => {
  answerWith('GET water.campfirenow.com/rooms.json', {
    rooms: ['A', 'B'].map((name, index) => ({ id: 4 + index, name })),
  })
  const settings = { token: 'tok', subdomain: 'water', room: 'B' }
  expect(await send('campfire', settings)).toMatchObject([
    { method: 'GET', headers: { authorization: basic('tok:X') } },
    { at: 'water.campfirenow.com/room/5/speak.json', body: { message: { type: 'TextMessage', body: expect.stringContaining('Ada') } } },
  ])
  expect(await send('campfire', { ...settings, room: 'C' })).toHaveLength(1)
})

test.each<[slug: string, settings: Settings, expected: object]>([
  ['flowdock', { token: 'tok' }, { at: 'api.flowdock.com/messages', body: { flow_token: 'tok', event: 'activity', title: headline.push } }],
  [
    'pushover',
    { api_key: 'k', user_key: 'u', priority: '1', sound: 'bike' },
    {
      at: 'api.pushover.net/1/messages.json',
      body: {
        token: 'k',
        user: 'u',
        priority: '1',
        sound: 'bike',
        title: 'water/pump',
        message: 'Ada pushed to branch "main".\nTotal commits count: 1',
      },
    },
  ],
  [
    'packagist',
    { username: 'u', token: 't' },
    { at: 'packagist.org/api/update-package', query: { username: 'u', apiToken: 't' }, body: { object_kind: 'push' } },
  ],
  [
    'assembla',
    { token: 't', subdomain: 's' },
    { at: 'atlas.assembla.com/spaces/s/github_tool', query: { secret_key: 't' }, body: { payload: { ref: push.ref } } },
  ],
  [
    'pivotaltracker',
    { token: 't', restrict_to_branch: 'a, main' },
    {
      at: 'www.pivotaltracker.com/services/v5/source_commits',
      headers: { 'x-trackertoken': 't' },
      body: { source_commit: { commit_id: push.after, author: 'Ada' } },
    },
  ],
  [
    'buildkite',
    { token: 'web:status', project_url: 'x' },
    { at: 'webhook.buildkite.com/deliver/web', headers: { 'x-gitlab-event': 'Push Hook' }, body: { object_kind: 'push' } },
  ],
  [
    'drone-ci',
    { token: 't', drone_url: 'https://drone.example.com' },
    { at: 'drone.example.com/api/hook', query: { owner: 'water', name: 'pump', access_token: 't' } },
  ],
  [
    'bamboo',
    { bamboo_url: 'https://bamboo.example.com/b/', build_key: 'K', username: 'u', password: 'p' },
    {
      method: 'GET',
      at: 'bamboo.example.com/b/updateAndBuild.action',
      query: { buildKey: 'K', os_authType: 'basic' },
      headers: { authorization: basic('u:p') },
    },
  ],
  [
    'teamcity',
    { teamcity_url: 'https://tc.example.com', build_type: 'b"t', username: 'u', password: 'p' },
    {
      at: 'tc.example.com/httpAuth/app/rest/buildQueue',
      body: '<build branchName="main"><buildType id="b&#34;t"/></build>',
      headers: { authorization: basic('u:p') },
    },
  ],
])('%s: one request for a push', async (slug, settings, expected) => {
  const [sent, ...more] = await send(slug, settings)
  expect(more).toEqual([])
  expect(sent).toMatchObject(expected)
})

test.each(['buildkite', 'drone-ci', 'bamboo', 'teamcity', 'mock-ci'])('%s: nothing is built of a branch that was removed', async (slug) => {
  expect(await send(slug, { drone_url: webhook, bamboo_url: webhook, teamcity_url: webhook, mock_service_url: webhook }, removal)).toEqual(
    [],
  )
})

test('asana: comments on the tasks that are there, and completes those that are fixed', async () => {
  answerWith('GET app.asana.com/api/1.0/tasks/3', null)
  const commits = [commit('Fixes #1, see https://app.asana.com/0/5/2 and #3')]
  const sent = await send('asana', { api_key: 'key' }, { ...push, commits })
  expect(sent.map(({ method, at }) => `${method} ${at.slice('app.asana.com/api/1.0/tasks/'.length)}`)).toEqual([
    'GET 1',
    'POST 1/stories',
    'PUT 1',
    'GET 2',
    'POST 2/stories',
    'GET 3',
  ])
  expect(sent[1]).toMatchObject({
    headers: { authorization: 'Bearer key' },
    body: { data: { text: expect.stringContaining('Ada pushed to branch main') } },
  })
  expect(sent[2]?.body).toEqual({ data: { completed: true } })
  expect(await send('asana', { api_key: 'key', restrict_to_branch: 'release' }, { ...push, commits })).toEqual([])
})

test('jira: comments once on what a commit names, and closes what it closes', async () => {
  const settings = { url: 'https://jira.example.com/', username: 'u', password: 'p', jira_issue_transition_id: '2;31' }
  const api = 'jira.example.com/rest/api/2/issue'
  const said = (all: Request[]) => all.map(({ method, at }) => `${method} ${at.slice(api.length + 1)}`)
  answerWith(`GET ${api}/WATER-2/remotelink`, [{ object: { url: push.commits?.[0]?.url } }])
  const commits = [commit('Look at WATER-1 and WATER-2')]
  const mentioned = await send('jira', settings, { ...push, commits })
  expect(said(mentioned)).toEqual([
    'GET WATER-1',
    'GET WATER-1/remotelink',
    'POST WATER-1/comment',
    'POST WATER-1/remotelink',
    'GET WATER-2',
    'GET WATER-2/remotelink',
  ])
  expect(mentioned[2]).toMatchObject({
    headers: { authorization: basic('u:p') },
    body: { body: expect.stringContaining('Ada mentioned this issue in [a commit of water/pump|') },
  })
  const closing = { ...push, commits: [commit('Closes WATER-1')] }
  const closed = await send('jira', settings, closing)
  expect(said(closed)).toEqual([
    'GET WATER-1',
    'POST WATER-1/transitions',
    'POST WATER-1/transitions',
    'POST WATER-1/comment',
    'POST WATER-1/remotelink',
  ])
  expect(closed.slice(1, 3).map(({ body }) => body)).toEqual([{ transition: { id: '2' } }, { transition: { id: '31' } }])
  answerWith(`GET ${api}/WATER-1`, { fields: { resolution: { name: 'Done' } } })
  expect(said(await send('jira', settings, closing))).toEqual(['GET WATER-1'])
  expect(said(await send('jira', settings, { ...closing, ref: 'refs/heads/other' }))[1]).toBe('GET WATER-1/remotelink')
  expect(closedKeysIn('Closes WATER-1, WATER-2 and AIR-3; see AIR-4. Fixed: AIR-5, UTF-8')).toEqual([
    'WATER-1',
    'WATER-2',
    'AIR-3',
    'AIR-5',
    'UTF-8',
  ])
})

test('irker: lines of JSON for the port of a gateway', () => {
  const settings = { recipients: 'irc://irc.example.com/#a b', default_irc_uri: 'irc://irc.example.net/', server_port: 7 }
  const { value } = kindOf('irker')?.act?.(push, settings, { uuid: 'u', sender: 's' }).next() ?? {}
  const call = value as { host: string; port: number; lines: string[] }
  expect([call.host, call.port]).toEqual(['localhost', 7])
  expect(call.lines.map((line) => JSON.parse(line))).toEqual([
    {
      to: ['irc://irc.example.com/#a', 'irc://irc.example.net/b'],
      privmsg: expect.stringContaining('[Pump] Ada pushed 1 new commit to main: https://'),
    },
    { to: expect.anything(), privmsg: 'Pump/main cccccccc Ada (2 files): Fix the <valve> @all' },
  ])
})

test('every kind that acts bears every event, with nothing but what is required', async () => {
  for (const { slug, act, fields } of kinds) {
    if (!act) continue
    const settings = Object.fromEntries(fields.filter(({ required }) => required).map(({ name, isUrl }) => [name, isUrl ? webhook : 'x']))
    for (const payload of [push, removal, issue, request, note, pipeline, wikiPage]) {
      if (slug === 'irker') act(payload, settings, { uuid: 'u', sender: 's' }).next()
      else await send(slug, settings, payload)
    }
  }
})
