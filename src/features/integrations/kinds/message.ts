/** Events as messages for people, which all chats get in their own markup. */
import type { Payload, Settings } from './kind.ts'
import { commitsUrl, compareUrl, firstLine, isOn, pushKind, refName, refType, refUrl, short } from './requests.ts'

export interface Link {
  text: string
  url: string
}
/** Text that may contain links. */
export type Rich = Array<string | Link>

export interface Message {
  /** One line. */
  headline: Rich
  /** The subject, if it has a title of its own. */
  title: Link | null
  lines: Rich[]
  mood: 'good' | 'bad' | 'neutral'
}

const maxText = 1_000

/** Null if this integration doesn't report the event. */
export function messageOf(payload: Payload, settings: Settings): Message | null {
  switch (payload.object_kind) {
    case 'push':
    case 'tag_push':
      return tellsRef(payload, settings) ? push(payload) : null
    case 'issue':
      return payload.object_attributes?.action === 'update' ? null : issue(payload)
    case 'merge_request':
      return payload.object_attributes?.action === 'update' ? null : mergeRequest(payload)
    case 'note':
      return note(payload)
    case 'pipeline':
      return tellsRef(payload, settings) && tellsStatus(payload, settings) ? pipeline(payload) : null
    case 'wiki_page':
      return wikiPage(payload)
    default:
      return null
  }
}

function tellsRef({ object_kind, object_attributes, ref, project }: Payload, settings: Settings): boolean {
  if (object_kind === 'tag_push' || object_attributes?.tag || !isOn(settings, 'notify_only_default_branch')) return true
  return (ref === undefined ? object_attributes?.ref : refName(ref)) === project.default_branch
}

function tellsStatus({ object_attributes }: Payload, settings: Settings): boolean {
  const status = object_attributes?.status
  return status === 'failed' || (status === 'success' && !isOn(settings, 'notify_only_broken_pipelines'))
}

const nothing = { title: null, lines: [], mood: 'neutral' } as const

function projectLink({ project }: Payload): Link {
  return { text: project.path_with_namespace, url: project.web_url }
}

function actor({ user, user_name }: Payload): string {
  return user?.name ?? user_name ?? 'Somebody'
}

function push(payload: Payload): Message {
  const kind = pushKind(payload)
  const type = refType(payload)
  const ref = { text: refName(payload.ref), url: refUrl(payload) }
  const project = projectLink(payload)
  if (kind === 'removed') return { ...nothing, lines: [], headline: [`${actor(payload)} removed ${type} ${ref.text} from `, project] }
  const lines = type === 'tag' ? [] : commitLines(payload)
  if (kind === 'new') return { ...nothing, lines, headline: [`${actor(payload)} pushed new ${type} `, ref, ' to ', project] }
  const compare = { text: 'Compare changes', url: compareUrl(payload) }
  return { ...nothing, lines, headline: [`${actor(payload)} pushed to ${type} `, ref, ' of ', project, ' (', compare, ')'] }
}

/** Oldest first, as they were pushed. */
function commitLines({ commits = [], total_commits_count = commits.length }: Payload): Rich[] {
  const lines = commits.map(({ id, url, message, author }): Rich => [{ text: short(id), url }, `: ${firstLine(message)} - ${author.name}`])
  const more = total_commits_count - commits.length
  return more > 0 ? [...lines, [`and ${more} more`]] : lines
}

const acts: Record<string, string> = { open: 'opened', reopen: 'reopened', close: 'closed', merge: 'merged', approved: 'approved' }

function act({ object_attributes }: Payload): string {
  const { action = '', state = 'changed' } = object_attributes ?? {}
  return acts[action] ?? state
}

function issue(payload: Payload): Message {
  const { iid = 0, title = '', url = '', description, action } = payload.object_attributes ?? {}
  const headline: Rich = [`${actor(payload)} ${act(payload)} issue `, { text: `#${iid}`, url }, ' in ', projectLink(payload), `: ${title}`]
  return { headline, title: { text: `#${iid} ${title}`, url }, lines: action === 'open' ? textLines(description) : [], mood: 'neutral' }
}

function mergeRequest(payload: Payload): Message {
  const { iid = 0, title = '', url = '', action } = payload.object_attributes ?? {}
  const request = { text: `!${iid}`, url }
  const headline: Rich = [`${actor(payload)} ${act(payload)} merge request `, request, ' in ', projectLink(payload), `: ${title}`]
  return { headline, title: { text: `!${iid} ${title}`, url }, lines: [], mood: action === 'merge' ? 'good' : 'neutral' }
}

function note(payload: Payload): Message {
  const { note, url = '' } = payload.object_attributes ?? {}
  const [subject, title] = noted(payload)
  const headline: Rich = [`${actor(payload)} commented on `, { text: subject, url }, ' in ', projectLink(payload), `: ${title}`]
  return { headline, title: { text: title, url }, lines: textLines(note), mood: 'neutral' }
}

function noted({ object_attributes, issue, merge_request, commit, snippet }: Payload): [subject: string, title: string] {
  switch (object_attributes?.noteable_type) {
    case 'MergeRequest':
      return [`merge request !${merge_request?.iid}`, merge_request?.title ?? '']
    case 'Commit':
      return [`commit ${short(commit?.id ?? '')}`, commit?.title ?? firstLine(commit?.message ?? '')]
    case 'Snippet':
      return [`snippet $${snippet?.id}`, snippet?.title ?? '']
    default:
      return [`issue #${issue?.iid}`, issue?.title ?? '']
  }
}

const seconds = (duration: number) =>
  `${String(Math.floor(duration / 60)).padStart(2, '0')}:${String(Math.floor(duration % 60)).padStart(2, '0')}`

function pipeline(payload: Payload): Message {
  const { id, ref = '', tag, status, duration } = payload.object_attributes ?? {}
  const { web_url } = payload.project
  const number = { text: `#${id}`, url: `${web_url}/pipelines/${id}` }
  const branch = { text: ref, url: commitsUrl(payload.project, { name: ref, tag: tag === true }) }
  const passed = status === 'success' ? 'passed' : status
  const time = duration ? ` in ${seconds(duration)}` : ''
  const by = payload.user?.name ?? 'API'
  return {
    ...nothing,
    lines: [],
    headline: [projectLink(payload), ': Pipeline ', number, ` of ${tag ? 'tag' : 'branch'} `, branch, ` by ${by} ${passed}${time}`],
    mood: status === 'success' ? 'good' : 'bad',
  }
}

function wikiPage(payload: Payload): Message {
  const { action, url = '', title = '', message } = payload.object_attributes ?? {}
  const done = action === 'create' ? 'created' : action === 'delete' ? 'deleted' : 'edited'
  const headline: Rich = [`${actor(payload)} ${done} `, { text: 'wiki page', url }, ' in ', projectLink(payload), `: ${title}`]
  return { headline, title: { text: title, url }, lines: textLines(message), mood: 'neutral' }
}

function textLines(text: string | null | undefined): Rich[] {
  if (!text) return []
  const shown = text.length > maxText ? `${text.slice(0, maxText)}…` : text
  return shown.split(/\r?\n/).map((line) => [line])
}
