/** Notes and discussions as JSON. */

import type { Viewer } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Db } from '../../../db/database.ts'
import type { Note, Suggestion } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { oneAtATime } from '../../../limits/one-at-a-time.ts'
import { kindOf, type Noteable } from '../../noteable-kinds.ts'
import { presentUserBrief, type UserInBrief, usersInBrief } from '../../people/users/users.ts'
import { presentPosition, presentSuggestion, suggestionsOf } from '../../review/diff-notes/diff-notes.ts'
import { notesOfDiscussions } from './discussions.queries.ts'
import type { Discussion as DiscussionSchema, Note as NoteSchema } from './notes.schema.ts'

/** A note with its author and the user who resolved it. */
export interface DescribedNote {
  note: Note
  author: UserInBrief
  resolved_by: UserInBrief | null
  /** Suggestions in a note on a diff. */
  suggestions: Suggestion[]
}

/** One statement, regardless of their number; two for notes on merge requests. */
export async function describeNotes(db: Db, notes: Note[]): Promise<DescribedNote[]> {
  const ids = notes.flatMap(({ author_id, resolved_by_id }) => (resolved_by_id === null ? [author_id] : [author_id, resolved_by_id]))
  const users = await usersInBrief(db, [...new Set(ids)])
  const suggestions = await suggestionsOf(
    db,
    notes.flatMap(({ id, merge_request_id }) => (merge_request_id === null ? [] : [id])),
  )
  return notes.map((note) => ({
    note,
    author: users.get(note.author_id) as UserInBrief,
    resolved_by: users.get(note.resolved_by_id ?? 0) ?? null,
    suggestions: suggestions.get(note.id) ?? [],
  }))
}

export function presentNote(
  config: Config,
  noteable: Noteable,
  { note, author, resolved_by, suggestions }: DescribedNote,
): Presented<typeof NoteSchema> {
  const isResolvable = isNoteResolvable(noteable, note)
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    attachment: null,
    author: presentUserBrief(config, author),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system,
    noteable_id: noteable.row.id,
    noteable_type: kindOf(noteable).type,
    project_id: note.project_id,
    commit_id: noteable.kind === 'commit' ? noteable.row.oid : note.position === null ? undefined : note.commit_oid,
    position: note.position === null ? undefined : presentPosition(note.position),
    suggestions:
      note.position === null || noteable.kind !== 'merge_request'
        ? undefined
        : suggestions.map((suggestion) => presentSuggestion(suggestion, note, noteable.row)),
    resolvable: isResolvable,
    resolved: isResolvable ? note.resolved_at !== null : undefined,
    resolved_by: isResolvable ? resolved_by && presentUserBrief(config, resolved_by) : undefined,
    resolved_at: isResolvable ? note.resolved_at : undefined,
    confidential: note.internal,
    internal: note.internal,
    imported: false,
    noteable_iid: noteable.row.iid,
    commands_changes: {},
  }
}

/** Whether it can be resolved: in a discussion by users, on a kind of noteable that supports it. */
export function isNoteResolvable(noteable: Pick<Noteable, 'kind'>, { type, system }: Note): boolean {
  return kindOf(noteable).resolvable && type !== null && !system
}

export async function presentNotes(app: App, noteable: Noteable, notes: Note[]): Promise<Array<Presented<typeof NoteSchema>>> {
  return (await describeNotes(app.db, notes)).map((described) => presentNote(app.config, noteable, described))
}

/** Groups notes into these discussions, each in order. */
export async function presentDiscussions(
  app: App,
  noteable: Noteable,
  ids: string[],
  notes: Note[],
): Promise<Array<Presented<typeof DiscussionSchema>>> {
  const groups = new Map<string, DescribedNote[]>(ids.map((id) => [id, []]))
  for (const described of await describeNotes(app.db, notes)) groups.get(described.note.discussion_id)?.push(described)
  return [...groups].map(([id, group]) => ({
    id,
    individual_note: group[0]?.note.type === null,
    notes: group.map((described) => presentNote(app.config, noteable, described)),
  }))
}

/** The whole discussion that a note opens. A large one takes as much memory as a page of a list, so the process reads one at a time. */
export function presentDiscussion(app: App, noteable: Noteable, viewer: Viewer, { discussion_id }: Pick<Note, 'discussion_id'>) {
  return oneAtATime('discussion', async () => {
    const notes = await notesOfDiscussions(app.db, noteable, viewer, [discussion_id])
    const [presented] = await presentDiscussions(app, noteable, [discussion_id], notes)
    return presented as NonNullable<typeof presented>
  })
}
