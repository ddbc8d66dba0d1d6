/** Tests an integration: with a sample push if it handles pushes, or with a request if it is only read from. */
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import type { Integration, User } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { noObject } from '../../../git/objects/object-id.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type HttpCall, isSuccess, type Kind, kindOf, type Payload, type Settings, textOf, urlAt } from '../kinds/kinds.ts'
import { makeBody } from '../payloads/payloads.ts'
import { settingsOf } from '../services/services.ts'
import { hookOfIntegration } from './deliveries.queries.ts'
import { ask, perform } from './perform.ts'
import { sampleOf } from './samples.service.ts'

export interface Tried {
  success: boolean
  /** A message for users. */
  message: string
}

/** Throws 400 if there is nothing to test. */
export async function testIntegration(app: App, project: LocatedProject, user: User, row: Integration): Promise<Tried> {
  const kind = kindOf(row.slug)
  const question = questionOf(row.slug, settingsOf(app, row))
  if (!question && !kind?.act) throw invalid('This integration can not be tested')
  const answer = question
    ? await ask(app, question)
    : await perform(app, { integration_id: row.id }, firstAttempt(), await sampleFor(app, project, user, row))
  if (answer === null) return { success: true, message: 'There was nothing to send' }
  if ('error' in answer) return { success: false, message: answer.error }
  return { success: isSuccess(answer), message: `The host answered with ${answer.status}` }
}

/** Whether it has something to send or to request. */
export function isTestable({ slug, group, act }: Kind): boolean {
  return act !== undefined || group === 'tracker' || asked.includes(slug)
}

/** Kinds that can only be tested by requesting their URL. */
const asked = ['prometheus', 'external-wiki']

function questionOf(slug: string, settings: Settings): HttpCall | null {
  const get = (url: string): HttpCall => ({ method: 'GET', url, headers: {}, body: '' })
  if (slug === 'prometheus') return get(urlAt(textOf(settings, 'api_url'), 'api/v1/query', { query: '1' }))
  if (slug === 'external-wiki') return get(textOf(settings, 'external_wiki_url'))
  return textOf(settings, 'project_url') !== '' && kindOf(slug)?.group === 'tracker' ? get(textOf(settings, 'project_url')) : null
}

const firstAttempt = () => ({ uuid: crypto.randomUUID(), response_headers: null })

/** An integration that only handles pipelines gets the newest one. Throws 422 if there is none. */
async function sampleFor(app: App, project: LocatedProject, user: User, row: Integration): Promise<string> {
  const hook = await hookOfIntegration(app.db, row.id)
  if (!hook || kindOf(row.slug)?.events.some((event) => event !== 'pipeline_events')) return sample(app, project, user)
  const content = await sampleOf(app, hook, 'pipeline_events', user.id)
  return 'facts' in content ? ((await makeBody(app, JSON.stringify(content.facts))) ?? '{}') : JSON.stringify(content.body)
}

/** The last push to the default branch, if it can be reconstructed; otherwise that of an empty project. */
async function sample(app: App, project: LocatedProject, user: User): Promise<string> {
  const repo = app.git.open(project.id)
  const tip = await resolveCommit(repo, 'HEAD')
  const change = { ref: `refs/heads/${project.default_branch ?? 'main'}`, before: noObject, after: tip ?? noObject }
  const body = await makeBody(app, JSON.stringify({ kind: 'push', project_id: project.id, user_id: user.id, change }))
  const payload = JSON.parse(body ?? '{}') as Payload
  // Only the newest commit: the others were sent when they were pushed.
  const last = payload.commits?.slice(-1) ?? []
  return JSON.stringify({
    ...payload,
    commits: last.map((one) => ({ ...one, message: titleOf(one.message) })),
    total_commits_count: last.length,
  })
}
