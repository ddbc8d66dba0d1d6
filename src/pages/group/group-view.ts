/** The frame of all pages of a group: its breadcrumbs and its tabs. */

import type { LocatedGroup } from '../../access/find.ts'
import { may } from '../../access/permissions.ts'
import { mayReadWiki } from '../../access/wikis.ts'
import { groupAddress } from '../../addresses/places.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { bellOf } from '../frame/bell.ts'
import type { View } from '../frame/declaration.ts'
import { visibilityTag } from '../frame/levels.ts'
import { isolated, navigation } from '../frame/parts.ts'

/** A group that an access rule has granted. */
export interface SeenGroup {
  group: LocatedGroup
  level: number
  user: User | null
}

interface Tab {
  label: string
  page: string | undefined
  /** The name of its number in `counts.pages.ts`. */
  count?: 'issues' | 'merge_requests'
  /** Further pages of the tab, as a second row; the tab itself leads to the first one that the viewer may open. */
  pages?: Record<string, readonly [label: string, page: string, isFor?: (seen: SeenGroup, app: App) => boolean]>
  isFor?: (seen: SeenGroup) => boolean
}

const isOwner = ({ level }: SeenGroup) => may('edit_group', level)

/** Features add their tabs here. */
const tabs = () =>
  ({
    group: { label: t`Overview`, page: undefined },
    shared: { label: t`Shared`, page: 'shared' },
    archived: { label: t`Archived`, page: 'archived' },
    activity: { label: t`Activity`, page: 'activity' },
    planning: {
      label: t`Issues`,
      page: 'issues',
      count: 'issues',
      pages: {
        issues: [t`List`, 'issues'],
        boards: [t`Boards`, 'boards'],
        labels: [t`Labels`, 'labels'],
        milestones: [t`Milestones`, 'milestones'],
      },
    },
    merge_requests: { label: t`Merge requests`, page: 'merge_requests', count: 'merge_requests' },
    wiki: { label: t`Wiki`, page: 'wikis', isFor: ({ group, level, user }) => mayReadWiki({ kind: 'group', row: group, level }, user) },
    members: { label: t`Members`, page: 'group_members', isFor: ({ user }) => user !== null },
    settings: {
      label: t`Settings`,
      page: 'edit',
      pages: {
        settings: [t`General`, 'edit', isOwner],
        'settings-ci': ['CI/CD', 'settings/ci_cd'],
        'push-rules': [t`Push rules`, 'settings/push_rules', isOwner],
        approvals: [t`Approvals`, 'settings/merge_requests', isOwner],
        hooks: [t`Webhooks`, 'hooks', isOwner],
        tokens: [t`Access tokens`, 'settings/access_tokens', isOwner],
        'service-accounts': [t`Service accounts`, 'settings/service_accounts', isOwner],
        directory: [t`Directory`, 'ldap_group_links', (seen, app) => isOwner(seen) && app.config.identity_providers.ldap !== null],
      },
      isFor: ({ level }) => may('manage_variables', level),
    },
  }) as const satisfies Record<string, Tab>

type PagesOf<T> = T extends { pages: infer P } ? keyof P : never
/** A page of a group, by its tab; null for a page outside of all tabs. */
export type GroupTab = keyof ReturnType<typeof tabs> | PagesOf<ReturnType<typeof tabs>[keyof ReturnType<typeof tabs>]>

/** A page of a group. The title begins with its most specific part. */
export function groupView(seen: SeenGroup & { tab: GroupTab | null }, { title, main, ...rest }: Omit<View, 'above'>): View {
  const { id, full_path, name } = seen.group
  const searchIn = { parameter: 'group_id', id, name } as const
  return { ...rest, searchIn, title: title === '' ? full_path : `${title} · ${full_path}`, main, above: (app) => headOf(app, seen) }
}

/** One statement, for signed-in users only. */
async function headOf(app: App, { tab: current, ...seen }: SeenGroup & { tab: GroupTab | null }): Promise<Html> {
  const { full_path, name, visibility, archived } = seen.group
  const above = full_path.split('/').slice(0, -1)
  const links = above.map((part, index) => html`<a href="${groupAddress(above.slice(0, index + 1).join('/'))}">${part}</a> `)
  const shown = (Object.entries(tabs()) as Array<[GroupTab, Tab]>).filter(([, { isFor }]) => isFor?.(seen) ?? true)
  const open = shown.find(([key, { pages = {} }]) => current !== null && (key === current || current in pages))
  const pagesOf = ({ pages = {} }: Tab) => Object.entries(pages).filter(([, [, , isFor]]) => isFor?.(seen, app) ?? true)
  const first = shown.map(([key, tab]) => ({
    label: tab.label,
    count: tab.count,
    href: groupAddress(full_path, pagesOf(tab)[0]?.[1][1] ?? tab.page),
    isCurrent: key === open?.[0],
  }))
  const second = (open ? pagesOf(open[1]) : []).map(([key, [label, page]]) => ({
    label,
    href: groupAddress(full_path, page),
    isCurrent: key === current,
  }))
  const bell = await bellOf(app, seen.user, { kind: 'group', row: seen.group, level: seen.level })
  return html`
    <div class="above">
      <nav class="where" aria-label="Location">
        ${links}<a href="${groupAddress(full_path)}"><b>${isolated(name)}</b></a>
        ${visibilityTag(visibility)}${archived && html`<span class="tag">archived</span>`}${bell}
      </nav>
      ${navigation(t`Group`, first, 'tabs', groupAddress(full_path, 'counts'))}
      ${second.length > 1 && navigation(open?.[1].label ?? '', second, 'tabs second')}
    </div>
  `
}
