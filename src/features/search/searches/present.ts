/** What a search finds as JSON: of each kind the shape its own lists have. */
import type { App } from '../../../app.ts'
import type { Found } from '../../../db/database.ts'
import type { Issue, MergeRequest, Note, User } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import type { Rows } from '../../../http/page.ts'
import { projectUrl } from '../../../links.ts'
import { issuesByIds, presentIssues } from '../../planning/issues/issues.ts'
import { type IssuableRow, kindOf, type Noteable } from '../../planning/noteables/noteables.ts'
import { describeNotes, presentNote } from '../../planning/notes/notes.ts'
import { presentCommitDetail } from '../../repository/commits/commits.ts'
import { mergeRequestsByIds, presentMergeRequests } from '../../review/merge-requests/merge-requests.ts'
import type { SearchPlace } from './find.service.ts'
import { pathsByIds } from './searches.queries.ts'

type InProject = Extract<SearchPlace, { kind: 'project' }>

const withinOf = (place: SearchPlace) => (place.kind === 'project' ? place.project.id : null)

export async function foundIssues(app: App, viewer: User, place: SearchPlace, { rows, total }: Found<Issue>): Promise<Rows<unknown>> {
  return { rows: await presentIssues(app, viewer, rows, { within: withinOf(place) }), total }
}

export async function foundMergeRequests(app: App, place: SearchPlace, { rows, total }: Found<MergeRequest>): Promise<Rows<unknown>> {
  return { rows: await presentMergeRequests(app, rows, { within: withinOf(place) }), total }
}

/** Four statements, however many notes there are. */
export async function foundNotes(app: App, { project, level }: InProject, { rows, total }: Found<Note>): Promise<Rows<unknown>> {
  const noteables = await noteablesOf(app, rows)
  const described = await describeNotes(app.db, rows)
  const presented = described.flatMap((note) => {
    const on = noteables.get(keyOf(note.note))
    return on ? [presentNote(app.config, { ...on, project, level } as Noteable, note)] : []
  })
  return { rows: presented, total }
}

const keyOf = ({ issue_id, merge_request_id }: Note) => `${issue_id} ${merge_request_id}`

/** What the notes are on, by their columns. */
export async function noteablesOf(app: App, notes: Note[]): Promise<Map<string, IssuableRow>> {
  const idsOf = (kind: IssuableRow['kind']) => [
    ...new Set(notes.filter((note) => kindOf(note) === kind).map((note) => (note.issue_id ?? note.merge_request_id) as number)),
  ]
  const [issueIds, mergeRequestIds] = [idsOf('issue'), idsOf('merge_request')]
  const issues = issueIds.length === 0 ? [] : await issuesByIds(app.db, issueIds)
  const mergeRequests = mergeRequestIds.length === 0 ? [] : await mergeRequestsByIds(app.db, mergeRequestIds)
  return new Map<string, IssuableRow>([
    ...issues.map((row): [string, IssuableRow] => [`${row.id} null`, { kind: 'issue', row }]),
    ...mergeRequests.map((row): [string, IssuableRow] => [`null ${row.id}`, { kind: 'merge_request', row }]),
  ])
}

export function foundCommits(app: App, { project }: InProject, { rows, total }: Rows<Commit>): Rows<unknown> {
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
    const folder = on.kind === 'issue' ? 'issues' : 'merge_requests'
    links.set(note.id, { title: on.row.title, address: `/${paths.get(note.project_id)}/${folder}/${on.row.iid}#note_${note.id}` })
  }
  return links
}
