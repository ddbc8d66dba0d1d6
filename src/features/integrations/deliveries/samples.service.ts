/** Samples for webhook tests: each kind of event for the newest existing thing. */
import type { App } from '../../../app.ts'
import { Failure } from '../../../failure.ts'
import { listCommits } from '../../../git/history/history.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { allRefs } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { pagesOf, tipOf } from '../../documents/wikis/wikis.ts'
import { findNoteable } from '../../noteable-kinds.ts'
import type { HookPlace } from '../hooks/hooks.ts'
import {
  type Facts,
  groupMemberEvent,
  momentOfPipeline,
  momentsOfJobs,
  relatedOfIssue,
  relatedOfMergeRequest,
  subgroupEvent,
} from '../payloads/payloads.ts'
import type { Content } from './deliver.ts'
import {
  newestDeployment,
  newestIssue,
  newestJob,
  newestMember,
  newestMergeRequest,
  newestNote,
  newestPipeline,
  newestProject,
  newestRelease,
  newestSubgroup,
  newestWiki,
} from './samples.queries.ts'

/** Events for which test deliveries exist, each with the value of its header. */
export const triggers = {
  push_events: 'Push Hook',
  tag_push_events: 'Tag Push Hook',
  issues_events: 'Issue Hook',
  confidential_issues_events: 'Confidential Issue Hook',
  note_events: 'Note Hook',
  confidential_note_events: 'Confidential Note Hook',
  merge_requests_events: 'Merge Request Hook',
  job_events: 'Job Hook',
  pipeline_events: 'Pipeline Hook',
  wiki_page_events: 'Wiki Page Hook',
  deployment_events: 'Deployment Hook',
  releases_events: 'Release Hook',
} as const

/** Groups have two more events. */
export const groupTriggers = { ...triggers, member_events: 'Member Hook', subgroup_events: 'Subgroup Hook' } as const

export type Trigger = keyof typeof groupTriggers

/** The part of the error that names the missing data: a test needs something to report. */
const missing: Record<Trigger, string> = {
  push_events: 'at least one commit',
  tag_push_events: 'tags',
  issues_events: 'issues',
  confidential_issues_events: 'confidential issues',
  note_events: 'notes',
  confidential_note_events: 'internal notes, or notes on confidential issues',
  merge_requests_events: 'merge requests',
  job_events: 'CI jobs',
  pipeline_events: 'CI pipelines',
  wiki_page_events: 'a wiki with pages',
  deployment_events: 'deployments',
  releases_events: 'releases',
  member_events: 'members',
  subgroup_events: 'subgroups',
}

/** Throws 422 if there is nothing of the kind. */
export async function sampleOf(app: App, place: HookPlace, trigger: Trigger, user_id: number): Promise<Content> {
  const made = await makers[trigger](app, place, user_id)
  if (made) return made
  const message = `Ensure the ${place.project_id === null ? 'group' : 'project'} has ${missing[trigger]}.`
  throw new Failure('unprocessable', message, { body: { message } })
}

type Maker = (app: App, place: HookPlace, user_id: number) => Promise<Content | null>

/** Built from facts, if there are any. */
function ofFacts(find: (app: App, place: HookPlace, user_id: number) => Promise<Facts | null>): Maker {
  return async (...args) => {
    const facts = await find(...args)
    return facts && { facts }
  }
}

const issueSample = (confidential: boolean) =>
  ofFacts(async ({ db }, place, user_id) => {
    const row = await newestIssue(db, place, confidential)
    if (!row) return null
    const related = await relatedOfIssue(db, row)
    return { kind: 'issue', action: 'open', project_id: row.project_id, user_id, row, before: null, ...related }
  })

const noteSample = (isConfidential: boolean) =>
  ofFacts(async ({ db }, place, user_id) => {
    const note = await newestNote(db, place, isConfidential)
    if (!note) return null
    const on = await findNoteable(db, note)
    const issue = on?.kind === 'issue' ? on.row : null
    const request = on?.kind === 'merge_request' ? on.row : null
    return {
      kind: 'note',
      project_id: note.project_id,
      user_id,
      note,
      isConfidential,
      issue: issue && { row: issue, ...(await relatedOfIssue(db, issue)) },
      merge_request: request && { row: request, ...(await relatedOfMergeRequest(db, request)) },
      snippet_id: note.snippet_id,
    }
  })

/** The last three commits of the default branch, as one push. */
const pushSample = ofFacts(async (app, place, user_id) => {
  const project = await newestProject(app.db, place)
  const repo = project && app.git.open(project.id)
  const after = repo && (await resolveCommit(repo, `refs/heads/${project.default_branch}`))
  if (!repo || !after) return null
  const { rows } = await listCommits(repo, { from: after }, { limit: 4, offset: 0 })
  const before = rows[3]?.oid ?? noObject
  return { kind: 'push', project_id: project.id, user_id, change: { ref: `refs/heads/${project.default_branch}`, before, after } }
})

const tagSample = ofFacts(async (app, place, user_id) => {
  const project = await newestProject(app.db, place)
  if (!project) return null
  for (const [ref, oid] of await allRefs(app.git.open(project.id))) {
    if (ref.startsWith('refs/tags/'))
      return { kind: 'push', project_id: project.id, user_id, change: { ref, before: noObject, after: oid } }
  }
  return null
})

const wikiSample = ofFacts(async (app, place, user_id) => {
  const wiki = await newestWiki(app.db, place)
  const repo = wiki && app.git.openWiki(wiki.id)
  const commit_oid = repo && (await tipOf(repo))
  const page = commit_oid && (await pagesOf(repo)).pages[0]
  if (!wiki || !page) return null
  const { path, oid } = page
  return { kind: 'wiki_page', project_id: wiki.project_id, user_id, wiki_id: wiki.id, action: 'create', path, oid, commit_oid }
})

const makers: Record<Trigger, Maker> = {
  push_events: pushSample,
  tag_push_events: tagSample,
  issues_events: issueSample(false),
  confidential_issues_events: issueSample(true),
  note_events: noteSample(false),
  confidential_note_events: noteSample(true),
  merge_requests_events: ofFacts(async ({ db }, place, user_id) => {
    const row = await newestMergeRequest(db, place)
    if (!row) return null
    const related = await relatedOfMergeRequest(db, row)
    return { kind: 'merge_request', action: 'open', oldrev: null, project_id: row.project_id, user_id, row, before: null, ...related }
  }),
  job_events: ofFacts(async ({ db }, place) => {
    const job = await newestJob(db, place)
    const moment = job && (await momentsOfJobs(db, [job.id])).get(job.id)
    return moment ? { kind: 'job', project_id: moment.job.project_id, user_id: null, status: moment.job.status, ...moment } : null
  }),
  pipeline_events: ofFacts(async ({ db }, place) => {
    const found = await newestPipeline(db, place)
    const moment = found && (await momentOfPipeline(db, found.id))
    return moment && { kind: 'pipeline', project_id: moment.pipeline.project_id, user_id: null, ...moment }
  }),
  wiki_page_events: wikiSample,
  deployment_events: ofFacts(async ({ db }, place) => {
    const deployment = await newestDeployment(db, place)
    return deployment && { kind: 'deployment', project_id: deployment.project_id, user_id: deployment.user_id, deployment }
  }),
  releases_events: ofFacts(async ({ db }, place, user_id) => {
    const release = await newestRelease(db, place)
    return release && { kind: 'release', project_id: release.project_id, user_id, action: 'create', release }
  }),
  async member_events({ db }, place) {
    const [user_id, namespace_id] = [await newestMember(db, place), place.namespace_id]
    const body = user_id === null || namespace_id === null ? null : await groupMemberEvent(db, 'added', namespace_id, user_id, null)
    return body && { body }
  },
  async subgroup_events({ db }, place) {
    const id = await newestSubgroup(db, place)
    const body = id === null ? null : await subgroupEvent(db, 'subgroup_create', id)
    return body && { body }
  },
}
