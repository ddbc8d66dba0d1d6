/** Jira: comments on issues mentioned in commits and merge requests, and transitions of those they close. */
import type { Kind, Payload, PushedCommit, Settings, Steps } from './kind.ts'
import { basic, firstLine, getJson, isSuccess, jsonOf, postJson, refName, textOf, urlAt } from './requests.ts'

const issueKey = /\b[A-Z][A-Z0-9_]{1,99}-[1-9]\d{0,9}\b/g
const closing =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?::?\s+|:)((?:(?:,?\s*(?:and\s+)?)?\b[A-Z][A-Z0-9_]{1,99}-[1-9]\d{0,9}\b){1,20})/gi
const maxKeys = 20

export const jira: Kind = {
  slug: 'jira',
  title: 'Jira',
  description: 'Link to issues in Jira, comment on those that commits and merge requests name, and close those they close',
  help: 'PROJECT-123 names an issue; "Closes PROJECT-123" in a commit on the default branch, or a merged request, closes it.',
  group: 'tracker',
  fields: [
    { name: 'url', title: 'Web URL', type: 'text', required: true, isUrl: true, placeholder: 'https://jira.example.com' },
    { name: 'api_url', title: 'API URL', type: 'text', isUrl: true, placeholder: 'If it differs from the web URL' },
    { name: 'project_key', title: 'Project key', type: 'text' },
    { name: 'username', title: 'Username or email', type: 'text', required: true },
    { name: 'password', title: 'Password or API token', type: 'text', required: true, secret: true },
    {
      name: 'jira_issue_transition_id',
      title: 'Transitions that close an issue',
      type: 'text',
      default: '2',
      help: 'Their IDs, separated by commas.',
    },
  ],
  events: ['commit_events', 'merge_requests_events'],
  *act(payload, settings) {
    const jira = clientOf(settings)
    if (payload.object_kind === 'push') yield* hearOfCommits(payload, jira)
    if (payload.object_kind === 'merge_request') yield* hearOfRequest(payload, jira)
  },
}

interface Client {
  api: string
  headers: Record<string, string>
  transitions: string[]
}

function clientOf(settings: Settings): Client {
  const base = textOf(settings, 'api_url') || textOf(settings, 'url')
  return {
    api: urlAt(base, 'rest/api/2/issue'),
    headers: basic(textOf(settings, 'username'), textOf(settings, 'password')),
    transitions: textOf(settings, 'jira_issue_transition_id').match(/\d+/g) ?? [],
  }
}

/** Distinct keys in a text. */
export function keysIn(text: string): string[] {
  return [...new Set(text.match(issueKey))].slice(0, maxKeys)
}

/** The issues that a text closes. */
export function closedKeysIn(text: string): string[] {
  return [...new Set([...text.matchAll(closing)].flatMap(([, keys = '']) => keysIn(keys)))].slice(0, maxKeys)
}

function* hearOfCommits(payload: Payload, jira: Client): Steps {
  const isDefault = refName(payload.ref) === payload.project.default_branch
  for (const commit of payload.commits ?? []) {
    const closed = isDefault ? closedKeysIn(commit.message) : []
    for (const key of keysIn(commit.message)) {
      if (closed.includes(key)) yield* close(jira, key, commit)
      else yield* mention(jira, key, payload, { kind: 'commit', title: firstLine(commit.message), url: commit.url })
    }
  }
}

function* hearOfRequest(payload: Payload, jira: Client): Steps {
  const { action, title = '', description, url = '', last_commit } = payload.object_attributes ?? {}
  const text = `${title}\n${description ?? ''}`
  const closed = closedKeysIn(text)
  if (action === 'open') for (const key of keysIn(text)) yield* mention(jira, key, payload, { kind: 'merge request', title, url })
  if (action !== 'merge' || !last_commit?.id) return
  const commit = { id: last_commit.id, url: `${payload.project.web_url}/commit/${last_commit.id}` }
  for (const key of closed) yield* close(jira, key, commit)
}

interface Mention {
  kind: string
  title: string
  url: string
}

/** Once per URL, even if the event is delivered again. */
function* mention({ api, headers }: Client, key: string, payload: Payload, { kind, title, url }: Mention): Steps {
  if (!isSuccess(yield getJson(`${api}/${key}`, headers))) return
  const links = jsonOf(yield getJson(`${api}/${key}/remotelink`, headers))
  if (Array.isArray(links) && links.some((link: { object?: { url?: string } }) => link?.object?.url === url)) return
  const { user, user_name, project } = payload
  const body = `${wiki(user?.name ?? user_name ?? '')} mentioned this issue in [a ${kind} of ${wiki(project.path_with_namespace)}|${url}]:\n'${wiki(title)}'`
  yield postJson(`${api}/${key}/comment`, { body }, headers)
  yield postJson(`${api}/${key}/remotelink`, { object: { url, title: `Mentioned in a ${kind}: ${title}` } }, headers)
}

function* close({ api, headers, transitions }: Client, key: string, commit: Pick<PushedCommit, 'id' | 'url'>): Steps {
  const issue = yield getJson(`${api}/${key}`, headers)
  const { fields } = (jsonOf(issue) ?? {}) as { fields?: { resolution?: unknown } }
  if (!isSuccess(issue) || fields?.resolution) return
  for (const id of transitions) {
    if (!isSuccess(yield postJson(`${api}/${key}/transitions`, { transition: { id } }, headers))) return
  }
  yield postJson(`${api}/${key}/comment`, { body: `Issue solved with [${commit.id}|${commit.url}].` }, headers)
  const object = { url: commit.url, title: `Solved by commit ${commit.id}`, status: { resolved: true } }
  yield postJson(`${api}/${key}/remotelink`, { object }, headers)
}

/** Escapes Jira markup. */
const wiki = (text: string) => text.replace(/[[\]{}|!*_\\]/g, '\\$&')
