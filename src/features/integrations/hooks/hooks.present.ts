/** A webhook as JSON, without its secrets. */
import type { App } from '../../../app.ts'
import type { Hook as HookRow } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { Hook } from './hooks.schema.ts'
import { type NamedValues, valuesOf } from './named-values.ts'

export function presentHook(app: App, hook: HookRow): Presented<typeof Hook> {
  const isResting = hook.rests_until !== null && hook.rests_until > new Date().toISOString()
  return {
    id: hook.id,
    url: withoutPassword(app.secrets.unseal(hook.url, 'hooks.url')),
    name: hook.name,
    description: hook.description,
    created_at: hook.created_at,
    push_events: hook.push_events,
    tag_push_events: hook.tag_push_events,
    merge_requests_events: hook.merge_requests_events,
    repository_update_events: hook.repository_update_events,
    enable_ssl_verification: hook.enable_ssl_verification,
    alert_status: isResting ? 'temporarily_disabled' : 'executable',
    disabled_until: isResting ? hook.rests_until : null,
    last_error: hook.last_error,
    project_id: hook.project_id ?? undefined,
    group_id: hook.namespace_id ?? undefined,
    issues_events: hook.issues_events,
    confidential_issues_events: hook.confidential_issues_events,
    note_events: hook.note_events,
    confidential_note_events: hook.confidential_note_events,
    pipeline_events: hook.pipeline_events,
    wiki_page_events: hook.wiki_page_events,
    job_events: hook.job_events,
    deployment_events: hook.deployment_events,
    releases_events: hook.releases_events,
    member_events: hook.member_events,
    subgroup_events: hook.subgroup_events,
    push_events_branch_filter: hook.push_events_branch_filter,
    custom_headers: namesOf(valuesOf(app, hook, 'custom_headers')),
    url_variables: namesOf(valuesOf(app, hook, 'url_variables')),
  }
}

const namesOf = (values: NamedValues) => Object.keys(values).map((key) => ({ key }))

/** The URL as entered, without the password in it. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^/:@?#]*:)[^/@?#]*@/i, '$1*****@')
}
