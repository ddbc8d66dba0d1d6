/** CI servers that build each push: Bamboo, Buildkite, Drone, TeamCity, and one for tests. */
import type { Field, Kind, Payload, Reply, Settings } from './kind.ts'
import { basic, getJson, isOn, isSuccess, jsonOf, postJson, pushKind, refName, textOf, urlAt } from './requests.ts'

const username: Field = { name: 'username', title: 'Username', type: 'text', required: true }
const password: Field = { name: 'password', title: 'Password', type: 'text', required: true, secret: true }
const verification: Field = { name: 'enable_ssl_verification', title: 'Verify certificates', type: 'checkbox', default: true }

/** Statuses by words in a text, for Bamboo and TeamCity. */
const states: Array<[word: RegExp, status: string]> = [
  [/success/i, 'success'],
  [/fail/i, 'failed'],
  [/pending|unknown/i, 'pending'],
]

function statusIn(text: unknown): { status: string } | null {
  const [, status] = states.find(([word]) => word.test(String(text ?? ''))) ?? []
  return status === undefined ? null : { status }
}

/** The build isn't known there yet. */
const isUnknown = ({ status }: Reply) => status === 404
const waiting = { status: 'pending' }

/** The value at a path of names in a JSON answer. */
function at(reply: Reply, ...names: string[]): unknown {
  return names.reduce<unknown>(
    (value, name) => (value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : null),
    jsonOf(reply),
  )
}

const credentials = (settings: Settings) => basic(textOf(settings, 'username'), textOf(settings, 'password'))
const verifiedAsSet = (settings: Settings) => ({ verifies: isOn(settings, 'enable_ssl_verification') })
const segments = (path: string) => path.split('/').map(encodeURIComponent).join('/')

const isRemoval = (payload: Payload) => pushKind(payload) === 'removed'

export const bamboo: Kind = {
  slug: 'bamboo',
  title: 'Atlassian Bamboo',
  description: 'Start a build of a plan on each push',
  help: 'The plan needs automatic revision labels and a trigger for the repository.',
  group: 'ci',
  fields: [
    { name: 'bamboo_url', title: 'Bamboo URL', type: 'text', required: true, isUrl: true, placeholder: 'https://bamboo.example.com' },
    { name: 'build_key', title: 'Build plan key', type: 'text', required: true, placeholder: 'KEY' },
    username,
    password,
  ],
  events: ['push_events'],
  *act(payload, settings) {
    if (isRemoval(payload)) return
    const query = { buildKey: textOf(settings, 'build_key'), os_authType: 'basic' }
    yield getJson(urlAt(textOf(settings, 'bamboo_url'), 'updateAndBuild.action', query), credentials(settings))
  },
  build: {
    ask: (settings, { sha }) =>
      getJson(
        urlAt(textOf(settings, 'bamboo_url'), `rest/api/latest/result/byChangeset/${sha}`, { os_authType: 'basic' }),
        credentials(settings),
      ),
    read(reply, settings) {
      if (isUnknown(reply) || (isSuccess(reply) && String(at(reply, 'results', 'size')) === '0')) return waiting
      const found = at(reply, 'results', 'result')
      const result: unknown = Array.isArray(found) ? found[0] : found
      const { buildState, planResultKey } = (result ?? {}) as { buildState?: unknown; planResultKey?: { key?: unknown } }
      const read = isSuccess(reply) ? statusIn(buildState) : null
      const key = planResultKey?.key
      return (
        read &&
        (typeof key === 'string' ? { ...read, page: urlAt(textOf(settings, 'bamboo_url'), `browse/${encodeURIComponent(key)}`) } : read)
      )
    },
    page: (settings) => urlAt(textOf(settings, 'bamboo_url'), `browse/${encodeURIComponent(textOf(settings, 'build_key'))}`),
  },
}

export const buildkite: Kind = {
  slug: 'buildkite',
  title: 'Buildkite',
  description: 'Start a build on each push',
  group: 'ci',
  fields: [
    { name: 'token', title: 'Token', type: 'text', required: true, secret: true, help: 'That of the pipeline for this service' },
    {
      name: 'project_url',
      title: 'Pipeline URL',
      type: 'text',
      required: true,
      isUrl: true,
      placeholder: 'https://buildkite.com/example/project',
    },
    verification,
  ],
  events: ['push_events'],
  *act(payload, settings) {
    if (isRemoval(payload)) return
    // The second part of the token is for reading the status of builds.
    const [webhookToken = ''] = textOf(settings, 'token').split(':')
    const call = postJson(`https://webhook.buildkite.com/deliver/${encodeURIComponent(webhookToken)}`, payload, {
      'x-gitlab-event': 'Push Hook',
    })
    yield { ...call, ...verifiedAsSet(settings) }
  },
  build: {
    ask(settings, { sha }) {
      const [, statusToken = ''] = textOf(settings, 'token').split(':')
      const url = `https://gitlab.buildkite.com/status/${encodeURIComponent(statusToken)}.json?commit=${sha}`
      return { ...getJson(url), ...verifiedAsSet(settings) }
    },
    read: (reply) => statusOf(reply),
    page: (settings, { sha }) => urlAt(textOf(settings, 'project_url'), 'builds', { commit: sha }),
  },
}

/** Parses an answer with a `status` in the terms of the API. */
function statusOf(reply: Reply): { status: string } | null {
  const status = isSuccess(reply) ? at(reply, 'status') : null
  return typeof status === 'string' ? { status: otherStatuses.get(status) ?? status } : null
}

/** Statuses of Drone that have another name. */
const otherStatuses = new Map([
  ['killed', 'canceled'],
  ['failure', 'failed'],
  ['error', 'failed'],
])
const droneEvents: Record<string, string> = { push: 'Push Hook', tag_push: 'Tag Push Hook', merge_request: 'Merge Request Hook' }

export const droneCi: Kind = {
  slug: 'drone-ci',
  title: 'Drone',
  description: 'Start a build on each push, tag and merge request',
  group: 'ci',
  fields: [
    { name: 'token', title: 'Token', type: 'text', required: true, secret: true },
    { name: 'drone_url', title: 'Drone URL', type: 'text', required: true, isUrl: true, placeholder: 'https://drone.example.com' },
    verification,
  ],
  events: ['push_events', 'merge_requests_events', 'tag_push_events'],
  *act(payload, settings) {
    const { object_kind, object_attributes, project } = payload
    if (object_kind === 'merge_request' ? object_attributes?.state !== 'opened' : isRemoval(payload)) return
    const slash = project.path_with_namespace.lastIndexOf('/')
    const query = {
      owner: project.path_with_namespace.slice(0, slash),
      name: project.path_with_namespace.slice(slash + 1),
      access_token: textOf(settings, 'token'),
    }
    const call = postJson(urlAt(textOf(settings, 'drone_url'), 'api/hook', query), payload, {
      'x-gitlab-event': droneEvents[object_kind] ?? 'Push Hook',
    })
    yield { ...call, ...verifiedAsSet(settings) }
  },
  build: {
    ask(settings, { sha, ref, path }) {
      const url = urlAt(textOf(settings, 'drone_url'), `gitlab/${segments(path)}/commits/${sha}`, {
        branch: ref,
        access_token: textOf(settings, 'token'),
      })
      return { ...getJson(url), ...verifiedAsSet(settings) }
    },
    read: (reply) => statusOf(reply),
    page: (settings, { sha, ref, path }) =>
      urlAt(textOf(settings, 'drone_url'), `gitlab/${segments(path)}/redirect/commits/${sha}`, { branch: ref }),
  },
}

const escapeXml = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

export const teamcity: Kind = {
  slug: 'teamcity',
  title: 'JetBrains TeamCity',
  description: 'Start a build on each push',
  help: 'The build configuration needs the build number %build.vcs.number%, and to watch all branches.',
  group: 'ci',
  fields: [
    { name: 'teamcity_url', title: 'TeamCity URL', type: 'text', required: true, isUrl: true, placeholder: 'https://teamcity.example.com' },
    { name: 'build_type', title: 'Build configuration ID', type: 'text', required: true },
    username,
    password,
  ],
  events: ['push_events'],
  *act(payload, settings) {
    if (isRemoval(payload)) return
    const branch = escapeXml(refName(payload.ref))
    yield {
      method: 'POST',
      url: urlAt(textOf(settings, 'teamcity_url'), 'httpAuth/app/rest/buildQueue'),
      headers: { 'content-type': 'application/xml', ...credentials(settings) },
      body: `<build branchName="${branch}"><buildType id="${escapeXml(textOf(settings, 'build_type'))}"/></build>`,
    }
  },
  build: {
    ask: (settings, { sha }) =>
      getJson(
        urlAt(textOf(settings, 'teamcity_url'), `httpAuth/app/rest/builds/branch:unspecified:any,number:${sha}`),
        credentials(settings),
      ),
    read(reply, settings) {
      if (isUnknown(reply)) return waiting
      // The status of a running build is that of its finished parts.
      if (isSuccess(reply) && at(reply, 'state') === 'running') return { status: 'running' }
      const read = isSuccess(reply) ? statusIn(at(reply, 'status')) : null
      const query = { buildId: String(at(reply, 'id')), buildTypeId: textOf(settings, 'build_type') }
      return read && { ...read, page: urlAt(textOf(settings, 'teamcity_url'), 'viewLog.html', query) }
    },
    page: (settings) => urlAt(textOf(settings, 'teamcity_url'), 'viewLog.html', { buildTypeId: textOf(settings, 'build_type') }),
  },
}

/** Only asked for the status of a commit: there is nothing to start. */
export const mockCi: Kind = {
  slug: 'mock-ci',
  title: 'Mock CI',
  description: 'Ask a server of your own for the status of each pushed commit, to try out how CI servers are called',
  group: 'ci',
  fields: [{ name: 'mock_service_url', title: 'URL', type: 'text', required: true, isUrl: true, placeholder: 'http://localhost:4004' }],
  events: ['push_events'],
  *act() {},
  build: {
    ask: (settings, { sha, path }) => getJson(urlAt(textOf(settings, 'mock_service_url'), `${segments(path)}/status/${sha}.json`)),
    read: (reply) => (isUnknown(reply) ? waiting : statusOf(reply)),
    page: (settings, { sha, path }) => urlAt(textOf(settings, 'mock_service_url'), `${segments(path)}/status/${sha}`),
  },
}
