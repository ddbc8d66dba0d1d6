/** An integration as JSON, without its secrets. */
import type { App } from '../../../app.ts'
import type { Integration as Row } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import { withoutPassword } from '../hooks/hooks.ts'
import { type Kind, type Settings, textOf, type Value } from '../kinds/kinds.ts'
import type { Integration } from './services.schema.ts'
import { defaultSettings, flagsOf, isHeard, settingsOf } from './settings.ts'

/** @param row null if it was never set */
export function presentIntegration(app: App, kind: Kind, row: Row | null): Presented<typeof Integration> {
  const settings = row ? settingsOf(app, row) : defaultSettings(kind)
  const flags = row ? flagsOf(row) : {}
  return {
    id: row?.id ?? null,
    title: textOf(settings, 'title') || kind.title,
    slug: kind.slug,
    created_at: row?.created_at ?? null,
    updated_at: row?.updated_at ?? null,
    active: row?.active ?? false,
    commit_events: isHeard(flags, 'commit_events'),
    push_events: isHeard(flags, 'push_events'),
    issues_events: isHeard(flags, 'issues_events'),
    confidential_issues_events: isHeard(flags, 'confidential_issues_events'),
    merge_requests_events: isHeard(flags, 'merge_requests_events'),
    tag_push_events: isHeard(flags, 'tag_push_events'),
    note_events: isHeard(flags, 'note_events'),
    confidential_note_events: isHeard(flags, 'confidential_note_events'),
    pipeline_events: isHeard(flags, 'pipeline_events'),
    wiki_page_events: isHeard(flags, 'wiki_page_events'),
    job_events: isHeard(flags, 'job_events'),
    properties: shownSettings(kind, settings),
  }
}

/** Without secret fields and passwords in URLs. */
export function shownSettings({ fields }: Kind, settings: Settings): Record<string, Value | null> {
  const shown = fields.filter(({ secret }) => !secret)
  return Object.fromEntries(shown.map(({ name }) => [name, withoutSecrets(settings[name])]))
}

function withoutSecrets(value: Value | undefined): Value | null {
  if (typeof value !== 'string') return value ?? null
  return value
    .split(/(\s+)/)
    .map((word) => withoutPassword(word).replace(/([?&](?:key|token|access_token|secret_key)=)[^&#]+/gi, '$1*****'))
    .join('')
}
