/** Activity events as JSON (spec 2.16), with what later versions of this API add. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { NoteableType } from '../../noteable-kinds.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

const text = Type.String()

/** A note in an event, also one on a commit, which has no number of its own. */
const EventNote = resource('EventNote', {
  id: Type.Integer(),
  type: nullable(text),
  body: text,
  attachment: nullable(text),
  author: UserBrief,
  created_at: Instant,
  updated_at: Instant,
  system: Type.Boolean(),
  noteable_id: nullable(Type.Integer()),
  noteable_type: NoteableType,
  noteable_iid: nullable(Type.Integer()),
  commit_id: Type.Optional(Type.String({ description: 'Of a comment on a commit' })),
  project_id: Type.Integer(),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
})

const EventWikiPage = resource('EventWikiPage', { format: text, slug: text, title: text })

const PushData = resource('PushData', {
  commit_count: Type.Integer({ description: 'At most 10,000' }),
  action: oneOf('created', 'removed', 'pushed'),
  ref_type: oneOf('branch', 'tag'),
  commit_from: nullable(text),
  commit_to: nullable(text),
  ref: text,
  commit_title: nullable(text),
  ref_count: nullable(Type.Integer()),
})

export const Event = resource('Event', {
  id: Type.Integer(),
  title: Type.Null(),
  project_id: Type.Integer(),
  action_name: Type.String({ description: 'For example `opened`, `closed`, `pushed to`, `commented on`' }),
  target_id: nullable(Type.Integer()),
  target_iid: nullable(Type.Integer({ description: 'The id where the target has no number in the project' })),
  target_type: nullable(
    Type.String({ description: '`Issue`, `MergeRequest`, `Milestone`, `WikiPage::Meta`, `Note`, `DiscussionNote` or `DiffNote`' }),
  ),
  author_id: Type.Integer(),
  target_title: nullable(text),
  created_at: Instant,
  data: Type.Null(),
  note: Type.Optional(EventNote),
  author: UserBrief,
  push_data: Type.Optional(PushData),
  wiki_page: Type.Optional(EventWikiPage),
  author_username: text,
  imported: Type.Boolean(),
  imported_from: oneOf('none'),
})
