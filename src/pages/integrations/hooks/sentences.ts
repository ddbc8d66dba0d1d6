/** Sentences of the pages of webhooks. */

import type { HookFlag } from '../../../db/tables.ts'
import { t, translated } from '../../../html/sentences.ts'

export const purpose = translated({
  project: 'A webhook is a URL that is called when something happens in this project.',
  group: 'A webhook is a URL that is called when something happens in this group, or in a project in it.',
  instance: 'A system hook is a URL that is called for projects, groups, users, members and keys of the whole instance.',
} as const)

export const back = () => t`The webhook and its log`
export const none = () => t`No webhooks yet.`
export const noDeliveries = () => t`Nothing was sent yet, or not in the last 14 days.`
export const added = () => t`Webhook added`
export const saved = () => t`Webhook saved`
export const removed = () => t`Webhook removed`
export const tested = () => t`The test was queued. Its result appears in the log below.`
export const queuedAgain = (count: number) => (count === 1 ? t`One delivery is sent again.` : t`${count} deliveries are sent again.`)
export const removalWarning = () => t`What waits to be sent, and the log, go with it.`

export const urlHint = () => t`HTTP or HTTPS. A password in it is kept encrypted and not shown again.`
export const tokenHint = () => t`Sent as X-Gitlab-Token. It is not shown again; leave it empty to keep it.`
export const signingHint = () => t`whsec_ and 24 to 64 bytes in Base64: signs each request. Leave it empty to keep it.`
export const filterHint = () => t`A branch or a wildcard such as release-*: pushes to other branches are not sent. Leave empty for all.`
export const verifyHint = () => t`The certificate of the host must be valid.`

/** Named values that are added to deliveries. */
export const values = translated({
  custom_headers: {
    heading: 'Headers',
    noun: 'header',
    hint: 'They are sent with each delivery. Values are kept encrypted and not shown again; one of the same name is replaced.',
  },
  url_variables: {
    heading: 'URL variables',
    noun: 'variable',
    hint: 'In the URL, {name} stands for the value, so that a secret in the URL is not shown. It can’t stand in the host.',
  },
} as const)

/** The events of each flag, in the order of the form. */
export const flagLabels: Record<HookFlag, string> = translated({
  push_events: 'Pushes to branches',
  tag_push_events: 'Tags',
  issues_events: 'Issues',
  confidential_issues_events: 'Confidential issues',
  note_events: 'Comments',
  confidential_note_events: 'Internal comments, and comments on confidential issues',
  merge_requests_events: 'Merge requests',
  job_events: 'Jobs',
  pipeline_events: 'Pipelines',
  wiki_page_events: 'Wiki pages',
  deployment_events: 'Deployments',
  releases_events: 'Releases',
  member_events: 'Members of the group',
  subgroup_events: 'Subgroups',
  repository_update_events: 'Updates of repositories',
})

const ofProject: HookFlag[] = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'merge_requests_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
]

/** The flags available in each kind of place. */
export const flagsOf: Record<'project' | 'group' | 'instance', HookFlag[]> = {
  project: ofProject,
  group: [...ofProject, 'member_events', 'subgroup_events'],
  instance: ['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
}
