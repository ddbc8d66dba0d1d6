/** What a search finds as JSON: of each kind the shape its own lists have. */

import { projectUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Db, Found } from '../../../db/database.ts'
import { distinctIds } from '../../../db/rows.ts'
import type { Issue, MergeRequest, Note, User } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Rows } from '../../../http/reply/page.ts'
import { discussedCommit, discussedSnippet, type Noteable, type NoteableRow } from '../../discussion/noteables/noteables.ts'
import type { Note as NoteSchema } from '../../discussion/notes/notes.schema.ts'
import { describeNotes, presentNote } from '../../discussion/notes/notes.ts'
import type { Issue as IssueSchema } from '../../planning/issues/issues.schema.ts'
import { issuesByIds, presentIssues } from '../../planning/issues/issues.ts'
import type { CommitDetail } from '../../repository/commits/commits.schema.ts'
import { presentCommitDetail } from '../../repository/commits/commits.ts'
import type { MergeRequest as MergeRequestSchema } from '../../review/merge-requests/merge-requests.schema.ts'
import { mergeRequestsByIds, presentMergeRequests } from '../../review/merge-requests/merge-requests.ts'
import { snippetsByIds } from '../../snippets/snippets.ts'
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

/** Five statements, however many notes there are. */
export async function foundNotes(
  app: App,
  { project, level }: InProject,
  { rows, total }: Found<Note>,
): Promise<Rows<Presented<typeof NoteSchema>>> {
  const noteables = await noteablesOf(app, rows)
  const described = await describeNotes(app.db, rows)
  const presented = described.flatMap((note) => {
    const on = noteables.get(keyOf(note.note))
    return on ? [presentNote(app.config, { ...on, project, level } as Noteable, note)] : []
  })
  return { rows: presented, total }
}

const keyOf = ({ issue_id, merge_request_id, snippet_id, commit_oid }: Note) =>
  [issue_id, merge_request_id, snippet_id, merge_request_id === null ? commit_oid : null].join(' ')

/** What the notes are on, by their columns. */
async function noteablesOf(app: App, notes: Note[]): Promise<Map<string, NoteableRow>> {
  const idsOf = (column: 'issue_id' | 'merge_request_id' | 'snippet_id') => distinctIds(notes.map((note) => note[column]))
  const byId = async <R extends { id: number }>(ids: number[], read: (db: Db, ids: number[]) => Promise<R[]>) =>
    new Map(ids.length === 0 ? [] : (await read(app.db, ids)).map((row) => [row.id, row]))
  const issues = await byId(idsOf('issue_id'), issuesByIds)
  const mergeRequests = await byId(idsOf('merge_request_id'), mergeRequestsByIds)
  const snippets = await byId(idsOf('snippet_id'), snippetsByIds)
  const rowOf = ({ issue_id, merge_request_id, snippet_id, commit_oid, project_id }: Note): NoteableRow | null => {
    const [issue, request, snippet] = [issues.get(issue_id ?? 0), mergeRequests.get(merge_request_id ?? 0), snippets.get(snippet_id ?? 0)]
    if (issue) return { kind: 'issue', row: issue }
    if (request) return { kind: 'merge_request', row: request }
    if (snippet) return { kind: 'snippet', row: discussedSnippet(snippet, project_id) }
    return commit_oid === null ? null : { kind: 'commit', row: discussedCommit(project_id, commit_oid) }
  }
  return new Map(
    notes.flatMap((note) => {
      const row = rowOf(note)
      return row ? [[keyOf(note), row] as const] : []
    }),
  )
}

export function foundCommits(app: App, { project }: InProject, { rows, total }: Rows<Commit>): Rows<Presented<typeof CommitDetail>> {
  const context = { stats: undefined, last_pipeline: null, project_id: project.id, project: projectUrl(app.config, project) }
  return { rows: rows.map((commit) => presentCommitDetail(commit, context)), total }
}

/** Full paths of these projects, by their ids: one statement. */
export async function pathsOf(app: App, projectIds: number[]): Promise<Map<number, string>> {
  return pathsByIds(app.db, [...new Set(projectIds)])
}

/** What each note is on, and its address: three statements at most. */
export async function noteLinks(app: App, notes: Note[]): Promise<Map<number, { title: string; address: string }>> {
  const noteables = await noteablesOf(app, notes)
  const paths = await pathsOf(
    app,
    notes.map(({ project_id }) => project_id),
  )
  const links = new Map<number, { title: string; address: string }>()
  for (const note of notes) {
    const on = noteables.get(keyOf(note))
    if (!on) continue
    const { title, page } = linkTo(on)
    links.set(note.id, { title, address: `/${paths.get(note.project_id)}/${page}#note_${note.id}` })
  }
  return links
}

function linkTo(on: NoteableRow): { title: string; page: string } {
  if (on.kind === 'commit') return { title: `Commit ${on.row.oid.slice(0, 8)}`, page: `commit/${on.row.oid}` }
  if (on.kind === 'snippet') return { title: on.row.title, page: `snippets/${on.row.id}` }
  return { title: on.row.title, page: `${on.kind === 'issue' ? 'issues' : 'merge_requests'}/${on.row.iid}` }
}
