/** Activity events as JSON. */
import type { Config } from '../../../config.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { presentUserBrief } from '../../people/users/users.ts'
import type { ListedEvent } from './event-rows.queries.ts'
import type { Event } from './events.schema.ts'

type EventJson = Presented<typeof Event>

/** As clients know wiki pages. */
const wikiPageType = 'WikiPage::Meta'

export function presentEvent(config: Config, event: ListedEvent): EventJson {
  const author = presentUserBrief(config, event.author)
  const target = targetOf(event)
  return {
    id: event.id,
    title: null,
    project_id: event.project_id,
    action_name: actionName(event),
    target_id: target?.id ?? null,
    target_iid: target?.iid ?? null,
    target_type: targetType(event),
    author_id: author.id,
    target_title: target?.title ?? event.wiki_page?.title ?? null,
    created_at: event.created_at,
    data: null,
    note: noteOf(event, author),
    author,
    push_data: event.action === 'pushed' ? pushOf(event) : undefined,
    wiki_page: event.wiki_page ?? undefined,
    author_username: author.username,
    imported: false,
    imported_from: 'none',
  }
}

function targetType({ target_type, note }: ListedEvent): string | null {
  if (target_type === 'WikiPage') return wikiPageType
  return target_type === 'Note' ? (note?.type ?? 'Note') : target_type
}

/** A note has no number: its id stands for that. It has the title of what it is on. */
function targetOf({
  target_type,
  issue,
  merge_request,
  snippet,
  milestone,
  note,
}: ListedEvent): { id: number; iid: number; title: string | null } | null {
  if (target_type === 'Milestone') return milestone
  if (target_type === 'Issue') return issue
  if (target_type === 'MergeRequest') return merge_request
  if (target_type === 'WikiPage') return null
  return note && { id: note.id, iid: note.id, title: (issue ?? merge_request ?? snippet)?.title ?? null }
}

const names = {
  updated: 'updated',
  closed: 'closed',
  destroyed: 'destroyed',
  commented: 'commented on',
  joined: 'joined',
  left: 'left',
  expired: 'removed due to membership expiration from',
  reopened: 'opened',
  merged: 'accepted',
  approved: 'approved',
}

/** The terms that clients know. */
function actionName({ action, target_type, before_oid, after_oid, project_import }: ListedEvent): string {
  if (action === 'pushed') return after_oid === null ? 'deleted' : before_oid === null ? 'pushed new' : 'pushed to'
  if (action !== 'created') return names[action]
  if (target_type === 'WikiPage') return 'created'
  if (target_type !== null) return 'opened'
  const { import_status, forked_from_id } = project_import
  return import_status !== 'none' && forked_from_id === null ? 'imported' : 'created'
}

function noteOf(
  { note, issue, merge_request, snippet, project_id, created_at }: ListedEvent,
  author: EventJson['author'],
): EventJson['note'] {
  if (note === null) return undefined
  const numbered = issue ?? merge_request
  const on = numbered ?? snippet
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    attachment: null,
    author,
    created_at,
    updated_at: note.updated_at,
    system: false,
    noteable_id: on?.id ?? null,
    noteable_type: issue ? 'Issue' : merge_request ? 'MergeRequest' : snippet ? 'Snippet' : 'Commit',
    noteable_iid: numbered?.iid ?? null,
    commit_id: on ? undefined : (note.commit_oid ?? undefined),
    project_id,
    resolvable: false,
    confidential: note.internal,
    internal: note.internal,
  }
}

function pushOf({ ref, before_oid, after_oid, commit_count, commit_title }: ListedEvent): NonNullable<EventJson['push_data']> {
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref ?? '') ?? []
  return {
    commit_count: commit_count ?? 0,
    action: before_oid === null ? 'created' : after_oid === null ? 'removed' : 'pushed',
    ref_type: kind === 'tags' ? 'tag' : 'branch',
    commit_from: before_oid,
    commit_to: after_oid,
    ref: name ?? ref ?? '',
    commit_title,
    ref_count: null,
  }
}
