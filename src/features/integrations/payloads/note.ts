/** The payload of notes, with their noteable. */
import type { LocatedProject } from '../../../access/find.ts'
import { snippetAddress } from '../../../addresses/documents.ts'
import { pageUrl, projectUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import { issueAddress } from '../../../addresses/planning.ts'
import { commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { Note } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { filesOf, snippetById } from '../../snippets/snippets.ts'
import type { NoteFacts } from './facts.ts'
import { issueAttributes } from './issue.ts'
import { mergeRequestAttributes } from './merge-request.ts'
import type { NotePayload } from './notes.schema.ts'
import { commitOf, payloadCommit, settingOf, withAbsoluteImages } from './parts.ts'
import { payloadRepositoryBrief, visibilityLevels } from './project.ts'

type Payload = Presented<typeof NotePayload>

export async function notePayload(app: App, facts: NoteFacts): Promise<Payload | null> {
  const setting = await settingOf(app, facts)
  if (!setting) return null
  const { note, issue, merge_request } = facts
  const { project } = setting
  const commit = note.commit_oid === null ? null : await commitOf(app, project, note.commit_oid)
  const snippet = await snippetOf(app, project, facts.snippet_id)
  const { user_id } = facts
  return {
    object_kind: 'note',
    event_type: facts.isConfidential ? 'confidential_note' : 'note',
    user: setting.user,
    project_id: project.id,
    project: setting.shown,
    object_attributes: attributesOf(app, project, facts),
    repository: payloadRepositoryBrief(setting.shown),
    issue: issue ? issueAttributes(app.config, project, { ...issue, user_id }) : undefined,
    merge_request: merge_request ? await mergeRequestAttributes(app, project, { ...merge_request, user_id }) : undefined,
    commit: commit ? payloadCommit(app.config, project, commit) : undefined,
    snippet: snippet ?? undefined,
  }
}

function attributesOf(app: App, project: LocatedProject, facts: NoteFacts): Payload['object_attributes'] {
  const { note } = facts
  const parsed = (json: string | null) => (json === null ? null : JSON.parse(json))
  return {
    id: note.id,
    note: note.body,
    description: withAbsoluteImages(note.body, projectUrl(app.config, project)) ?? '',
    noteable_type: typeOf(note),
    noteable_id: note.issue_id ?? note.merge_request_id ?? note.snippet_id,
    author_id: note.author_id,
    project_id: note.project_id,
    discussion_id: note.discussion_id,
    type: note.type,
    internal: note.internal,
    system: note.system,
    created_at: note.created_at,
    updated_at: note.updated_at,
    updated_by_id: note.last_edited_by_id,
    attachment: null,
    commit_id: note.commit_oid,
    line_code: note.line_code,
    position: parsed(note.position),
    original_position: parsed(note.original_position),
    change_position: null,
    resolved_at: note.resolved_at,
    resolved_by_id: note.resolved_by_id,
    resolved_by_push: note.resolved_by_push,
    st_diff: null,
    action: 'create',
    url: `${placeOf(app, project, facts)}#note_${note.id}`,
  }
}

function typeOf({ issue_id, merge_request_id, snippet_id }: Note): Payload['object_attributes']['noteable_type'] {
  if (issue_id !== null) return 'Issue'
  if (merge_request_id !== null) return 'MergeRequest'
  return snippet_id === null ? 'Commit' : 'Snippet'
}

function placeOf({ config }: App, project: LocatedProject, { issue, merge_request, note }: NoteFacts): string {
  if (issue) return pageUrl(config, issueAddress(project, issue.row.iid))
  if (merge_request) return pageUrl(config, mergeRequestAddress(project, merge_request.row.iid))
  const { snippet_id, commit_oid } = note
  if (snippet_id !== null) return pageUrl(config, snippetAddress({ id: snippet_id }, project.full_path))
  return pageUrl(config, commitAddress(project, commit_oid ?? ''))
}

/** Null once it is deleted. */
async function snippetOf(app: App, project: LocatedProject, id: number | null): Promise<NonNullable<Payload['snippet']> | null> {
  const snippet = id === null ? null : await snippetById(app.db, id)
  if (!snippet) return null
  const [first] = await filesOf(app.db, snippet.id)
  return {
    id: snippet.id,
    title: snippet.title,
    description: withAbsoluteImages(snippet.description, projectUrl(app.config, project)),
    content: first?.content ?? '',
    author_id: snippet.author_id,
    project_id: snippet.project_id,
    created_at: snippet.created_at,
    updated_at: snippet.updated_at,
    file_name: snippet.file_name,
    expires_at: null,
    type: 'ProjectSnippet',
    visibility_level: visibilityLevels[snippet.visibility],
    url: pageUrl(app.config, snippetAddress(snippet, project.full_path)),
  }
}
