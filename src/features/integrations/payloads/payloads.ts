/** Payloads for other tools, one for each kind of facts. Webhooks send them unchanged, integrations convert them. */
import type { App } from '../../../app.ts'
import { jobPayload, pipelinePayload } from './ci.ts'
import { deploymentPayload } from './deployment.ts'
import type { Facts } from './facts.ts'
import { issuePayload } from './issue.ts'
import { mergeRequestPayload } from './merge-request.ts'
import { notePayload } from './note.ts'
import { pushPayload, repositoryPayload } from './push.ts'
import { releasePayload } from './release.ts'
import { wikiPagePayload } from './wiki-page.ts'

/** Null if there is nothing to send any more, because the project or the subject was deleted. */
export function makePayload(app: App, facts: Facts): Promise<object | null> {
  switch (facts.kind) {
    case 'push':
      return pushPayload(app, facts)
    case 'repository_update':
      return repositoryPayload(app, facts)
    case 'issue':
      return issuePayload(app, facts)
    case 'merge_request':
      return mergeRequestPayload(app, facts)
    case 'note':
      return notePayload(app, facts)
    case 'job':
      return jobPayload(app, facts)
    case 'pipeline':
      return pipelinePayload(app, facts)
    case 'deployment':
      return deploymentPayload(app, facts)
    case 'release':
      return releasePayload(app, facts)
    case 'wiki_page':
      return wikiPagePayload(app, facts)
  }
}

/** The body of a delivery, as JSON; null as `makePayload`. */
export async function makeBody(app: App, facts: string): Promise<string | null> {
  const payload = await makePayload(app, JSON.parse(facts) as Facts)
  return payload === null ? null : JSON.stringify(payload)
}

export { before as idsBefore } from './differences.ts'
export type {
  DeploymentFacts,
  Facts,
  IssueFacts,
  JobFacts,
  MergeRequestFacts,
  NoteFacts,
  PipelineFacts,
  PushFacts,
  Related,
  ReleaseFacts,
  RepositoryFacts,
  WikiPageFacts,
} from './facts.ts'
export { momentOfPipeline, momentsOfJobs } from './moments.ts'
export { relatedOfIssue, relatedOfMergeRequest } from './parts.queries.ts'
export { groupsBelow, type MemberPlace } from './system.queries.ts'
export {
  groupEvent,
  groupMemberEvent,
  keyEvent,
  type MemberChange,
  type Membership,
  memberEvent,
  projectEvent,
  subgroupEvent,
  userEvent,
} from './system.ts'
