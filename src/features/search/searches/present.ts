/** Search results as JSON: each kind in the format of its own lists. */

import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Found } from '../../../db/database.ts'
import type { Issue, MergeRequest, Note, NoteableKey, NoteableRow, User } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Rows } from '../../../http/reply/page.ts'
import type { Note as NoteSchema } from '../../discussion/notes/notes.schema.ts'
import { describeNotes, presentNote } from '../../discussion/notes/notes.ts'
import { findNoteables, keyIn, kindOf, nameOfKey, pagePathOf } from '../../noteable-kinds.ts'
import type { Issue as IssueSchema } from '../../planning/issues/issues.schema.ts'
import { presentIssues } from '../../planning/issues/issues.ts'
import type { CommitDetail } from '../../repository/commits/commits.schema.ts'
import { presentCommitDetail } from '../../repository/commits/commits.ts'
import type { MergeRequest as MergeRequestSchema } from '../../review/merge-requests/merge-requests.schema.ts'
import { presentMergeRequests } from '../../review/merge-requests/merge-requests.ts'
import type { SearchPlace } from './find.service.ts'
import { pathsByIds } from './searches.queries.ts'

type InProject = Extract<SearchPlace, { kind: 'project' }>

const withinOf = (place: SearchPlace) => (place.kind === 'project' ? place.project.id : null)

export async function foundIssues(
  app: App,
  viewer: User,
  place: SearchPlace,
  { rows, total }: Found<Issue>,
): Promise<Rows<Presented<typeof IssueSchema>>> {
  return { rows: await presentIssues(app, viewer, rows, { within: withinOf(place) }), total }
}

export async function foundMergeRequests(
  app: App,
  place: SearchPlace,
  { rows, total }: Found<MergeRequest>,
): Promise<Rows<Presented<typeof MergeRequestSchema>>> {
  return { rows: await presentMergeRequests(app, rows, { within: withinOf(place) }), total }
}

/** Five statements, regardless of the number of notes. */
export async function foundNotes(
  app: App,
  { project, level }: InProject,
  { rows, total }: Found<Note>,
): Promise<Rows<Presented<typeof NoteSchema>>> {
  const noteables = await noteablesOf(app, rows)
  const described = await describeNotes(app.db, rows)
  const presented = described.flatMap((note) => {
    const on = noteables.get(nameOn(note.note))
    return on ? [presentNote(app.config, { ...on, project, level }, note)] : []
  })
  return { rows: presented, total }
}

const nameOn = (note: Note) => nameOfKey(keyIn(note) as NoteableKey)

/** The noteables of the notes, keyed by `nameOn`. */
function noteablesOf(app: App, notes: Note[]): Promise<Map<string, NoteableRow>> {
  return findNoteables(
    app.db,
    notes.flatMap((note) => keyIn(note) ?? []),
  )
}

export function foundCommits(app: App, { project }: InProject, { rows, total }: Rows<Commit>): Rows<Presented<typeof CommitDetail>> {
  const context = { stats: undefined, last_pipeline: null, project_id: project.id, project: projectUrl(app.config, project) }
  return { rows: rows.map((commit) => presentCommitDetail(commit, context)), total }
}

/** Full paths of these projects, keyed by id: one statement. */
export async function pathsOf(app: App, projectIds: number[]): Promise<Map<number, string>> {
  return pathsByIds(app.db, [...new Set(projectIds)])
}

/** The noteable of each note, and its URL: at most three statements. */
export async function noteLinks(app: App, notes: Note[]): Promise<Map<number, { title: string; address: string }>> {
  const noteables = await noteablesOf(app, notes)
  const paths = await pathsOf(
    app,
    notes.map(({ project_id }) => project_id),
  )
  const links = new Map<number, { title: string; address: string }>()
  for (const note of notes) {
    const on = noteables.get(nameOn(note))
    if (!on) continue
    const address = `/${paths.get(note.project_id)}/${pagePathOf(on)}#note_${note.id}`
    links.set(note.id, { title: kindOf(on).titleOf(on.row), address })
  }
  return links
}
