/** The payload of notes. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'
import { NoteableType } from '../../noteable-kinds.ts'
import { IssueAttributes, MergeRequestAttributes } from './issuables.schema.ts'
import { CommitPart, maybeInstant, maybeNumber, maybeText, ProjectPart, RepositoryPart, shape, UserPart } from './parts.schema.ts'

const text = Type.String()
const number = Type.Integer()
const Position = nullable(Type.Unsafe<unknown>({ type: 'object' }))

const SnippetPart = shape({
  id: number,
  title: text,
  description: maybeText,
  content: text,
  author_id: number,
  project_id: maybeNumber,
  created_at: Instant,
  updated_at: Instant,
  file_name: text,
  expires_at: Type.Null(),
  type: oneOf('ProjectSnippet'),
  visibility_level: Type.Integer(),
  url: text,
})

export const NotePayload = shape({
  object_kind: oneOf('note'),
  event_type: oneOf('note', 'confidential_note'),
  user: UserPart,
  project_id: number,
  project: ProjectPart,
  repository: RepositoryPart,
  object_attributes: shape({
    id: number,
    note: text,
    description: text,
    noteable_type: NoteableType,
    noteable_id: maybeNumber,
    author_id: number,
    project_id: number,
    discussion_id: text,
    type: nullable(oneOf('DiscussionNote', 'DiffNote')),
    internal: Type.Boolean(),
    system: Type.Boolean(),
    created_at: Instant,
    updated_at: Instant,
    updated_by_id: maybeNumber,
    attachment: Type.Null(),
    commit_id: maybeText,
    line_code: maybeText,
    position: Position,
    original_position: Position,
    change_position: Type.Null(),
    resolved_at: maybeInstant,
    resolved_by_id: maybeNumber,
    resolved_by_push: Type.Boolean(),
    st_diff: Type.Null(),
    action: oneOf('create'),
    url: text,
  }),
  issue: Type.Optional(IssueAttributes),
  merge_request: Type.Optional(MergeRequestAttributes),
  commit: Type.Optional(CommitPart),
  snippet: Type.Optional(SnippetPart),
})
